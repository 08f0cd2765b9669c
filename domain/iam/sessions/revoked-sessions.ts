import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { pages } from './documents-in-order.ts'
import { compareTime } from '../values/time-filters.ts'
import { accessTokenMs } from '../values/token-lives.ts'
import { revokeTimeField, tokens } from '../collections/tokens-store.ts'

/**
 * The time in milliseconds for which a revocation stays cached in addition to the lifetime of access tokens, because a
 * token may be signed during the commit of the revocation.
 */
const spareMs = 60_000

/**
 * The maximal time in milliseconds between the beginning of a call, which becomes the time of the revocation, and its
 * commit. A body may arrive slowly, and a call may wait in a queue.
 */
const slowestCallMs = 60 * 60 * 1000

/** Caches the sessions that were revoked while their access tokens may still be valid (iam.md 4.3). */
export class RevokedSessions {
  readonly #store: Store
  readonly #clock: Clock
  /**
   * The end of each entry in milliseconds by the clock, and by a clock that cannot be set, keyed by session id; oldest
   * entry first.
   */
  readonly #until = new Map<string, { readonly time: number; readonly steady: number }>()

  constructor({ clock, store }: { readonly clock: Clock; readonly store: Store }) {
    this.#store = store
    this.#clock = clock
  }

  has(session: string): boolean {
    return this.#until.has(session)
  }

  /** Adds a session that was just revoked, on this server or another. */
  add(session: string): void {
    const now = this.#clock.now()
    this.#forget(now)
    this.#until.delete(session)
    const lastsMs = accessTokenMs + spareMs
    this.#until.set(session, { time: now + lastsMs, steady: performance.now() + lastsMs })
  }

  /**
   * Reads the revoked sessions of the store. Await `load` at the start, and whenever the feed may have missed changes.
   */
  async load(): Promise<void> {
    const since = this.#clock.now() - accessTokenMs - spareMs - slowestCallMs
    const filter = compareTime(revokeTimeField, '>', since)
    for await (const { id } of pages(this.#store, tokens, filter, revokeTimeField)) this.add(id)
  }

  /**
   * Removes entries that have ended by both clocks: with the first clock alone, an administrator who sets the clock
   * forward and back could remove an entry whose tokens are still valid.
   */
  #forget(now: number): void {
    for (const [session, { steady, time }] of this.#until) {
      if (steady > performance.now()) return
      if (time <= now) this.#until.delete(session)
    }
  }
}
