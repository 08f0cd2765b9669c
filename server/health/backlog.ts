import type { Clock } from '../../domain/ports/clock.ts'
import type { Store } from '../../domain/ports/store.ts'
import { works, type Work } from '../operations/work.ts'
import { resultWithin } from './time-limit.ts'

/** The time limit of a refresh in milliseconds; a store that needs longer counts as unavailable. */
const patienceMs = 2000

/**
 * The durable work of all processes on the store at the last refresh; NaN if the store did not answer. A refresh costs
 * two counts in an index and the first rows.
 */
export class Backlog {
  readonly #store: Store
  readonly #clock: Clock
  #isStoreUp = false
  #pending = Number.NaN
  #running = Number.NaN
  #oldestPendingSeconds = Number.NaN

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  get pending(): number {
    return this.#pending
  }

  get running(): number {
    return this.#running
  }

  /** The age of the oldest pending work in seconds; 0 without pending work. */
  get oldestPendingSeconds(): number {
    return this.#oldestPendingSeconds
  }

  /** Whether the store answered the last refresh. */
  get isStoreUp(): boolean {
    return this.#isStoreUp
  }

  /** Counts the work in the store anew. Never rejects. */
  async refresh(): Promise<void> {
    const found = await resultWithin(this.#look(), patienceMs)
    this.#isStoreUp = found !== undefined
    this.#pending = found?.pending ?? Number.NaN
    this.#running = found?.running ?? Number.NaN
    this.#oldestPendingSeconds = found?.oldestPendingSeconds ?? Number.NaN
  }

  async #look(): Promise<{ pending: number; running: number; oldestPendingSeconds: number }> {
    const [pending, running, oldest] = await Promise.all([
      this.#store.count(works, { state: 'QUEUED' }),
      this.#store.count(works, { state: 'LEASED' }),
      this.#oldestPending(),
    ])
    const sinceMs = oldest === undefined ? this.#clock.now() : Date.parse(oldest.insert_time)
    return { pending, running, oldestPendingSeconds: Math.max(0, (this.#clock.now() - sinceMs) / 1000) }
  }

  /**
   * Returns the oldest pending work. Ids ascend with time, and few rows are under a lease, so the first waiting row is
   * near the beginning.
   */
  async #oldestPending(): Promise<Work | undefined> {
    for await (const { value } of this.#store.each(works)) if (value.state === 'QUEUED') return value
    return undefined
  }
}
