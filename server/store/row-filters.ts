import type { Filter, FilterField, FilterValue } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'

/** Returns the field of a column by which the server's own queries compare and sort. */
export const column = (name: string, type: FilterField['type']): FilterField => ({ name, type, operators: [] })

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

/** Returns the comparison of a field with a value. */
export const compare = (field: FilterField, operator: Operator, value: FilterValue): Filter => ({
  kind: 'compare',
  field,
  operator,
  value,
})

/** Returns the comparison of a TIMESTAMP with milliseconds since 1970. An unset timestamp matches no comparison. */
export const compareTime = (field: FilterField, operator: Operator, millis: number): Filter =>
  compare(field, operator, storedTimestamp(formatMillis(millis)) ?? '')

/** Returns the conjunction of filters. */
export const and = (...terms: readonly Filter[]): Filter => ({ kind: 'and', terms })

/** Returns the filter for rows whose field has one of the values. */
export const isOneOf = (field: FilterField, values: readonly string[]): Filter => ({
  kind: 'or',
  terms: values.map(value => compare(field, '=', value)),
})

/**
 * Returns the query of the first `size` matching rows, ascending; the last field of `order` is the id of the
 * collection.
 */
export function firstRows(size: number, filter: Filter | undefined, ...order: readonly FilterField[]): ListQuery {
  return { size, filter, order: order.map(field => ({ field, descending: false })), after: undefined, now: 0 }
}
