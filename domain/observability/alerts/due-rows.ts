import { checkFilter } from '../../../runtime/filter/check.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { checkOrder } from '../../../runtime/ordering.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Reader, Stored } from '../../ports/store.ts'

/** A row with work at a time; a row without a time has no work. */
export interface DueRow {
  readonly next_time?: string
}

/** The list of rows in the order of the times of their work. */
export const dueList: ListFields = {
  fields: [{ name: 'next_time', type: 'TIMESTAMP', operators: ['<='], sortable: true }],
  defaultOrder: 'next_time',
  key: 'id',
}

/** The number of rows that one statement reads. */
const pageSize = 100

/** Iterates over the rows whose time has come, the earliest first. */
export async function* dueRows<T extends DueRow>(
  reader: Reader,
  collection: Collection<T>,
  now: number,
): AsyncGenerator<Stored<T>, void, undefined> {
  const filter = checkFilter(`next_time <= "${formatMillis(now)}"`, dueList)
  const order = checkOrder('next_time', dueList)
  let after: ListQuery['after']
  do {
    const page = await reader.page(collection, { size: pageSize, filter, order, after, now })
    yield* page.items
    after = page.next
  } while (after !== undefined)
}
