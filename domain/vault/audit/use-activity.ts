import type { CallContext } from '../../../runtime/context.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** Returns the activity of a use of key material; the version is named by its row id. */
export const useActivity = (
  context: CallContext,
  { row_id, workspace_id }: { readonly row_id: string; readonly workspace_id: string },
): Activity => ({
  ...calledBy(context),
  category: 'DATA_READ',
  resourceType: 'vault.cryptoKeyVersions',
  resourceId: row_id,
  scope: workspaceScope(workspace_id),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
