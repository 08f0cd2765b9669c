/** The limits of a server (docs/operate.md); durations in milliseconds. */
export interface HttpLimits {
  /** The maximal number of running calls; calls that wait for their caller do not count. */
  readonly maxInFlight: number
  readonly maxConnections: number
  /** The time for which a request waits for its turn under lasting overload. */
  readonly waitMs: number
  /** The time from the beginning of a request to the end of its headers. */
  readonly headersMs: number
  /** The time from the end of a request's headers to the end of its body, except for data planes with a pace. */
  readonly requestMs: number
  /** The time for which a connection without a request stays open. */
  readonly keepAliveMs: number
  /** The time limit for a caller to take further bytes of an answer or stream. */
  readonly writeMs: number
  /** The time for running calls and work to end when the server stops. */
  readonly drainMs: number
}

/**
 * The defaults for one process on one machine. A call takes well below a millisecond, so a thousand running calls are a
 * queue of less than a second. Further calls are refused instead of waiting longer.
 */
export const defaultHttpLimits: HttpLimits = {
  maxInFlight: 1000,
  maxConnections: 10_000,
  waitMs: 100,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 65_000,
  writeMs: 60_000,
  drainMs: 10_000,
}
