import type { HttpAnswer } from './call.ts'
import { matching } from './answer.ts'
import { errorOf, summaryOf, statusOfRpc } from './error.ts'
import type { Probe } from './probe.ts'
import type { Subject } from './subject.ts'

/** The reasons of errors that prove that the request did not reach its handler, or that the handler failed. */
const notAccepted: ReadonlySet<string> = new Set([
  'FIELD_INVALID',
  'UPDATE_MASK_INVALID',
  'FILTER_INVALID',
  'FILTER_UNSUPPORTED',
  'ORDER_BY_INVALID',
  'PAGE_TOKEN_INVALID',
  'ROUTE_NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL',
])

/**
 * The statuses that servers often send before the handler runs. If a run is not strict, one of these statuses without a
 * reason does not prove that the request was accepted.
 */
const earlyStatuses: ReadonlySet<number> = new Set([400, 401, 403, 405, 406, 411, 413, 414, 415, 422, 429])

/**
 * Reports a valid request that does not reach its handler. Only a declared success, an error of the handler or status
 * 501 proves that the request was accepted.
 */
export function mustBeAccepted(answer: HttpAnswer | undefined, what: string, subject: Subject, probe: Probe): void {
  if (!answer || isAccepted(answer, subject)) return
  probe.find('routed', what, 'a declared success or an error of its handler', summaryOf(answer))
}

/**
 * Whether a response is an error that the operation declares, with the status of its code. Only the handler can raise a
 * declared error.
 */
export function isOwnError(answer: HttpAnswer, { document, operation }: Subject): boolean {
  const reason = errorOf(answer)?.reason
  if (reason === undefined || !operation.raises?.includes(reason)) return false
  const declared = document.errors.find(each => each.reason === reason)
  return statusOfRpc.get(declared?.rpc ?? '')?.[1] === answer.status
}

function isAccepted(answer: HttpAnswer, subject: Subject): boolean {
  const { isStrict, operation } = subject
  const { status } = answer
  if (status < 400) return matching(operation.successes, status) !== undefined
  if (status >= 500) return status === 501
  const error = errorOf(answer)
  if (isOwnError(answer, subject)) return true
  if (status === 401 || status === 403 || status === 405) return false
  if (error || isStrict) return error !== undefined && !notAccepted.has(error.reason)
  // Without a reason, a 404 for a path without parameters means that the path itself is unknown.
  if (status === 404 && operation.pathParts.length < 2) return false
  return !earlyStatuses.has(status) && matching(operation.failures, status) !== undefined
}

/**
 * Reports a valid request for an existing resource that does not succeed. Status 501 is not reported, because the
 * handler is absent.
 */
export function mustSucceed(answer: HttpAnswer | undefined, what: string, { operation }: Subject, probe: Probe): void {
  if (!answer || answer.status === 501) return
  const isSuccess = answer.status < 400 && matching(operation.successes, answer.status) !== undefined
  if (!isSuccess) probe.find('routed', what, 'a declared success', summaryOf(answer))
}

/** The expected refusal of a request with one fault. */
export interface Refusal {
  readonly reason: string
  /** The permitted field names of the violation. A fault of the whole body is named `body` or has no name. */
  readonly fields: readonly string[]
}

const refusingStatuses: ReadonlySet<number> = new Set([400, 415, 422])

/**
 * Reports a broken request that is not refused with the expected reason, or whose violations do not name the expected
 * fields. In a run that is not strict, a refusing status without other field names is enough.
 */
export function mustBeRefused(
  answer: HttpAnswer | undefined,
  what: string,
  refusal: Refusal,
  subject: Subject,
  probe: Probe,
): void {
  if (!answer || isRefused(answer, refusal, subject)) return
  const [field = ''] = refusal.fields
  const expected = subject.isStrict
    ? `400 ${refusal.reason} at ${JSON.stringify(field)}`
    : `400 at ${JSON.stringify(field)}`
  probe.find('refused', what, expected, summaryOf(answer))
}

function isRefused(answer: HttpAnswer, { fields, reason }: Refusal, { isStrict }: Subject): boolean {
  const error = errorOf(answer)
  const isNamed = error !== undefined && error.fields.length > 0 && error.fields.every(field => fields.includes(field))
  if (isStrict) return answer.status === 400 && error?.reason === reason && isNamed
  return refusingStatuses.has(answer.status) && (error === undefined || error.fields.length === 0 || isNamed)
}
