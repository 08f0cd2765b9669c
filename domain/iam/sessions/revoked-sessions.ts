import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { pages } from './documents-in-order.ts'
import { compareTime } from '../values/time-filters.ts'
import { accessTokenMs } from '../values/token-lives.ts'
import { revokeTimeField, tokens } from '../collections/tokens-store.ts'

/** How much longer a revocation is remembered than access tokens live: one may be signed while it commits. */
const spareMs = 60_000

/**
 * A revocation bears the time at which its call began, and is committed later: when its body came slowly or it waited for
 * its turn, by no more than this.
 */
const slowestCallMs = 60 * 60 * 1000

/** The sessions that were revoked while access tokens of theirs may still be about (iam.md 4.3). */
export class RevokedSessions {
  readonly #store: Store
  readonly #clock: Clock
  /** Until when each is remembered, by the clock and by one that cannot be set; the oldest first. */
  readonly #until = new Map<string, { readonly time: number; readonly steady: number }>()

  constructor({ clock, store }: { readonly clock: Clock; readonly store: Store }) {
    this.#store = store
    this.#clock = clock
  }

  has(session: string): boolean {
    return this.#until.has(session)
  }

  /** A session was revoked now, here or by another server. */
  add(session: string): void {
    const now = this.#clock.now()
    this.#forget(now)
    this.#until.delete(session)
    const lastsMs = accessTokenMs + spareMs
    this.#until.set(session, { time: now + lastsMs, steady: performance.now() + lastsMs })
  }

  /** Adds what the store tells: to be awaited at the start, and after changes may have been missed. */
  async load(): Promise<void> {
    const since = this.#clock.now() - accessTokenMs - spareMs - slowestCallMs
    const filter = compareTime(revokeTimeField, '>', since)
    for await (const { id } of pages(this.#store, tokens, filter, revokeTimeField)) this.add(id)
  }

  /** By both clocks: one that is set ahead and back again would have tokens outlive that their session was revoked. */
  #forget(now: number): void {
    for (const [session, { steady, time }] of this.#until) {
      if (steady > performance.now()) return
      if (time <= now) this.#until.delete(session)
    }
  }
}
