import type { AreaFacts } from '../../ports/inspection.ts'
import type { Collection, Reader, Transaction } from '../../ports/store.ts'
import { trees, workspaces } from '../tree/nodes.ts'
import { groupsIn } from '../tree/places.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The usage of one quota by one workspace. The usage of a group is summed over its workspaces at each read, so the move
 * of a group changes no stored usage (taxonomy.md §4).
 */
export interface QuotaUsage {
  /** The id in the form `<quota>/<workspace id>`. */
  readonly id: string
  readonly quota_id: string
  readonly workspace_id: string
  readonly organisation_id: string
  /** The id of the workspace's parent group; empty if the parent is the organisation. */
  readonly parent_group_id: string
  readonly amount: number
}

/** The usages of all workspaces. */
export const quotaUsages: Collection<QuotaUsage> = {
  name: 'taxonomy_quota_usages',
  id: 'id',
  columns: { quota_id: 'STRING', workspace_id: 'STRING', parent_group_id: 'STRING', amount: 'INTEGER' },
  indexes: [['quota_id', 'parent_group_id'], ['workspace_id']],
}

/** The usage of one quota by an organisation. Every change of a usage locks this row, so that no change is lost. */
export interface QuotaTotal {
  /** The id in the form `<quota>/<organisation id>`. */
  readonly id: string
  readonly quota_id: string
  readonly organisation_id: string
  readonly amount: number
}

/** The totals of all organisations. */
export const quotaTotals: Collection<QuotaTotal> = {
  name: 'taxonomy_quota_totals',
  id: 'id',
  columns: { organisation_id: 'STRING' },
  indexes: [['organisation_id']],
}

/** The usages for the checkers of other areas. */
export const usageFacts: AreaFacts['taxonomy'] = {
  async *usages(reader, quota_id) {
    for await (const { value } of reader.each(quotaUsages, { quota_id })) yield [value.workspace_id, value.amount]
  },
}

/** Returns the id of the usage of a quota by a workspace, or of the total of a quota in an organisation. */
export const usageId = (quota: string, node: string): string => `${quota}/${node}`

/**
 * Returns the usage of a quota in the subtree of an organisation, group or workspace. A quota of nodes does not count
 * the node of the scope itself.
 */
export async function subtreeUsage(reader: Reader, quota: string, scope: Scope): Promise<number> {
  const counted = treeCounts.get(quota)
  if (counted) return counted(reader, scope)
  switch (scope.type) {
    case 'PLATFORM':
      return 0
    case 'ORGANISATION':
      return (await reader.get(quotaTotals, usageId(quota, scope.id)))?.value.amount ?? 0
    case 'GROUP':
      return reader.sum(quotaUsages, 'amount', { quota_id: quota, parent_group_id: await parentsIn(reader, scope.id) })
    case 'WORKSPACE':
      return (await reader.get(quotaUsages, usageId(quota, scope.id)))?.value.amount ?? 0
  }
}

type Count = (reader: Reader, scope: Scope) => Promise<number>

/**
 * The functions that count the usage of quotas of nodes, keyed by quota. The usage of these quotas is counted from the
 * nodes of the tree and never stored.
 */
const treeCounts: ReadonlyMap<string, Count> = new Map<string, Count>([
  [
    'taxonomy.groups',
    async (reader, { id, type }) => {
      if (type === 'ORGANISATION') return (await reader.get(trees, id))?.value.group_count ?? 0
      return type === 'GROUP' ? Math.max(0, (await parentsIn(reader, id)).length - 1) : 0
    },
  ],
  [
    'taxonomy.workspaces',
    async (reader, { id, type }) => {
      if (type === 'ORGANISATION') return (await reader.get(trees, id))?.value.workspace_count ?? 0
      return type === 'GROUP' ? workspacesIn(reader, id) : 0
    },
  ],
])

/**
 * Returns whether a quota counts nodes of the tree. At a workspace, which has no nodes below it, such a quota has no
 * effect.
 */
export const countsNodes = (quota: string): boolean => treeCounts.has(quota)

async function workspacesIn(reader: Reader, group: string): Promise<number> {
  const found = await groupsIn(reader, [group])
  const [organisation_id = ''] = found.map(each => each.organisation_id)
  return reader.count(workspaces, { organisation_id, parent_group_id: found.map(({ id }) => id) })
}

/** Returns the ids of the groups at and below a group. */
const parentsIn = async (reader: Reader, group: string): Promise<readonly string[]> =>
  (await groupsIn(reader, [group])).map(({ id }) => id)

/** Locks the total of a quota in an organisation; creates the row at its first use. */
export async function lockTotal(tx: Transaction, quota: string, organisation: string) {
  const id = usageId(quota, organisation)
  const fresh: QuotaTotal = { id, quota_id: quota, organisation_id: organisation, amount: 0 }
  return (await tx.lock(quotaTotals, id)) ?? tx.insert(quotaTotals, fresh)
}

/** Deletes the usages of a deleted workspace; a later purge then returns nothing to the quotas. */
export async function endUsage(tx: Transaction, organisation: string, workspace: string): Promise<void> {
  for await (const { id, value, version } of tx.each(quotaUsages, { workspace_id: workspace })) {
    const total = await lockTotal(tx, value.quota_id, organisation)
    await tx.update(quotaTotals, total.id, { ...total.value, amount: total.value.amount - value.amount }, total.version)
    await tx.delete(quotaUsages, id, version)
  }
}

/** Moves the usages of a workspace to another parent. */
export async function moveUsage(tx: Transaction, workspace: string, parent: string): Promise<void> {
  for await (const { id, value, version } of tx.each(quotaUsages, { workspace_id: workspace })) {
    await tx.update(quotaUsages, id, { ...value, parent_group_id: parent }, version)
  }
}

/** Deletes the totals of a deleted organisation. */
export async function endTotals(tx: Transaction, organisation: string): Promise<void> {
  for await (const { id, version } of tx.each(quotaTotals, { organisation_id: organisation })) {
    await tx.delete(quotaTotals, id, version)
  }
}
