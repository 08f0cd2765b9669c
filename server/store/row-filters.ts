import type { Filter, FilterField, FilterValue } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'

/** A column by which the server's own queries compare and sort. */
export const column = (name: string, type: FilterField['type']): FilterField => ({ name, type, operators: [] })

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

export const compare = (field: FilterField, operator: Operator, value: FilterValue): Filter => ({
  kind: 'compare',
  field,
  operator,
  value,
})

/** Compares a TIMESTAMP with milliseconds since 1970. An unset timestamp matches nothing. */
export const compareTime = (field: FilterField, operator: Operator, millis: number): Filter =>
  compare(field, operator, storedTimestamp(formatMillis(millis)) ?? '')

export const and = (...terms: readonly Filter[]): Filter => ({ kind: 'and', terms })

export const isOneOf = (field: FilterField, values: readonly string[]): Filter => ({
  kind: 'or',
  terms: values.map(value => compare(field, '=', value)),
})

/** Queries the first `size` matching rows, ascending; the last field is the id of the collection. */
export function firstRows(size: number, filter: Filter | undefined, ...order: readonly FilterField[]): ListQuery {
  return { size, filter, order: order.map(field => ({ field, descending: false })), after: undefined, now: 0 }
}
