import type { Filter } from '../../runtime/filter/types.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { timeFilter, withDerivedTests } from './derived-tests.ts'

/** The states of rows that expire by the clock, before a worker records the expiry. */
export interface ClockStates {
  /** The recorded state of a row that has not ended otherwise. */
  readonly active: string
  readonly expired: string
  /** The column with the time of the expiry. */
  readonly time: string
}

/** Returns a query that filters by the state at the time of the query, not by the recorded state. */
export const byStateAt = (query: ListQuery, states: ClockStates): ListQuery =>
  withDerivedTests(query, {
    state: (value, field) =>
      stateFilter({ kind: 'compare', field, operator: '=', value }, String(value), states, query.now),
  })

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
  if (state === active) return { kind: 'and', terms: [recorded, { kind: 'not', term: timeFilter(time, '<=', now) }] }
  if (state !== expired) return recorded
  const recordedActive: Filter = { ...recorded, value: active }
  const isOver: Filter = { kind: 'not', term: timeFilter(time, '>', now) }
  return { kind: 'or', terms: [recorded, { kind: 'and', terms: [recordedActive, isOver] }] }
}
