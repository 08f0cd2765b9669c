import { parseLogQuery } from '../logql/language/parse.ts'
import type { LogEngine } from '../logs/log-engine.ts'
import type { FollowedPosition, LogFollower } from '../logs/log-follower.ts'

/** The nanoseconds of a millisecond. */
const nanos = 1_000_000n

/** Returns the follower of the native engine, whose positions are ingest numbers: the order of commits (observability.md 3). */
export const nativeFollower = (logs: LogEngine): LogFollower => ({
  // Commits come up to fifty times a second.
  pauseMs: (_tookMs, hasMore) => (hasMore ? 0 : 100),
  admit(_workspace, query) {
    parseLogQuery(query)
  },
  async begin(workspace, { since }, signal) {
    if (since === undefined) return [String(await logs.lastNumber(workspace))]
    return [String(await logs.numberBefore(workspace, Number(since / nanos), signal))]
  },
  async knows(workspace, position) {
    return numberOf(position) <= (await logs.lastNumber(workspace))
  },
  async read(workspace, { after, limit, query }, signal) {
    const last = await logs.lastNumber(workspace)
    const number = numberOf(after)
    if (number >= last) return { entries: [], position: after, skipped: 0, hasMore: false }
    const { entries, position, skipped } = await logs.tail(workspace, { query, after: number, last, limit }, signal)
    return { entries, position: [String(position)], skipped, hasMore: position < last }
  },
  newEntries: (workspace, after, signal) => logs.newEntries(workspace, numberOf(after), signal),
})

const numberOf = ([number]: FollowedPosition): number => Number(number)
