import type { Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { outbox } from '../../resources/activity-outbox.ts'
import type { Resolve } from '../../resources/look-up.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { activityCollection, chainCollection, type ActivityChain } from './activities-store.ts'
import { rowsInOrder } from './rows-in-order.ts'
import { chained, newChain, type UnchainedActivity } from './hash-chain.ts'
import { withNames } from './resource-names.ts'
import { activityOf } from './sequenced-activity.ts'

/** The number of activities of one transaction, so that no call waits long for the thread or the store. */
const batchSize = 20

const oldest = rowsInOrder(batchSize, [['id', 'STRING']])

/**
 * Returns the worker that moves activities from the outbox to their chains (conventions §13), in the order of their
 * ids. An activity has its place within a second. A killed worker leaves whole batches only.
 */
export const sequencer = ({ resolve, store }: ObservabilityEnvironment): Worker => ({
  name: 'observability.sequencer',
  everyMs: 500,
  async run({ signal, tx }) {
    while (!signal.aborted && (await store.page(outbox, rowsInOrder(1, [['id', 'STRING']]))).items.length > 0) {
      await tx(each => moveBatch(each, resolve))
      await nextTurn()
    }
  },
})

/** Moves a batch of rows, and updates the ends of their chains. */
async function moveBatch(tx: Transaction, resolve: Resolve): Promise<void> {
  const { items } = await tx.page(outbox, oldest)
  const named = await withNames(
    tx,
    resolve,
    items.map(({ value }) => activityOf(value)),
  )
  for (const [id, activities] of byChain(named)) {
    const known = await tx.lock(chainCollection, id)
    const chain = await appended(tx, known?.value ?? newChain(id), activities)
    if (known) await tx.update(chainCollection, id, chain, known.version)
    else await tx.insert(chainCollection, chain)
  }
  for (const { id, version } of items) await tx.delete(outbox, id, version)
}

type Activities = readonly UnchainedActivity[]

/** Returns activities by their chains, in one order of the chains, so that two batches cannot deadlock. */
const byChain = (activities: Activities): readonly (readonly [string, Activities])[] =>
  [...Map.groupBy(activities, ({ chain_id }) => chain_id)].sort(([a], [b]) => (a < b ? -1 : 1))

/** Inserts activities after the last activity of a chain; returns the chain with its new end. */
async function appended(tx: Transaction, chain: ActivityChain, activities: Activities): Promise<ActivityChain> {
  let { hash, sequence } = chain
  for (const each of activities) {
    const activity = chained(each, { hash, sequence })
    await tx.insert(activityCollection, activity)
    ;({ hash, sequence } = activity)
  }
  return { ...chain, hash, sequence }
}
