import type { Filter, FilterField } from '../../../runtime/filter/types.ts'
import { formatMillis, storedTimestamp } from '../../../runtime/timestamps.ts'

/** A TIMESTAMP column that queries of the area compare and sort by. */
export const timeField = (name: string): FilterField => ({ name, type: 'TIMESTAMP', operators: [] })

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

/** Compares a TIMESTAMP with milliseconds since 1970. One that is not set fits nothing. */
export const compareTime = (field: FilterField, operator: Operator, millis: number): Filter => ({
  kind: 'compare',
  field,
  operator,
  value: storedTimestamp(formatMillis(millis)) ?? '',
})
