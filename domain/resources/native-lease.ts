/** The time after the start of a server in which calls wait for the lease, in milliseconds. */
const startMs = 5_000

/**
 * The lease `<area>.native`: the server that holds it serves the content of the native engine of an area, because content
 * lies on one machine (conventions §15). The worker with this lease calls `hold` at each of its runs.
 */
export class NativeLease {
  readonly #first = Promise.withResolvers<void>()
  readonly #startsUntil: number
  #signal: AbortSignal | undefined

  constructor(now = performance.now()) {
    this.#startsUntil = now + startMs
  }

  /** Whether this server holds the lease. */
  get isHeld(): boolean {
    return this.#signal !== undefined && !this.#signal.aborted
  }

  /** Aborted once this server loses the lease; undefined before it has held the lease. */
  get signal(): AbortSignal | undefined {
    return this.#signal
  }

  /** Records that this server holds the lease until `signal` is aborted. */
  hold(signal: AbortSignal): void {
    this.#signal = signal
    this.#first.resolve()
  }

  /**
   * Returns whether this server holds the lease. In the first seconds of a server, calls wait for the first run of the
   * worker, so that a server that has just started serves its first calls.
   */
  async isServing(): Promise<boolean> {
    const leftMs = this.#startsUntil - performance.now()
    if (this.#signal !== undefined || leftMs <= 0) return this.isHeld
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, leftMs)
    await Promise.race([this.#first.promise, ended])
    clearTimeout(timer)
    return this.isHeld
  }
}
