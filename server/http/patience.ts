/** The ratio of the longest wait in a burst of requests to the longest wait under lasting overload. */
const burst = 5

/**
 * Decides how long requests may wait for their turn. A burst ends by itself: its requests have arrived, and only their
 * calls remain. So requests of a burst may wait long. Under lasting overload, as many requests arrive as calls begin, and
 * a long wait would help no caller: each request would wait as long as the limit allows.
 *
 * Time is divided into intervals of the shorter limit. Overload is lasting if more than half as many requests arrived in
 * the last interval as calls began. The first interval after a free server is a burst in any case. So no request waits
 * longer than two intervals before its overload is seen to last.
 */
export class Patience {
  readonly #limitMs: number
  #intervalMs = 0
  #isFirst = true
  #isLasting = false
  #arrived = 0
  #begun = 0
  #refusedMs = -Infinity

  /** `limitMs` is the longest wait under lasting overload, in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /**
   * Counts a request that arrived; `isAlone` if no other request waits. A queue that is empty because its requests were
   * refused does not prove a free server.
   */
  arrived(nowMs: number, isAlone: boolean): void {
    if (isAlone && nowMs - this.#refusedMs > burst * this.#limitMs) {
      this.#restart(nowMs)
      this.#isFirst = true
      this.#isLasting = false
    }
    this.#arrived += 1
  }

  /** Counts a call that began after a wait. */
  began(): void {
    this.#begun += 1
  }

  /** Notes that a request was refused after its wait. */
  refused(nowMs: number): void {
    this.#refusedMs = nowMs
  }

  /** Returns the longest wait, in milliseconds, of requests that now wait. */
  limitMs(nowMs: number): number {
    if (nowMs - this.#intervalMs >= this.#limitMs) {
      this.#isLasting = !this.#isFirst && this.#arrived * 2 > this.#begun
      this.#isFirst = false
      this.#restart(nowMs)
    }
    return this.#isLasting ? this.#limitMs : burst * this.#limitMs
  }

  #restart(nowMs: number): void {
    this.#intervalMs = nowMs
    this.#arrived = 0
    this.#begun = 0
  }
}
