// Copied by ninefold. Do not edit: generate writes it again.

import type { ListQuery } from './pagination.ts'

/** Who makes a call. `id` is the principal's UUIDv7. */
export interface Principal {
  readonly id: string
  readonly kind: 'user' | 'service_account' | 'system'
  /** The session that the token of the call belongs to. */
  readonly sessionId?: string | undefined
}

/** The operation that is called, as audit names it. */
export interface CalledOperation {
  readonly area: string
  readonly operationId: string
  /** The key that it needs; empty when it needs none. */
  readonly permission: string
}

/** What a handler knows of the call besides its request. One object a call, never shared between calls. */
export interface CallContext {
  /** Absent on public operations. */
  readonly principal: Principal | undefined
  /** Absent where no route led to the call. */
  readonly operation?: CalledOperation | undefined
  readonly method: string
  /** The raw path as it was sent, without the query. */
  readonly path: string
  readonly requestId: string
  /** W3C trace id, 32 hex digits: the caller's when it sent a valid `traceparent`, else a new one. */
  readonly traceId: string
  /** The header `Idempotency-Key`, already checked for form. */
  readonly idempotencyKey: string | undefined
  /** The address of the caller as the host knows it. */
  readonly clientAddress: string
  /** What the caller calls itself, as it was sent. */
  readonly userAgent?: string | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  /** What the door has read for its decision, where that spares the handler a read. */
  readonly handedOn?: object | undefined
  /** One reading of the clock for the whole call, milliseconds since 1970. */
  readonly now: number
}

/** The context of a list operation: its parameters parsed, checked and, for the token, verified. */
export interface ListContext extends CallContext {
  readonly query: ListQuery
}

/** Lower-case hex, neither id zero, version not `ff`. */
const validParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The trace of a call that came with this `traceparent` (W3C Trace Context): its id, 32 hex digits, is the caller's when
 * that is valid, else new. `traceparent` is the header of the answer: the same trace, the span of this call, not sampled.
 */
export function traceOf(parent: string | undefined): Readonly<Record<'traceId' | 'traceparent', string>> {
  const random = crypto.randomUUID().replaceAll('-', '')
  const traceId = (parent !== undefined && validParent.exec(parent)?.[1]) || random
  return { traceId, traceparent: `00-${traceId}-${random.slice(16)}-00` }
}
