import type { LogEntry } from '../../../output/observability/types.ts'

/** The place up to which a caller has followed logs: texts that only the follower that made them understands. */
export type FollowedPosition = readonly string[]

/** A read of the entries after a position. */
export interface FollowedRead {
  /** A log query. */
  readonly query: string
  readonly after: FollowedPosition
  /** The largest number of entries in the answer. */
  readonly limit: number
  /** The present time in milliseconds since 1970. */
  readonly now: number
}

/** The outcome of a read. */
export interface FollowedPage {
  readonly entries: readonly LogEntry[]
  /** The position after the entries and all that the read has looked at. */
  readonly position: FollowedPosition
  /** The entries that the retention has ended before a read looked at them. */
  readonly skipped: number
  /** Whether more entries may lie behind the position now. */
  readonly hasMore: boolean
}

/**
 * Follows the logs of workspaces. Rejects with an error of the area: faults of queries with SELECTOR_EMPTY and QUERY_…, an
 * engine that does not answer now with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface LogFollower {
  /**
   * Returns the time until the next read of a caller that waits for entries, after a read that took `tookMs`; `hasMore` is
   * that of its page. All times are in milliseconds.
   */
  pauseMs(tookMs: number, hasMore: boolean): number
  /** Throws the error of a query that is no log query, or that the follower does not serve. */
  admit(workspace: string, query: string): void
  /**
   * Returns the position before the entries that came in at `since` or later; absent: before those that come in from now
   * on.
   */
  begin(workspace: string, from: FollowedBegin, signal: AbortSignal): Promise<FollowedPosition>
  /** Whether the logs still have a position; files may have been replaced by older ones. */
  knows(workspace: string, position: FollowedPosition): Promise<boolean>
  read(workspace: string, read: FollowedRead, signal: AbortSignal): Promise<FollowedPage>
  /** Resolves once there may be an entry after a position, or the signal is aborted. */
  newEntries(workspace: string, after: FollowedPosition, signal: AbortSignal): Promise<void>
}

/** The beginning of a caller without a position. */
export interface FollowedBegin {
  readonly query: string
  /** In nanoseconds since 1970. */
  readonly since: bigint | undefined
  /** The present time in milliseconds since 1970. */
  readonly now: number
}
