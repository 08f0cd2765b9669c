import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'

/** Returns a TIMESTAMP field by which queries of the area filter and sort. */
export const timeField = (name: string): FilterField => ({ name, type: 'TIMESTAMP', operators: [] })

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

/**
 * Returns the filter that compares a TIMESTAMP with milliseconds since 1970. An unset timestamp matches no comparison.
 */
export const compareTime = (field: FilterField, operator: Operator, millis: number): Filter => ({
  kind: 'compare',
  field,
  operator,
  value: storedTimestamp(formatMillis(millis)) ?? '',
})
