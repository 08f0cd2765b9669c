import { platform } from '../../ports/access.ts'
import type { Activity } from '../../ports/audit.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import { workspaceScope } from '../../resources/kind.ts'

/** A stored item that is not authentic, or a stored key. */
export interface CorruptItem {
  /** The type and the name of the resource to which the item belongs; absent for data of the platform. */
  readonly resource: { readonly type: string; readonly name: string } | undefined
  /** The id of the workspace; undefined for data of the platform. */
  readonly workspace: string | undefined
}

/**
 * Returns the activity that warns of a stored item that was altered, or copied from another place (vault.md 4.1). The
 * activity has no caller: the caller of the present call only reads the item, and somebody else has altered the item.
 */
export const corruptActivity = ({ resource, workspace }: CorruptItem): Activity => ({
  category: 'SYSTEM',
  area: 'vault',
  action: 'vault.items.corrupt',
  permission: '',
  resourceType: resource?.type ?? '',
  resourceId: resource?.name ?? '',
  scope: workspace === undefined ? platform : workspaceScope(workspace),
  principalId: systemPrincipalId,
  principalKind: 'SYSTEM',
  outcome: 'FAILED',
  rpc: 'DATA_LOSS',
  reason: 'STORED_DATA_CORRUPT',
  changedFields: [],
  operationId: '',
  traceId: '',
  requestId: '',
  clientAddress: '',
})
