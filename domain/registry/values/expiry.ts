import type { Filter } from '../../../runtime/filter/types.ts'
import { timeFilter, type DerivedTest } from '../../resources/derived-tests.ts'

/** A row that may end at a time. */
export interface Ending {
  /** The time of the end; absent for a row without end. */
  readonly expire_time?: string
}

/** Returns whether a row has not ended; `now` is in milliseconds since 1970. */
export const isActive = ({ expire_time }: Ending, now: number): boolean =>
  expire_time === undefined || Date.parse(expire_time) > now

/** Returns the test of the state `active` of rows that are active or have expired by the clock; other states match none. */
export function activeTest(active: string, now: number): DerivedTest {
  const hasEnded: Filter = timeFilter('expire_time', '<=', now)
  return value => (value === active ? { kind: 'not', term: hasEnded } : hasEnded)
}
