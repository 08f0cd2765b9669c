import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Transaction } from '../../domain/ports/store.ts'
import type { Filter, FilterField } from '../../runtime/filter/types.ts'
import { activityTime, outbox } from '../audit/outbox.ts'
import { and, column, compareTime, firstRows } from './conditions.ts'
import { expireTime, rememberedKeys } from './idempotency.ts'
import type { PeriodicOptions, Turn } from './periodic.ts'
import type { OperationRecord } from './record.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Operations are kept at least 30 days (conventions §5); a year answers questions that come late. */
const operationsKeptMs = 365 * dayMs

/** Activities are kept 400 days (conventions §20), also where nothing takes them out of the outbox. */
const activitiesKeptMs = 400 * dayMs

/** Rows that one transaction deletes: others wait no longer than that. */
const batchSize = 100

const insertTime = column('insert_time', 'TIMESTAMP')
const endTime = column('end_time', 'TIMESTAMP')

/** How often old rows are looked for. */
const everyMs = 60 * 60 * 1000

type Operations = Collection<OperationRecord>

/** Deletes every hour what is kept long enough. */
export const sweeper = (clock: Clock, operations: readonly Operations[]): PeriodicOptions => ({
  name: 'ninefold.sweeper',
  everyMs,
  run: turn => sweep(turn, clock.now(), operations),
})

/** Deletes the keys that expired before `now`, the operations that ended a year ago, and activities nobody has fetched. */
export async function sweep(turn: Turn, now: number, operations: readonly Operations[]): Promise<void> {
  await deleteAll(turn, rememberedKeys, expireTime, compareTime(expireTime, '<', now))
  await deleteAll(turn, outbox, activityTime, compareTime(activityTime, '<', now - activitiesKeptMs))
  const limit = now - operationsKeptMs
  // The first comparison is the one that has an index; the second one spares what still runs.
  const isOld = and(compareTime(insertTime, '<', limit), compareTime(endTime, '<', limit))
  for (const collection of operations) await deleteAll(turn, collection, insertTime, isOld)
}

/** Deletes what fits, in the order of `field`, until nothing is left or the turn ends. */
async function deleteAll<T extends { readonly id: string }>(
  turn: Turn,
  collection: Collection<T>,
  field: FilterField,
  filter: Filter,
): Promise<void> {
  const query = firstRows(batchSize, filter, field, column(collection.id, 'STRING'))
  const deleteBatch = async (tx: Transaction): Promise<number> => {
    const { items } = await tx.page(collection, query)
    for (const { id, version } of items) await tx.delete(collection, id, version)
    return items.length
  }
  do turn.signal.throwIfAborted()
  while ((await turn.tx(deleteBatch)) === batchSize)
}
