/**
 * A rate limit of one server (conventions §10): a bucket of tokens that refills at a steady rate up to its capacity.
 * The bucket lives in memory and is full after a start. A bucket consists of four numbers, so a server can have many
 * buckets.
 */
export class TokenBucket {
  readonly #capacity: number
  readonly #perSecond: number
  #tokens: number
  #filledAt: number

  /** Makes a full bucket to which `perSecond` tokens are added each second. `now` is in milliseconds since 1970. */
  constructor({ capacity, perSecond }: { readonly capacity: number; readonly perSecond: number }, now: number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#tokens = capacity
    this.#filledAt = now
  }

  /**
   * Takes `count` tokens and returns 0. If the bucket has fewer tokens, takes none and returns the seconds until the
   * bucket has enough, for RetryInfo; Infinity if `count` exceeds the capacity. A clock that is set back adds no
   * tokens.
   */
  take(count: number, now: number): number {
    this.#fill(now)
    if (count > this.#capacity) return Infinity
    if (count > this.#tokens) return (count - this.#tokens) / this.#perSecond
    this.#tokens -= count
    return 0
  }

  /**
   * Takes `count` tokens for work whose size is known only after it is done. The bucket may be left with less than no
   * tokens, and `take` then returns the seconds until the debt is filled too.
   */
  charge(count: number, now: number): void {
    this.#fill(now)
    this.#tokens -= count
  }

  #fill(now: number): void {
    const passedSeconds = Math.max(0, now - this.#filledAt) / 1000
    this.#tokens = Math.min(this.#capacity, this.#tokens + passedSeconds * this.#perSecond)
    this.#filledAt = now
  }
}
