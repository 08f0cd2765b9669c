import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Transaction } from '../../domain/ports/store.ts'
import type { Filter, FilterField } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { activityTime, outbox } from '../audit/outbox.ts'
import { and, column, compareTime, firstRows } from '../store/row-filters.ts'
import { expireTime, rememberedKeys } from './idempotency.ts'
import type { Turn, Worker } from '../../domain/ports/workers.ts'
import type { OperationRecord } from './record.ts'

/** A day in milliseconds. */
export const dayMs = 24 * 60 * 60 * 1000

/** How long is kept what has ended, in milliseconds. */
export interface Retention {
  /** Operations, from their end on. */
  readonly operationsMs: number
  /** Activities, also where nothing takes them out of the outbox. */
  readonly activitiesMs: number
}

/** What is promised at least: 30 days of operations (conventions §5), 400 days of activities (conventions §20). */
export const retention: Retention = { operationsMs: 30 * dayMs, activitiesMs: 400 * dayMs }

/** Rows that one transaction deletes: others wait no longer than that. */
const batchSize = 100

/** Operations are listed by it, so it has an index. */
export const insertTime = column('insert_time', 'TIMESTAMP')
const endTime = column('end_time', 'TIMESTAMP')

/** How often old rows are looked for. */
const everyMs = 60 * 60 * 1000

type Operations = Collection<OperationRecord>

/** Deletes every hour what is kept long enough. */
export const sweeper = (clock: Clock, operations: readonly Operations[], kept: Partial<Retention> = {}): Worker => ({
  name: 'ninefold.sweeper',
  everyMs,
  run: turn => sweep(turn, clock.now(), operations, kept),
})

/**
 * Keys are kept for so much longer than they count: a call that began while one did, and that was let through to its
 * recorded answer, must find it at its end too, or it would be run without having been authorized.
 */
const spareMs = 60 * 60 * 1000

/** Deletes the keys that expired an hour before `now`, the operations that ended long ago, and activities nobody has fetched. */
export async function sweep(
  turn: Turn,
  now: number,
  operations: readonly Operations[],
  kept: Partial<Retention> = {},
): Promise<void> {
  const { activitiesMs, operationsMs } = { ...retention, ...kept }
  await deleteAll(turn, rememberedKeys, expireTime, compareTime(expireTime, '<', now - spareMs))
  await deleteAll(turn, outbox, activityTime, compareTime(activityTime, '<', now - activitiesMs))
  for (const collection of operations) await deleteAll(turn, collection, insertTime, endedBefore(now - operationsMs))
}

/** The first comparison is the one that has an index; the second one spares what still runs. */
export const endedBefore = (millis: number): Filter =>
  and(compareTime(insertTime, '<', millis), compareTime(endTime, '<', millis))

/** The page of rows that one transaction deletes, in the order of `field`. */
export const oldestRows = (collection: Collection<never>, field: FilterField, filter: Filter): ListQuery =>
  firstRows(batchSize, filter, field, column(collection.id, 'STRING'))

/**
 * Deletes what fits, in the order of `field`, until nothing is left or the turn ends. Calls have half of the time: with
 * SQLite everything would otherwise run from one batch to the next without letting the process read a socket.
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
