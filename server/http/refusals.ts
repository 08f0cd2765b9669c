import type { Clock } from '../../domain/ports/clock.ts'
import { traceOf } from '../../runtime/context.ts'
import type { ApiError } from '../../runtime/errors.ts'
import type { WireAnswer } from '../../runtime/wire.ts'
import type { Meters, Refusal } from '../meters/meters.ts'
import type { Log } from '../log.ts'

/** The services that identify and record a refusal. */
export interface RefusalServices {
  readonly clock: Clock
  readonly log: Log
  readonly meters: Meters
}

/** The number of refusals in a second that have a line of the log each. */
const linesPerSecond = 10

/** The lines of a log that were written and left out since the last second began. */
interface Lines {
  written: number
  omitted: number
}

const linesOf = new WeakMap<Log, Lines>()

/**
 * Returns a traceable answer for a request without a call: adds ids to the answer, a line to the log, and 1 to a count.
 * Beyond ten lines in a second, the log has a single line with the number of further refusals.
 */
export function identified(
  answer: WireAnswer,
  { rpc: code, reason }: ApiError,
  cause: Refusal,
  { clock, log, meters }: RefusalServices,
  parent?: string,
): WireAnswer {
  const { traceId, traceparent } = traceOf(parent)
  const requestId = clock.newId()
  meters.refused(cause)
  if (mayWrite(log)) log.info({ requestId, traceId, status: answer.status, code, reason, cause }, 'request refused')
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId, traceparent } }
}

/** Whether the log has room for a further line in this second; otherwise counts the line. */
function mayWrite(log: Log): boolean {
  const lines = linesOf.get(log) ?? begin(log)
  if (lines.written < linesPerSecond) {
    lines.written += 1
    return true
  }
  lines.omitted += 1
  return false
}

/** Begins a second, at the end of which the number of omitted lines is written. */
function begin(log: Log): Lines {
  const lines = { written: 0, omitted: 0 }
  linesOf.set(log, lines)
  const end = (): void => {
    linesOf.delete(log)
    if (lines.omitted > 0) log.info({ count: lines.omitted }, 'further requests refused')
  }
  setTimeout(end, 1000).unref()
  return lines
}
