import { queryRangeInvalid } from '../../../output/observability/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { nanosecondsOfTime } from '../logql/nano-time.ts'

/** The times of a request as they were sent. */
export interface SentTimes {
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
}

/** A range of times in nanoseconds since 1970; absent ends are open. */
export interface NanoRange {
  readonly start: bigint | undefined
  readonly end: bigint | undefined
}

/** Returns the range between two times of a request. Throws QUERY_RANGE_INVALID if the range ends before it starts. */
export function nanoRangeOf({ end_time, start_time }: SentTimes): NanoRange {
  const start = start_time === undefined ? undefined : nanosecondsOfTime(start_time)
  const end = end_time === undefined ? undefined : nanosecondsOfTime(end_time)
  if (start !== undefined && end !== undefined) requireOrder(start, end)
  return { start, end }
}

/** Throws QUERY_RANGE_INVALID at `end_time` if a range ends before it starts. */
export function requireOrder(start: bigint, end: bigint): void {
  if (end < start) throw faultAt(queryRangeInvalid, 'end_time', 'must not be before start_time')
}
