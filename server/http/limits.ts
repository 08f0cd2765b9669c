/** What bounds the callers of a server (docs/operate.md); lengths in milliseconds. */
export interface HttpLimits {
  /** Calls that are worked on at a time; what waits for its caller is not. */
  readonly maxInFlight: number
  readonly maxConnections: number
  /** From the beginning of a request to the end of its headers. */
  readonly headersMs: number
  /** From the end of the headers of a request to the end of its body, unless it is to a data plane with a pace. */
  readonly requestMs: number
  /** A connection without a request. */
  readonly keepAliveMs: number
  /** An answer, or the next piece of a stream, waits so long for its caller to take it. */
  readonly writeMs: number
  /** What has begun when the server is to end has so long to end. */
  readonly drainMs: number
}

/**
 * For one process on one machine: calls take well below a millisecond, so a thousand in work are a queue of less than a
 * second, and what comes above it is better told so.
 */
export const defaultLimits: HttpLimits = {
  maxInFlight: 1000,
  maxConnections: 10_000,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 65_000,
  writeMs: 60_000,
  drainMs: 10_000,
}
