import { calledBy, type Activity } from '../../ports/audit.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'

/** Returns the activity of a change of the manifests of a repository over the plane (conventions §13). */
export const manifestActivity = (
  context: CallContext,
  { id, workspace_id }: StoredRepository,
  digest: string,
  action: 'pushManifest' | 'deleteManifest',
): Activity => ({
  ...calledBy(context),
  area: 'registry',
  action,
  permission: action === 'pushManifest' ? 'registry.artifacts.push' : 'registry.artifacts.delete',
  category: 'DATA_WRITE',
  resourceType: 'registry.artifacts',
  resourceId: `${id}/${digest}`,
  scope: workspaceScope(workspace_id),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
