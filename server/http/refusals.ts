import type { Clock } from '../../domain/ports/clock.ts'
import { traceOf } from '../../runtime/context.ts'
import type { ApiError } from '../../runtime/errors.ts'
import type { WireAnswer } from '../../runtime/wire.ts'
import type { Meters, Refusal } from '../meters/meters.ts'
import type { Log } from '../log.ts'

/** What refusing needs beside the reason for it. */
export interface RefusalParts {
  readonly clock: Clock
  readonly log: Log
  readonly meters: Meters
}

/** An answer that is given without a call, made to be found again: with ids, a line in the log, and counted. */
export function identified(
  answer: WireAnswer,
  { rpc: code, reason }: ApiError,
  cause: Refusal,
  { clock, log, meters }: RefusalParts,
  parent?: string,
): WireAnswer {
  const { traceId, traceparent } = traceOf(parent)
  const requestId = clock.newId()
  meters.refused(cause)
  log.info({ requestId, traceId, status: answer.status, code, reason, cause }, 'request refused')
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId, traceparent } }
}
