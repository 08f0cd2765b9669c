import type { CallContext } from '../runtime/context.ts'

/** The context of a call that nobody has made, but for what matters to a test. Each is another one. */
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
