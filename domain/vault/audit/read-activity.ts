import type { CallContext } from '../../../runtime/context.ts'
import { calledBy, calledBySystem, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** Returns the activity of a read payload; `version` is the row id of the version. */
export const readActivity = (context: CallContext | undefined, version: string, workspace: string): Activity => ({
  ...(context ? calledBy(context) : calledBySystem('vault', 'readSecret')),
  category: 'DATA_READ',
  resourceType: 'vault.secretVersions',
  resourceId: version,
  scope: workspaceScope(workspace),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
