import { calledBy, type Activity } from '../../domain/ports/audit.ts'
import type { Effect } from '../../domain/ports/operations.ts'
import { systemPrincipalId } from '../../domain/ports/reserved.ts'
import type { CallContext } from '../../runtime/context.ts'

/** The caller of work without a call. */
const platform = {
  permission: '',
  principalId: systemPrincipalId,
  principalKind: 'SYSTEM',
  traceId: '',
  requestId: '',
  clientAddress: '',
} as const

/** Makes the activity of a mutation; without a context it belongs to the platform itself. */
export function effectActivity(
  area: string,
  operationId: string,
  effect: Effect,
  context: CallContext | undefined,
): Activity {
  const caller = context === undefined ? { ...platform, action: `${area}.${effect.type}` } : calledBy(context)
  return {
    ...caller,
    category: caller.principalKind === 'SYSTEM' ? 'SYSTEM' : 'ADMIN_WRITE',
    area,
    resourceType: effect.resourceType,
    resourceId: effect.resourceId,
    scope: effect.scope,
    chain: effect.chain,
    outcome: 'SUCCEEDED',
    reason: '',
    changedFields: effect.changed ?? [],
    operationId,
  }
}
