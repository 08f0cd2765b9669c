import type { CallContext } from '../runtime/context.ts'

/** Makes the context of a call with default members, except those that a test sets. Each is another one. */
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
