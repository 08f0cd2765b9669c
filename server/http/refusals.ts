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

/**
 * Returns a traceable answer for a request without a call: adds ids to the answer, a line to the log, and 1 to a count.
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
  log.info({ requestId, traceId, status: answer.status, code, reason, cause }, 'request refused')
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId, traceparent } }
}
