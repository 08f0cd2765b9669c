import { calledBy, type Activity } from '../../domain/ports/audit.ts'
import type { Effect } from '../../domain/ports/operations.ts'
import { systemPrincipalId } from '../../domain/ports/reserved.ts'
import type { CallContext } from '../../runtime/context.ts'

/** The members of an activity for work that no call has caused. */
const platform = {
  permission: '',
  principalId: systemPrincipalId,
  principalKind: 'SYSTEM',
  traceId: '',
  requestId: '',
  clientAddress: '',
} as const

/** Returns the activity of a mutation; without a context, the platform itself is the caller. */
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
