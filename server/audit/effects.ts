import { calledBy, type Activity } from '../../domain/ports/audit.ts'
import type { Effect } from '../../domain/ports/operations.ts'
import { systemPrincipalId } from '../../domain/ports/reserved.ts'
import type { CallContext } from '../../runtime/context.ts'

/** Who acts when nobody has called. */
const platform = {
  permission: '',
  principalId: systemPrincipalId,
  principalKind: 'SYSTEM',
  traceId: '',
  requestId: '',
  clientAddress: '',
} as const

/** The activity of a mutation of an area; without a context it was the platform's own. */
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
