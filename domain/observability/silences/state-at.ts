import type { Filter } from '../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../runtime/pagination.ts'
import { timeFilter, withDerivedTests } from '../../resources/derived-tests.ts'

/** The states of a silence. */
export const silenceStates = {
  pending: 'OBSERVABILITY_SILENCE_STATE_PENDING',
  active: 'OBSERVABILITY_SILENCE_STATE_ACTIVE',
  expired: 'OBSERVABILITY_SILENCE_STATE_EXPIRED',
} as const

/** A state of a silence. */
export type StateOfSilence = (typeof silenceStates)[keyof typeof silenceStates]

/** The times of a silence, of which its state follows. */
interface Times {
  readonly start_time: string
  readonly end_time: string
}

/** The time in milliseconds for which an expired silence can still be read: 120 hours, as in Alertmanager. */
const keptMs = 120 * 3_600_000

/** Returns the state of a silence at `now`, in milliseconds since 1970. */
export function stateAt({ end_time, start_time }: Times, now: number): StateOfSilence {
  if (Date.parse(end_time) <= now) return silenceStates.expired
  return Date.parse(start_time) > now ? silenceStates.pending : silenceStates.active
}

/** Returns the latest end of silences that cannot be read any more at `now`; both are in milliseconds since 1970. */
export const forgottenSince = (now: number): number => now - keptMs

/** Returns whether a silence cannot be read any more at `now`, in milliseconds since 1970. */
export const isForgotten = ({ end_time }: Pick<Times, 'end_time'>, now: number): boolean =>
  Date.parse(end_time) <= forgottenSince(now)

/** Returns a query whose filter tests the state at the time of the query, and that leaves out forgotten silences. */
export function readableAt(query: ListQuery): ListQuery {
  const { filter, ...derived } = withDerivedTests(query, { state: value => stateFilter(String(value), query.now) })
  const isReadable = timeFilter('end_time', '>', forgottenSince(query.now))
  return { ...derived, filter: filter ? { kind: 'and', terms: [filter, isReadable] } : isReadable }
}

function stateFilter(state: string, now: number): Filter {
  if (state === silenceStates.expired) return timeFilter('end_time', '<=', now)
  const isOpen = timeFilter('end_time', '>', now)
  const hasBegun = timeFilter('start_time', '<=', now)
  const begun: Filter = state === silenceStates.active ? hasBegun : { kind: 'not', term: hasBegun }
  return { kind: 'and', terms: [isOpen, begun] }
}
