/**
 * The lease `storage.native`: the server that holds it serves the content of the native engine, because content lies on
 * one machine (conventions §15). The worker with this lease calls `hold` at each of its runs.
 */
export class NativeLease {
  #signal: AbortSignal | undefined

  /** Whether this server holds the lease. */
  get isHeld(): boolean {
    return this.#signal !== undefined && !this.#signal.aborted
  }

  /** Records that this server holds the lease until `signal` is aborted. */
  hold(signal: AbortSignal): void {
    this.#signal = signal
  }
}
