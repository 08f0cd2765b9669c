import type { CallContext } from '../../../runtime/context.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'

/** Returns the context of a push or deletion by the platform itself, at a time in milliseconds since 1970. */
export const systemContext = (now: number, signal: AbortSignal): CallContext => ({
  principal: { id: systemPrincipalId, kind: 'system' },
  method: '',
  path: '',
  requestId: '',
  traceId: '',
  idempotencyKey: undefined,
  clientAddress: '',
  signal,
  now,
})
