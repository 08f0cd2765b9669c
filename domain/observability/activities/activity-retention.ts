import type { Clock } from '../../ports/clock.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { activityCollection, chainCollection } from './activities-store.ts'
import { chainOrder, rowsInOrder } from './rows-in-order.ts'

/** The time for which activities are kept, in milliseconds: 400 days (conventions §20). */
const keptMs = 400 * 86_400_000

/** The number of activities that one transaction deletes. */
const batchSize = 100

/** Returns the worker that deletes activities after 400 days, from the beginning of each chain on. */
export const activityRetention = ({ clock, store }: { readonly clock: Clock; readonly store: Store }): Worker => ({
  name: 'observability.activityRetention',
  everyMs: 3_600_000,
  async run({ signal, tx }) {
    const before = clock.now() - keptMs
    for await (const { id } of store.each(chainCollection))
      while (!signal.aborted && !(await tx(each => deleteOldest(each, id, before))));
  },
})

/**
 * Deletes a batch of the activities of a chain from before a time in milliseconds since 1970, and moves the beginning
 * of the chain. Returns whether none is left.
 */
async function deleteOldest(tx: Transaction, id: string, before: number): Promise<boolean> {
  const chain = await tx.lock(chainCollection, id)
  if (!chain) return true
  const { items } = await tx.page(activityCollection, rowsInOrder(batchSize, chainOrder), { chain_id: id })
  const kept = items.findIndex(({ value }) => Date.parse(value.time) >= before)
  const old = kept < 0 ? items : items.slice(0, kept)
  const last = old.at(-1)
  if (!last) return true
  for (const { id: activity, version } of old) await tx.delete(activityCollection, activity, version)
  const beginning = { first_sequence: last.value.sequence + 1, first_previous_hash: last.value.hash }
  await tx.update(chainCollection, id, { ...chain.value, ...beginning }, chain.version)
  return old.length < batchSize
}
