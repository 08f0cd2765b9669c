// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, commonReasons, rpcCodes, stubReason, toStatus } from './errors.ts'
import type { ErrorDomain, Route } from './route.ts'
import type { WireAnswer } from './wire.ts'

/** Replaces the answers of errors: `answer` is what would be sent, google.rpc.Status as JSON. Must not throw. */
export type RenderError = (answer: WireAnswer, error: ApiError) => WireAnswer

/** Reasons up to here are the common block's, which every operation may raise (conventions §7). */
const commonCodes = 999

/** Whose errors come from the door, before an operation is reached (conventions §7). */
const doorDomain = 'iam'

/**
 * The error that the caller is told: what was thrown, when the operation declares it, else INTERNAL, which tells
 * nothing but where to look in the log.
 */
export function toldError(thrown: unknown, route: Route<unknown, unknown> | undefined, traceId: string): ApiError {
  if (thrown instanceof ApiError && isDeclared(thrown, route)) return thrown
  return new ApiError(commonReasons.INTERNAL, `internal error; it is recorded under trace ${traceId}`)
}

function isDeclared({ reason, code, domain }: ApiError, route: Route<unknown, unknown> | undefined): boolean {
  if (route?.raises === undefined || domain?.name === doorDomain || reason === stubReason.reason) return true
  if (code !== undefined && code <= commonCodes) return true
  return route.raises.includes(reason) || (domain !== undefined && route.raises.includes(`${domain.name}.${reason}`))
}

/** An error as it goes over the wire; `called` is the domain of the operation that was called. */
export function errorAnswer(
  error: ApiError,
  called: ErrorDomain,
  render: RenderError = answer => answer,
  status: number = rpcCodes[error.rpc],
): WireAnswer {
  const { retryAfterSeconds } = error.details
  const answer = {
    status,
    headers: {
      'content-type': 'application/json',
      ...(error.rpc === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    },
    body: JSON.stringify(toStatus(error, called)),
  }
  return render(answer, error)
}
