/** The work of a store that is under way, which is waited for before the store closes. */
export class UnderWay {
  readonly #works = new Set<Promise<unknown>>()
  #isClosed = false

  /** Settles as `work` does. Throws once `close` was called. */
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

  /** Takes nothing new and waits for the rest; whether it was the first to be called. */
  async close(): Promise<boolean> {
    if (this.#isClosed) return false
    this.#isClosed = true
    while (this.#works.size > 0) await Promise.all(this.#works)
    return true
  }
}
