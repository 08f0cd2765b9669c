import type { Store } from '../../ports/store.ts'

/** The delays between attempts in milliseconds: a snapshot or another process may still read the deleted bytes. */
const delaysMs = [10, 40, 150]

/**
 * Removes deleted bytes from the files of the store. Concurrent requests share a run. The files of a killed server may
 * hold deleted bytes, so the first run of the worker of the agenda removes them.
 */
export class Scrubber {
  readonly #store: Pick<Store, 'scrub'>
  #isPending = true
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(store: Pick<Store, 'scrub'>) {
    this.#store = store
  }

  /** Removes the bytes whose deletion was committed before the call. Never rejects; a failed run is pending. */
  request(): Promise<void> {
    // A run in progress may have begun before the commit, so the callers share the next run.
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = undefined
      this.#running = this.#run()
      return this.#running
    })
    return this.#next
  }

  /** Repeats a failed run, if any. */
  async catchUp(): Promise<void> {
    if (this.#isPending) await this.request()
  }

  async #run(): Promise<void> {
    this.#isPending = true
    for (const delayMs of [0, ...delaysMs]) {
      if (delayMs > 0) await new Promise(resolve => setTimeout(resolve, delayMs))
      if (await this.#attempt()) {
        this.#isPending = false
        return
      }
    }
  }

  async #attempt(): Promise<boolean> {
    try {
      return (await this.#store.scrub?.()) ?? true
    } catch {
      // The store is closed or its disk fails; the next run tries again.
      return false
    }
  }
}
