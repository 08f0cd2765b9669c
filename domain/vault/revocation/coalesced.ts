/**
 * Runs of one task for each key, of which at most one runs at a time. Callers that come during a run share the next run,
 * so that each caller waits for a run that began after its call.
 */
export class Coalesced {
  readonly #task: (key: string) => Promise<void>
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  constructor(task: (key: string) => Promise<void>) {
    this.#task = task
  }

  /** Resolves after a run for the key that began after this call. Rejects with the error of that run. */
  request(key: string): Promise<void> {
    const running = this.#running.get(key)
    if (running === undefined) return this.#start(key)
    const waiting = this.#next.get(key)
    if (waiting !== undefined) return waiting
    const next = running
      .catch(() => {})
      .then(() => {
        this.#next.delete(key)
        return this.#start(key)
      })
    this.#next.set(key, next)
    return next
  }

  #start(key: string): Promise<void> {
    const run = this.#task(key).finally(() => {
      if (this.#running.get(key) === run) this.#running.delete(key)
    })
    this.#running.set(key, run)
    return run
  }
}
