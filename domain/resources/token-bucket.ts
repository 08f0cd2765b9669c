/**
 * A rate that a server grants by itself (conventions §10): a bucket that fills at a steady rate up to its capacity. Held
 * in memory; after a start it is full. Two numbers a bucket, so that many of them may be kept.
 */
export class TokenBucket {
  readonly #capacity: number
  readonly #perSecond: number
  #tokens: number
  #filledAt: number

  /** `now` in milliseconds since 1970; `perSecond` tokens come back each second. */
  constructor({ capacity, perSecond }: { readonly capacity: number; readonly perSecond: number }, now: number) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#tokens = capacity
    this.#filledAt = now
  }

  /**
   * Takes `count` tokens, and answers 0; or takes none, and answers after how many seconds there will be enough:
   * RetryInfo. More than the capacity are never there: Infinity. A clock that was set back gives nothing.
   */
  take(count: number, now: number): number {
    const passedSeconds = Math.max(0, now - this.#filledAt) / 1000
    this.#tokens = Math.min(this.#capacity, this.#tokens + passedSeconds * this.#perSecond)
    this.#filledAt = now
    if (count > this.#capacity) return Infinity
    if (count > this.#tokens) return (count - this.#tokens) / this.#perSecond
    this.#tokens -= count
    return 0
  }
}
