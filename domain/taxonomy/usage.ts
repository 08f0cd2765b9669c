import type { Scope } from '../ports/operations.ts'
import type { Collection, Reader, Where } from '../ports/store.ts'
import { groups, type TreeNode, workspaces } from './nodes.ts'

/** What one workspace uses of one quota; usage of a subtree is their sum, so a move needs no recount. */
export interface QuotaUsage {
  /** `<quota>/<workspace id>`. */
  readonly id: string
  readonly quota_id: string
  readonly workspace_id: string
  readonly organisation_id: string
  readonly amount: number
}

export const quotaUsages: Collection<QuotaUsage> = {
  name: 'taxonomy_quota_usages',
  id: 'id',
  columns: { quota_id: 'STRING', workspace_id: 'STRING', organisation_id: 'STRING', amount: 'INTEGER' },
  indexes: [
    ['quota_id', 'organisation_id'],
    ['quota_id', 'workspace_id'],
  ],
}

const counted: ReadonlyMap<string, Collection<TreeNode>> = new Map([
  ['taxonomy.groups', groups],
  ['taxonomy.workspaces', workspaces],
])

/** What the subtree of an organisation or workspace uses of a quota now. The scope itself does not count. */
export async function usageOf(reader: Reader, quota: string, scope: Scope): Promise<number> {
  const within: Where = scope.type === 'ORGANISATION' ? { organisation_id: scope.id } : { workspace_id: scope.id }
  const nodes = counted.get(quota)
  if (!nodes) return reader.sum(quotaUsages, 'amount', { quota_id: quota, ...within })
  return scope.type === 'ORGANISATION' ? reader.count(nodes, within) : 0
}
