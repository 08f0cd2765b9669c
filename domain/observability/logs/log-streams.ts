import type { LogStream } from '../../../output/observability/types.ts'

/** The times between which a stream must have an entry, in nanoseconds since 1970; absent ends are open. */
export interface StreamTimes {
  /** The first time that counts. */
  readonly from: bigint | undefined
  /** The first time that does not count any more. */
  readonly before: bigint | undefined
  /** The present time in milliseconds since 1970. */
  readonly now: number
}

/** Lists the streams of the logs of workspaces. Rejects with ENGINE_UNAVAILABLE, and for too many streams with QUERY_…. */
export interface LogStreams {
  /** Returns the streams with an entry between two times, in the order of their labels. */
  streams(workspace: string, times: StreamTimes, signal: AbortSignal): Promise<readonly LogStream[]>
}
