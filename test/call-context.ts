import type { CallContext } from '../runtime/context.ts'

/** Returns a new context of a call: default members, replaced by the members that a test sets. */
export const callContext = (own: Partial<CallContext> = {}): CallContext => ({
  principal: undefined,
  method: 'GET',
  path: '/',
  requestId: '',
  traceId: '',
  idempotencyKey: undefined,
  clientAddress: '',
  signal: new AbortController().signal,
  now: 0,
  ...own,
})
