import type { ScanPolicy } from '../../../output/registry/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { nextTime } from '../values/cron.ts'

/**
 * Returns the time of the first scheduled scans of a policy after a time in milliseconds since 1970, in the form of
 * `next_scan_time`: empty for a policy that does not scan by a schedule.
 */
export function nextScanTime(
  { enabled, schedule, trigger }: Pick<ScanPolicy, 'enabled' | 'schedule' | 'trigger'>,
  afterMs: number,
): string {
  if (!enabled || trigger !== 'REGISTRY_SCAN_TRIGGER_SCHEDULED') return ''
  const next = nextTime(schedule, afterMs)
  return next === Infinity ? '' : formatMillis(next)
}
