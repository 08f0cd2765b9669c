import type { RetentionPolicy } from '../../../output/registry/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { nextTime } from '../values/cron.ts'

/** The latest time that a timestamp can have, in milliseconds since 1970. */
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the time of the next run of a policy after `now`, in milliseconds since 1970; nothing for a policy that is not
 * enabled or whose schedule names no further time.
 */
export function nextRunTime(
  { enabled, schedule }: Pick<RetentionPolicy, 'enabled' | 'schedule'>,
  now: number,
): Pick<RetentionPolicy, 'next_run_time'> {
  const next = enabled ? nextTime(schedule, now) : Infinity
  return next > latestMs ? {} : { next_run_time: formatMillis(next) }
}
