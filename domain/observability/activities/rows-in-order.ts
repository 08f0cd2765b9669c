import type { FilterField } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'

/**
 * Returns the query of the first `size` rows by some columns, ascending; the last column is the id of the collection.
 * `after` is the key of the row before the first, as a page of the store returns it.
 */
export const rowsInOrder = (
  size: number,
  columns: readonly (readonly [name: string, type: FilterField['type']])[],
  after?: ListQuery['after'],
): ListQuery => ({
  size,
  filter: undefined,
  order: columns.map(([name, type]) => ({
    field: { name, type, operators: [], sortable: true },
    descending: false,
  })),
  after,
  now: 0,
})

/** The order of a chain. */
export const chainOrder = [
  ['sequence', 'INTEGER'],
  ['id', 'STRING'],
] as const
