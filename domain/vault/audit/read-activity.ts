import type { CallContext } from '../../../runtime/context.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** The caller of work that no call has requested. */
const platformItself = {
  area: 'vault',
  action: 'readSecret',
  permission: '',
  principalId: systemPrincipalId,
  principalKind: 'SYSTEM',
  traceId: '',
  requestId: '',
  clientAddress: '',
} as const

/** Returns the activity of a read payload; `version` is the row id of the version. */
export const readActivity = (context: CallContext | undefined, version: string, workspace: string): Activity => ({
  ...(context ? calledBy(context) : platformItself),
  category: 'DATA_READ',
  resourceType: 'vault.secretVersions',
  resourceId: version,
  scope: workspaceScope(workspace),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
