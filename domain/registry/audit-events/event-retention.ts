import type { Transaction } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { eventCollection } from './events-store.ts'

/** The time for which audit events are kept, in milliseconds: 90 days (conventions §20). */
const keptMs = 90 * 86_400_000

/** The number of events that one transaction deletes. */
const batchSize = 100

const oldestFirst = [
  { field: { name: 'time', type: 'TIMESTAMP', operators: [], sortable: true }, descending: false },
  { field: { name: 'id', type: 'STRING', operators: [], sortable: true }, descending: false },
] as const

/** Returns the worker that deletes audit events after 90 days. */
export const eventRetention = ({ clock }: RegistryEnvironment): Worker => ({
  name: 'registry.auditRetention',
  everyMs: 3_600_000,
  async run({ signal, tx }) {
    const before = clock.now() - keptMs
    while (!signal.aborted && !(await tx(each => deleteEvents(each, before))));
  },
})

/** Deletes a batch of the events from before a time in milliseconds since 1970. Returns whether none is left. */
async function deleteEvents(tx: Transaction, before: number): Promise<boolean> {
  const filter = timeFilter('time', '<=', before)
  const query = { size: batchSize, filter, order: oldestFirst, after: undefined, now: before }
  const { items } = await tx.page(eventCollection, query)
  for (const { id, version } of items) await tx.delete(eventCollection, id, version)
  return items.length < batchSize
}
