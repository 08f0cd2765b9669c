import type { Transaction } from '../../ports/store.ts'
import { limitsAt, requireRoom } from './limits.ts'
import { scopesOf } from '../tree/locate.ts'
import type { Place } from '../tree/places.ts'
import { countsNodes, lockTotal, usageOf } from './usage.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * Throws QUOTA_EXCEEDED when a limit above the new place, that is not above the old one, has no room for what has moved
 * in this transaction (taxonomy.md §4): after the move, as a taken name is refused before a quota is. Rows are locked in
 * the order of the quotas.
 */
export async function requireMoveRoom(
  tx: Transaction,
  organisation: string,
  from: Place,
  to: Place,
  moved: Scope,
): Promise<void> {
  const known = new Set(from.ancestors.map(({ id }) => id))
  const entered = scopesOf(to).filter(({ id }) => !known.has(id))
  for (const [quota, limits] of await limitsAt(tx, entered)) {
    if (!countsNodes(quota)) await lockTotal(tx, quota, organisation)
    const amount = (await usageOf(tx, quota, moved)) + (itself.get(quota) === moved.type ? 1 : 0)
    if (amount > 0) await requireRoom(tx, limits, { quota, amount, isCounted: true })
  }
}

/** What a moved node brings along besides what is below it: itself. */
const itself: ReadonlyMap<string, Scope['type']> = new Map([
  ['taxonomy.groups', 'GROUP'],
  ['taxonomy.workspaces', 'WORKSPACE'],
])
