import type { ListQuery } from './pagination.ts'

/** The caller. `id` is the principal's UUIDv7. */
export interface Principal {
  readonly id: string
  readonly kind: 'user' | 'service_account' | 'system'
  /** The session of the call's token. */
  readonly sessionId?: string | undefined
}

/** The called operation, as the audit names it. */
export interface CalledOperation {
  readonly area: string
  readonly operationId: string
  /** The permission that the operation needs; empty if the operation needs no permission. */
  readonly permission: string
}

/** The facts of a call that are neither its parameters nor its body. Each call has its own object. */
export interface CallContext {
  /** The authenticated caller; absent if the operation is public, or accepts a call without a token. */
  readonly principal: Principal | undefined
  /** The called operation; absent if no route matched. */
  readonly operation?: CalledOperation | undefined
  readonly method: string
  /** The encoded path as the caller sent it, without the query. */
  readonly path: string
  readonly requestId: string
  /** The W3C trace id of 32 hex digits: the caller's, if it sent a valid `traceparent`, otherwise a new id. */
  readonly traceId: string
  /**
   * The value of the header `Idempotency-Key`; undefined if it is absent or malformed, or if the operation ignores the
   * header.
   */
  readonly idempotencyKey: string | undefined
  /** The address of the caller, as the host of the runtime reports the address. */
  readonly clientAddress: string
  /** The value of the header `User-Agent` as the caller sent it. */
  readonly userAgent?: string | undefined
  /** The value of the header `Accept` as the caller sent it. */
  readonly accept?: string | undefined
  /** The signal that aborts when the caller disconnects. */
  readonly signal: AbortSignal
  /** The row that the authorization has read, so that the handler need not read the row again. */
  readonly handedOn?: object | undefined
  /** The time of the call, in milliseconds since 1970; all steps of the call use the same time. */
  readonly now: number
}

/**
 * The context of a list operation. `query` has the parsed and checked parameters of the list, and the position in its
 * verified page token.
 */
export interface ListContext extends CallContext {
  readonly query: ListQuery
}

/** Matches a valid `traceparent`: lower-case hex, no id of zeros only, and a version other than `ff`. */
const validParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Returns the trace of a call with this `traceparent` (W3C Trace Context). `traceId` has 32 hex digits: the caller's
 * trace id if the header is valid, otherwise a new id. The returned `traceparent` is the header of the answer: the same
 * trace, the span of this call, not sampled.
 */
export function traceOf(parent: string | undefined): Readonly<Record<'traceId' | 'traceparent', string>> {
  const digits = crypto.randomUUID().replaceAll('-', '')
  const traceId = validParent.exec(parent ?? '')?.[1] ?? digits
  return { traceId, traceparent: `00-${traceId}-${digits.slice(16)}-00` }
}
