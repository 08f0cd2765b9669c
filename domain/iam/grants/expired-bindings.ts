import { bindingsList } from '../../../output/iam/filters.ts'
import type { Binding } from '../../../output/iam/types.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, StoredPage, Transaction, Where } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'

/**
 * The maximal number of bindings that one transaction deletes. Small transactions hold their locks for a short time
 * only.
 */
const batchSize = 100

/** Returns the query for the bindings that have expired before or at `now`, earliest expiry first. */
const expiredAt = (now: number): ListQuery => ({
  size: batchSize,
  filter: checkFilter(`expire_time <= "${formatMillis(now)}"`, bindingsList),
  order: checkOrder('expire_time', { ...bindingsList, fields: bindingsList.fields.map(sortable) }),
  after: undefined,
  now,
})

const sortable = (field: (typeof bindingsList.fields)[number]) => ({ ...field, sortable: true }) as const

/** Counts the bindings that match `where` and are unexpired at `now`. */
export async function countHolding(reader: Reader, where: Where, now: number): Promise<number> {
  const all = await reader.count(bindings, where)
  return all - (await countExpired(reader, where, now))
}

async function countExpired(reader: Reader, where: Where, now: number): Promise<number> {
  let count = 0
  let page: StoredPage<Binding> | undefined
  do {
    page = await reader.page(bindings, { ...expiredAt(now), after: page?.next }, where)
    count += page.items.length
  } while (page.next !== undefined)
  return count
}

/** Deletes the first batch of expired bindings that match `where`; returns whether more may exist. */
export async function deleteExpired(tx: Transaction, now: number, where?: Where): Promise<boolean> {
  const { items } = await tx.page(bindings, expiredAt(now), where)
  for (const { id, version } of items) await tx.delete(bindings, id, version)
  return items.length === batchSize
}

/** One run of a periodic worker. */
export interface SweepTurn {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/**
 * Deletes the bindings that expired before `now`. A worker must call `sweepBindings` at least once an hour. Expired
 * bindings already have no effect, so the deletion is not recorded in the feed (iam.md 1).
 */
export async function sweepBindings(turn: SweepTurn, now: number): Promise<void> {
  let isMore = true
  while (isMore) {
    turn.signal.throwIfAborted()
    isMore = await turn.tx(tx => deleteExpired(tx, now))
  }
}
