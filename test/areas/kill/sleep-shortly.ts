import { realTiming, type Timing } from '../../../runtime/retry.ts'

/**
 * Waits for `ms` milliseconds, but at most 100: the servers of a test live so briefly that the usual delays of seconds
 * would miss most of the servers, and the many waits of a walk would take most of its time.
 */
export const sleepShortly: Timing['sleep'] = (ms, signal) => realTiming.sleep(Math.min(ms, 100), signal)
