import type { Filter, FilterField, FilterValue } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'

/** A term of a filter, which tests one field. */
export type FilterTerm = Extract<Filter, { readonly field: FilterField }>

/** Returns the filter for the rows whose answer has `value` in a field that follows from other columns. */
export type DerivedTest = (value: FilterValue, field: FilterField) => Filter

/** Returns a query whose comparisons of fields for equality are replaced; `tests` is keyed by the names of the fields. */
export const withDerivedTests = (query: ListQuery, tests: Readonly<Record<string, DerivedTest>>): ListQuery =>
  withTerms(query, term => {
    const test = Object.hasOwn(tests, term.field.name) ? tests[term.field.name] : undefined
    if (term.kind !== 'compare' || test === undefined) return term
    const { field, operator, value } = term
    if (operator === '=') return test(value, field)
    return operator === '!=' ? { kind: 'not', term: test(value, field) } : term
  })

/** Returns a query whose filter has the result of `change` in place of each term. */
export function withTerms(query: ListQuery, change: (term: FilterTerm) => Filter): ListQuery {
  const { filter } = query
  return filter === undefined ? query : { ...query, filter: replaced(filter, change) }
}

function replaced(filter: Filter, change: (term: FilterTerm) => Filter): Filter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { ...filter, terms: filter.terms.map(term => replaced(term, change)) }
  if (filter.kind === 'not') return { ...filter, term: replaced(filter.term, change) }
  return change(filter)
}

/** Iterates over the terms of a filter. */
export function* termsOf(filter: Filter): Generator<FilterTerm> {
  if (filter.kind === 'and' || filter.kind === 'or') for (const term of filter.terms) yield* termsOf(term)
  else if (filter.kind === 'not') yield* termsOf(filter.term)
  else yield filter
}

/** Returns the filter that compares a TIMESTAMP column with a time in milliseconds since 1970. */
export const timeFilter = (name: string, operator: '>' | '<=', ms: number): Filter => ({
  kind: 'compare',
  field: { name, type: 'TIMESTAMP', operators: [] },
  operator,
  value: storedTimestamp(formatMillis(ms)) ?? '',
})
