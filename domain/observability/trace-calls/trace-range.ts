import { queryRangeInvalid } from '../../../output/observability/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { TraceRange } from '../traces/trace-engine.ts'

/** The length of a range that names no start, in milliseconds. */
const defaultRangeMs = 3_600_000

/** The longest time that a query may run, in milliseconds. */
export const timeoutMs = 30_000

/**
 * Returns the range of a request at `now`, in milliseconds since 1970: by default the hour before its end. Throws
 * QUERY_RANGE_INVALID at `end_time` if the range ends before it starts.
 */
export function traceRange(
  { end_time, start_time }: { readonly start_time?: string; readonly end_time?: string },
  now: number,
): TraceRange {
  const end = end_time === undefined ? now : Date.parse(end_time)
  const start = start_time === undefined ? end - defaultRangeMs : Date.parse(start_time)
  if (end < start) throw faultAt(queryRangeInvalid, 'end_time', 'must not be before start_time')
  // The last millisecond belongs to the range as a whole.
  return { start: start * 1000, end: end * 1000 + 999 }
}
