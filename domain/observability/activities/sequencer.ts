import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Stored, Store, Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { outbox, type OutboxRow } from '../../resources/activity-outbox.ts'
import { activityCollection, chainCollection, type ActivityChain } from './activities-store.ts'
import { rowsInOrder } from './rows-in-order.ts'
import { chained, newChain } from './hash-chain.ts'
import { activityOf } from './sequenced-activity.ts'

/** The number of activities of one transaction, so that no call waits long for the thread or the store. */
const batchSize = 200

const oldest = rowsInOrder(batchSize, [['id', 'STRING']])

/**
 * Returns the worker that moves activities from the outbox to their chains (conventions §13), in the order of their
 * ids. An activity has its place within a second. A killed worker leaves whole batches only.
 */
export const sequencer = ({ store }: { readonly store: Pick<Store, 'page'> }): Worker => ({
  name: 'observability.sequencer',
  everyMs: 500,
  async run({ signal, tx }) {
    while (!signal.aborted && (await store.page(outbox, rowsInOrder(1, [['id', 'STRING']]))).items.length > 0) {
      await tx(moveBatch)
      await nextTurn()
    }
  },
})

/** Moves a batch of rows, and updates the ends of their chains. */
async function moveBatch(tx: Transaction): Promise<void> {
  const { items } = await tx.page(outbox, oldest)
  for (const [id, rows] of byChain(items)) {
    const known = await tx.lock(chainCollection, id)
    const { id: _id, ...last } = await appended(tx, known?.value ?? newChain(id), rows)
    if (known) await tx.update(chainCollection, id, { id, ...last }, known.version)
    else await tx.insert(chainCollection, { id, ...last })
  }
  for (const { id, version } of items) await tx.delete(outbox, id, version)
}

type Activities = ReturnType<typeof activityOf>[]

/** Returns the activities of rows by their chains, in one order of the chains, so that two batches cannot deadlock. */
function byChain(rows: readonly Stored<OutboxRow>[]): readonly (readonly [string, Activities])[] {
  const chains = Map.groupBy(
    rows.map(({ value }) => activityOf(value)),
    ({ chain_id }) => chain_id,
  )
  return [...chains].sort(([a], [b]) => (a < b ? -1 : 1))
}

async function appended(tx: Transaction, chain: ActivityChain, activities: Activities): Promise<ActivityChain> {
  let last = chain
  for (const each of activities) {
    const { hash, sequence, ...activity } = chained(each, last)
    await tx.insert(activityCollection, { ...activity, hash, sequence })
    last = { ...last, hash, sequence }
  }
  return last
}
