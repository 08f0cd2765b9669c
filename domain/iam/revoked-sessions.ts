import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { pages } from './pages.ts'
import { compareTime } from './time-filters.ts'
import { accessTokenMs } from './token-lives.ts'
import { revokeTimeField, tokens } from './tokens-store.ts'

/** How much longer a revocation is remembered than access tokens live: one may be signed while it commits. */
const spareMs = 60_000

/** The sessions that were revoked while access tokens of theirs may still be about (iam.md 4.3). */
export class RevokedSessions {
  readonly #store: Store
  readonly #clock: Clock
  /** Until when each is remembered, the oldest first. */
  readonly #until = new Map<string, number>()

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
    this.#until.set(session, now + accessTokenMs + spareMs)
  }

  /** Adds what the store tells: to be awaited at the start, and after changes may have been missed. */
  async load(): Promise<void> {
    const since = this.#clock.now() - accessTokenMs - spareMs
    const filter = compareTime(revokeTimeField, '>', since)
    for await (const { id } of pages(this.#store, tokens, filter, revokeTimeField)) this.add(id)
  }

  #forget(now: number): void {
    for (const [session, until] of this.#until) {
      if (until > now) return
      this.#until.delete(session)
    }
  }
}
