import type { StoredServer } from '../collections/feed-store.ts'

/** How long a change is waited for: longer than a lease lasts. */
export const waitMs = 3500

const everyMs = 50

interface Waiting {
  readonly revision: number
  readonly end: (isSettled: boolean) => void
}

/** Waits until the live servers have applied revisions; all that wait share the reads of the leases. */
export class Settling {
  readonly #others: () => Promise<readonly StoredServer[]>
  readonly #waiting = new Set<Waiting>()
  #isWatching = false

  /** `others` answers the live servers but this one. */
  constructor(others: () => Promise<readonly StoredServer[]>) {
    this.#others = others
  }

  /** True when all have applied it, false when that takes longer than 3.5 s. */
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
      // A revision that came after the leases were asked for may not be in them yet.
      const asked = [...this.#waiting]
      // When the leases cannot be read, they may be before the wait is over.
      const applied = await this.#others().then(least, () => -1)
      for (const { end, revision } of asked) if (revision <= applied) end(true)
      if (this.#waiting.size > 0) await new Promise(resolve => setTimeout(resolve, everyMs))
    }
    this.#isWatching = false
  }
}

/** The revision that all of these servers have applied. */
export const least = (live: readonly StoredServer[]): number => Math.min(...live.map(({ applied_rev }) => applied_rev))
