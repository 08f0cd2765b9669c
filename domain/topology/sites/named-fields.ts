import type { Filter } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'

/** Returns whether a query filters or sorts by a field. */
export const namesField = ({ filter, order }: Pick<ListQuery, 'filter' | 'order'>, name: string): boolean =>
  order.some(({ field }) => field.name === name) || (filter !== undefined && filtersBy(filter, name))

function filtersBy(filter: Filter, name: string): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.terms.some(term => filtersBy(term, name))
  return filter.kind === 'not' ? filtersBy(filter.term, name) : filter.field.name === name
}
