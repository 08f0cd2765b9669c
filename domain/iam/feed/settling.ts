import type { StoredServer } from '../collections/feed-store.ts'

/** The time limit of a wait for other servers in milliseconds; longer than a lease. */
export const waitMs = 3500

const everyMs = 50

interface Waiting {
  readonly revision: number
  readonly end: (isSettled: boolean) => void
}

/** Waits until the live servers have applied revisions. All concurrent waits share the reads of the leases. */
export class Settling {
  readonly #others: () => Promise<readonly StoredServer[]>
  readonly #waiting = new Set<Waiting>()
  #isWatching = false

  /** `others` returns the live servers except this server. */
  constructor(others: () => Promise<readonly StoredServer[]>) {
    this.#others = others
  }

  /** Resolves to true once all live servers have applied the revision, to false after 3.5 s. */
  wait(revision: number): Promise<boolean> {
    return new Promise(resolve => {
      const end = (isSettled: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve(isSettled)
      }
      const timer = setTimeout(() => end(false), waitMs)
      const waiting = { revision, end }
      this.#waiting.add(waiting)
      if (!this.#isWatching) void this.#watch()
    })
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (this.#waiting.size > 0) {
      // This read of the leases may not cover revisions that are added while it runs, so only the present waits can
      // end.
      const asked = [...this.#waiting]
      // A failed read of the leases is retried until the time limit.
      const applied = await this.#others().then(least, () => -1)
      for (const { end, revision } of asked) if (revision <= applied) end(true)
      if (this.#waiting.size > 0) await new Promise(resolve => setTimeout(resolve, everyMs))
    }
    this.#isWatching = false
  }
}

/** Returns the highest revision that all of these servers have applied; Infinity for an empty list. */
export const least = (live: readonly StoredServer[]): number => Math.min(...live.map(({ applied_rev }) => applied_rev))
