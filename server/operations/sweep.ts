import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Transaction } from '../../domain/ports/store.ts'
import type { Filter, FilterField } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { outbox } from '../../domain/resources/activity-outbox.ts'
import { activityTime } from '../audit/outbox.ts'
import { and, column, compareTime, firstRows } from '../store/row-filters.ts'
import { expireTime, rememberedKeys } from './idempotency.ts'
import type { Turn, Worker } from '../../domain/ports/workers.ts'
import type { StoredOperation } from './record.ts'

/** A day in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000

/** The retention times, in milliseconds. */
export interface Retention {
  /** The retention of operations, from their end on. */
  readonly operationsMs: number
  /** The retention of activities, even if no reader takes them out of the outbox. */
  readonly activitiesMs: number
}

/** The default retention: 30 days for operations (conventions §5), 400 days for activities (conventions §20). */
export const retention: Retention = { operationsMs: 30 * dayMs, activitiesMs: 400 * dayMs }

/** The number of rows that one transaction deletes, so that other work need not wait long. */
const batchSize = 100

/** The column with the start of an operation. Operations are listed by this column, so it has an index. */
export const insertTime = column('insert_time', 'TIMESTAMP')
const endTime = column('end_time', 'TIMESTAMP')

/** The interval of the sweep, in milliseconds. */
const everyMs = 60 * 60 * 1000

type OperationRows = Collection<StoredOperation>

/** Returns the worker that runs `sweep` every hour. */
export const sweeper = (clock: Clock, operations: readonly OperationRows[], kept: Partial<Retention> = {}): Worker => ({
  name: 'ninefold.sweeper',
  everyMs,
  run: turn => sweep(turn, clock.now(), operations, kept),
})

/**
 * The time for which keys are kept after their expiry, in milliseconds. A call may begin while its key is valid, and be
 * admitted to its recorded answer without an authorization. The call must still find the key later.
 */
const spareMs = 60 * 60 * 1000

/** Deletes keys that expired an hour before `now`, operations that ended long ago, and old activities. */
export async function sweep(
  turn: Turn,
  now: number,
  operations: readonly OperationRows[],
  kept: Partial<Retention> = {},
): Promise<void> {
  const { activitiesMs, operationsMs } = { ...retention, ...kept }
  await deleteAll(turn, rememberedKeys, expireTime, compareTime(expireTime, '<', now - spareMs))
  await deleteAll(turn, outbox, activityTime, compareTime(activityTime, '<', now - activitiesMs))
  for (const collection of operations) await deleteAll(turn, collection, insertTime, endedBefore(now - operationsMs))
}

/**
 * Returns the filter for operations that ended before a time, in milliseconds since 1970. The first comparison has an
 * index; the second excludes unfinished operations.
 */
export const endedBefore = (millis: number): Filter =>
  and(compareTime(insertTime, '<', millis), compareTime(endTime, '<', millis))

/** Returns the query for the rows that one transaction deletes, in the order of `field`. */
export const oldestRows = (collection: Collection<never>, field: FilterField, filter: Filter): ListQuery =>
  firstRows(batchSize, filter, field, column(collection.id, 'STRING'))

/**
 * Deletes matching rows, in the order of `field`, until no row is left or the signal of the run aborts. Pauses for half
 * of the time, because with SQLite the batches would otherwise follow each other without a read of any socket.
 */
export async function deleteAll<T extends { readonly id: string }>(
  turn: Turn,
  collection: Collection<T>,
  field: FilterField,
  filter: Filter,
): Promise<void> {
  const query = oldestRows(collection, field, filter)
  const deleteBatch = async (tx: Transaction): Promise<number> => {
    const { items } = await tx.page(collection, query)
    for (const { id, version } of items) await tx.delete(collection, id, version)
    return items.length
  }
  for (;;) {
    turn.signal.throwIfAborted()
    const started = performance.now()
    if ((await turn.tx(deleteBatch)) < batchSize) return
    await sleep(performance.now() - started)
  }
}
