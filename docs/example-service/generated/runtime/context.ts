// Copied by ninefold. Do not edit: generate writes it again.

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
  /** The permission that it needs; empty if it needs none. */
  readonly permission: string
}

/** The facts of a call beside its request. Each call has an object of its own. */
export interface CallContext {
  /** Absent on public operations. */
  readonly principal: Principal | undefined
  /** Absent if no route matched. */
  readonly operation?: CalledOperation | undefined
  readonly method: string
  /** The raw path as it was sent, without the query. */
  readonly path: string
  readonly requestId: string
  /** The W3C trace id of 32 hex digits: the caller's, if it sent a valid `traceparent`, otherwise a new id. */
  readonly traceId: string
  /** The header `Idempotency-Key`, if its form is valid. */
  readonly idempotencyKey: string | undefined
  /** The address of the caller, from the host. */
  readonly clientAddress: string
  /** The header `User-Agent`, as it was sent. */
  readonly userAgent?: string | undefined
  /** Aborted if the caller disconnects. */
  readonly signal: AbortSignal
  /** The row that the door has read for its decision, so that the handler need not read it again. */
  readonly handedOn?: object | undefined
  /** The time of the whole call, in milliseconds since 1970. */
  readonly now: number
}

/** The context of a list operation: its parameters are parsed and checked, and its token is verified. */
export interface ListContext extends CallContext {
  readonly query: ListQuery
}

/** Lower-case hex, neither id zero, version not `ff`. */
const validParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Returns the trace of a call with this `traceparent` (W3C Trace Context). Its id, 32 hex digits, is the caller's if
 * that is valid, otherwise new. `traceparent` is the header of the answer: the same trace, the span of this call, not
 * sampled.
 */
export function traceOf(parent: string | undefined): Readonly<Record<'traceId' | 'traceparent', string>> {
  const random = crypto.randomUUID().replaceAll('-', '')
  const traceId = (parent !== undefined && validParent.exec(parent)?.[1]) || random
  return { traceId, traceparent: `00-${traceId}-${random.slice(16)}-00` }
}
