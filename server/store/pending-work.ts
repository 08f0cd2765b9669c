/** The pending work of a store, which must end before the store closes. */
export class PendingWork {
  readonly #works = new Set<Promise<unknown>>()
  #isClosed = false

  /** Settles as `work` does. Throws after `close` was called. */
  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#isClosed) throw new Error('the store is closed')
    const result = work()
    const settled = result.catch(() => undefined)
    this.#works.add(settled)
    try {
      return await result
    } finally {
      this.#works.delete(settled)
    }
  }

  /**
   * Refuses new work and waits for pending work; returns true for the first call, and false at once for later calls.
   */
  async close(): Promise<boolean> {
    if (this.#isClosed) return false
    this.#isClosed = true
    while (this.#works.size > 0) await Promise.all(this.#works)
    return true
  }
}
