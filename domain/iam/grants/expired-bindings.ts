import { bindingsList } from '../../../output/iam/filters.ts'
import type { Binding } from '../../../output/iam/types.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, StoredPage, Transaction, Where } from '../../ports/store.ts'
import { bindings } from '../collections/bindings-store.ts'

/** Bindings that one transaction deletes: others wait no longer than that. */
const batchSize = 100

/** The bindings that no longer count at `now`, the longest expired first. */
const expiredAt = (now: number): ListQuery => ({
  size: batchSize,
  filter: checkFilter(`expire_time <= "${formatMillis(now)}"`, bindingsList),
  order: checkOrder('expire_time', { ...bindingsList, fields: bindingsList.fields.map(sortable) }),
  after: undefined,
  now,
})

const sortable = (field: (typeof bindingsList.fields)[number]) => ({ ...field, sortable: true }) as const

/** How many of the bindings that `where` fits count at `now`. */
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

/** Deletes the first of the bindings that no longer count; answers whether there may be more. */
export async function deleteExpired(tx: Transaction, now: number, where?: Where): Promise<boolean> {
  const { items } = await tx.page(bindings, expiredAt(now), where)
  for (const { id, version } of items) await tx.delete(bindings, id, version)
  return items.length === batchSize
}

/** A turn of work that is done again and again by one process at a time. */
export interface SweepTurn {
  /** Aborted when the turn ends. */
  readonly signal: AbortSignal
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/**
 * Deletes the bindings that expired before `now`; to be run at least once an hour. They count for nothing already, so
 * nobody need be told (iam.md 1).
 */
export async function sweepBindings(turn: SweepTurn, now: number): Promise<void> {
  let isMore = true
  while (isMore) {
    turn.signal.throwIfAborted()
    isMore = await turn.tx(tx => deleteExpired(tx, now))
  }
}
