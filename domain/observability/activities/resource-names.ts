import type { Transaction } from '../../ports/store.ts'
import type { Resolve } from '../../resources/look-up.ts'
import { activityCollection } from './activities-store.ts'
import type { UnchainedActivity } from './hash-chain.ts'
import { rowsInOrder } from './rows-in-order.ts'

/**
 * Returns activities with the names of their resources: the present name, or for a deleted resource the name in its
 * latest activity. Each resource is looked up once.
 */
export async function withNames(
  tx: Transaction,
  resolve: Resolve,
  activities: readonly UnchainedActivity[],
): Promise<readonly UnchainedActivity[]> {
  const names = new Map<string, string>()
  for (const { resource_id: id, resource_type: type } of activities) {
    if (id === '' || names.has(`${type} ${id}`)) continue
    const resource = await resolve(tx, type, id)
    names.set(`${type} ${id}`, resource?.name ?? (await lastName(tx, type, id)))
  }
  return activities.map(each => ({
    ...each,
    resource_name: names.get(`${each.resource_type} ${each.resource_id}`) ?? '',
  }))
}

const latest = rowsInOrder(1, [
  ['time', 'TIMESTAMP'],
  ['id', 'STRING'],
]).order.map(key => ({ ...key, descending: true }))

/** Returns the name of a resource in its latest activity; empty if there is none. */
async function lastName(tx: Transaction, type: string, id: string): Promise<string> {
  const query = { ...rowsInOrder(1, []), order: latest }
  const { items } = await tx.page(activityCollection, query, { resource_id: id, resource_type: type })
  return items[0]?.value.resource_name ?? ''
}
