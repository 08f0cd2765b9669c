import type { Filter, FilterField, FilterValue } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'

/** Returns the filter for the rows whose answer has `value` in a field that follows from other columns. */
export type DerivedTest = (value: FilterValue, field: FilterField) => Filter

/** Returns a query whose comparisons of fields for equality are replaced; `tests` is keyed by the names of the fields. */
export function withDerivedTests(query: ListQuery, tests: Readonly<Record<string, DerivedTest>>): ListQuery {
  const { filter } = query
  return filter === undefined ? query : { ...query, filter: replaced(filter, tests) }
}

function replaced(filter: Filter, tests: Readonly<Record<string, DerivedTest>>): Filter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { ...filter, terms: filter.terms.map(term => replaced(term, tests)) }
  if (filter.kind === 'not') return { ...filter, term: replaced(filter.term, tests) }
  const test = Object.hasOwn(tests, filter.field.name) ? tests[filter.field.name] : undefined
  if (filter.kind !== 'compare' || test === undefined) return filter
  const { field, operator, value } = filter
  if (operator === '=') return test(value, field)
  return operator === '!=' ? { kind: 'not', term: test(value, field) } : filter
}

/** Returns the filter that compares a TIMESTAMP column with a time in milliseconds since 1970. */
export const timeFilter = (name: string, operator: '>' | '<=', ms: number): Filter => ({
  kind: 'compare',
  field: { name, type: 'TIMESTAMP', operators: [] },
  operator,
  value: storedTimestamp(formatMillis(ms)) ?? '',
})
