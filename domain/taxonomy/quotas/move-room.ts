import type { Transaction } from '../../ports/store.ts'
import { limitsAt, requireRoom } from './limits.ts'
import { scopesOf } from '../tree/locate.ts'
import type { TreePlace } from '../tree/places.ts'
import { countsNodes, lockTotal, subtreeUsage } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * Throws QUOTA_EXCEEDED if a limit above the new place, but not above the old place, has no room for the moved node
 * (taxonomy.md §4). The check runs after the move, because a taken name is reported before an exceeded quota. Rows are
 * locked in the order of the quotas.
 */
export async function requireMoveRoom(
  tx: Transaction,
  organisation: string,
  from: TreePlace,
  to: TreePlace,
  moved: Scope,
): Promise<void> {
  const known = new Set(from.ancestors.map(({ id }) => id))
  const entered = scopesOf(to).filter(({ id }) => !known.has(id))
  for (const [quota, limits] of await limitsAt(tx, entered)) {
    if (!countsNodes(quota)) await lockTotal(tx, quota, organisation)
    const amount = (await subtreeUsage(tx, quota, moved)) + (itself.get(quota) === moved.type ? 1 : 0)
    if (amount > 0) await requireRoom(tx, limits, { quota, amount, isCounted: true })
  }
}

/**
 * The types of the nodes that quotas count, keyed by quota. A moved node of the type counts as 1, in addition to the
 * usage of its descendants.
 */
const itself: ReadonlyMap<string, Scope['type']> = new Map([
  ['taxonomy.groups', 'GROUP'],
  ['taxonomy.workspaces', 'WORKSPACE'],
])
