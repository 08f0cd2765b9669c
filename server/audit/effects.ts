import { calledBy, calledBySystem, type Activity } from '../../domain/ports/audit.ts'
import type { Effect } from '../../domain/ports/operations.ts'
import type { CallContext } from '../../runtime/context.ts'

/** Returns the activity of a mutation; without a context, the platform itself is the caller. */
export function effectActivity(
  area: string,
  operationId: string,
  effect: Effect,
  context: CallContext | undefined,
): Activity {
  const caller = context === undefined ? calledBySystem(area, `${area}.${effect.type}`) : calledBy(context)
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
    ...(effect.count !== undefined && { count: effect.count }),
  }
}
