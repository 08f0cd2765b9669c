import type { CallContext } from '../../../runtime/context.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** Returns the activity of a redeemed capsule. */
export const redeemActivity = (
  context: CallContext,
  { id, workspace_id }: { readonly id: string; readonly workspace_id: string },
): Activity => ({
  ...calledBy(context),
  category: 'DATA_READ',
  resourceType: 'vault.capsules',
  resourceId: id,
  scope: workspaceScope(workspace_id),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
