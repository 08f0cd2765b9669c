import type { Filter, FilterField } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { formatMillis, storedTimestamp } from '../../runtime/timestamps.ts'

/** The states of rows that expire by the clock, before a worker records the expiry. */
export interface ClockStates {
  /** The recorded state of a row that has not ended otherwise. */
  readonly active: string
  readonly expired: string
  /** The column with the time of the expiry. */
  readonly time: string
}

/** Returns a query that filters by the state at the time of the query, not by the recorded state. */
export function byStateAt(query: ListQuery, states: ClockStates): ListQuery {
  const { filter, now } = query
  return filter === undefined ? query : { ...query, filter: rewritten(filter, states, now) }
}

function rewritten(filter: Filter, states: ClockStates, now: number): Filter {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { ...filter, terms: filter.terms.map(term => rewritten(term, states, now)) }
  if (filter.kind === 'not') return { ...filter, term: rewritten(filter.term, states, now) }
  if (filter.kind !== 'compare' || filter.field.name !== 'state') return filter
  const { operator, value } = filter
  const equal = { ...filter, operator: '=' } as const
  const atTime = stateFilter(equal, String(value), states, now)
  return operator === '=' ? atTime : operator === '!=' ? { kind: 'not', term: atTime } : filter
}

/**
 * Returns the filter of a state, given the filter that compares the recorded state with it. The times are compared in
 * negated form, which is no range of an index: for a range, SQLite would read all live rows in the order of their
 * expiry and sort them, instead of the first rows of the state in the order of the list.
 */
function stateFilter(
  recorded: Filter & { readonly kind: 'compare' },
  state: string,
  { active, expired, time }: ClockStates,
  now: number,
): Filter {
  const field: FilterField = { name: time, type: 'TIMESTAMP', operators: [] }
  const compared = (operator: '>' | '<='): Filter => ({
    kind: 'compare',
    field,
    operator,
    value: storedTimestamp(formatMillis(now)) ?? '',
  })
  if (state === active) return { kind: 'and', terms: [recorded, { kind: 'not', term: compared('<=') }] }
  if (state !== expired) return recorded
  const recordedActive: Filter = { ...recorded, value: active }
  const isOver: Filter = { kind: 'not', term: compared('>') }
  return { kind: 'or', terms: [recorded, { kind: 'and', terms: [recordedActive, isOver] }] }
}
