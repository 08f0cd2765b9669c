import type { Clock } from '../../ports/clock.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import { rowsInOrder } from '../activities/rows-in-order.ts'
import { byEnd, silenceCollection } from './silences-store.ts'
import { forgottenSince } from './state-at.ts'

/** The number of silences that one transaction deletes. */
const batchSize = 100

/** Returns the worker that deletes the rows of silences that cannot be read any more. */
export const silenceRetention = ({ clock }: { readonly clock: Clock }): Worker => ({
  name: 'observability.silences',
  everyMs: 600_000,
  async run({ signal, tx }) {
    while (!signal.aborted && (await tx(each => deleteForgotten(each, clock.now()))) === batchSize);
  },
})

/** Deletes a batch of silences, and returns their number. */
async function deleteForgotten(tx: Transaction, now: number): Promise<number> {
  const filter = timeFilter('end_time', '<=', forgottenSince(now))
  const { items } = await tx.page(silenceCollection, { ...rowsInOrder(batchSize, byEnd), filter })
  for (const { id, version } of items) await tx.delete(silenceCollection, id, version)
  return items.length
}
