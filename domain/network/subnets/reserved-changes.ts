import type { Transaction } from '../../ports/store.ts'
import { planOf } from './address-plan.ts'
import { sorted, without } from './address-ranges.ts'
import { applyReserved } from './free-range-rows.ts'
import type { StoredSubnet } from './subnets-store.ts'

/**
 * Moves the free addresses of a subnet between the sides of its reserved ranges, in a transaction that has locked the
 * subnet. Returns the growth of `available_addresses`.
 */
export async function changeReserved(tx: Transaction, before: StoredSubnet, after: StoredSubnet): Promise<number> {
  const [old, next] = [planOf(before).reserved, planOf(after).reserved]
  const moved = sorted([...without(old, next), ...without(next, old)])
  const [lowest, highest] = [moved[0], moved.at(-1)]
  if (!lowest || !highest) return 0
  return applyReserved(tx, before.id, { first: lowest.first, last: highest.last }, next)
}
