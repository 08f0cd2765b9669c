import type { Clock } from '../../ports/clock.ts'
import type { Reader, Store, Transaction } from '../../ports/store.ts'
import { servers, type StoredServer } from '../collections/feed-store.ts'

/** A server that cannot renew its lease decides from memory no longer than this, milliseconds. */
export const leaseMs = 3000

/** How much sooner it takes its lease for lapsed by its own clock. */
export const marginMs = 500

/** Where the servers on a store keep their leases, and by which clock all of them judge these. */
export interface LeasePlace {
  /** Beside the store, so that a renewal neither waits for who writes there nor has its disk write; absent: the store itself. */
  readonly store?: Store
  /** Milliseconds from any beginning, the same for all. */
  readonly time: () => Promise<number>
  /** A lease that has longer to run is none: the clock has begun anew since it was written. Absent: it never does. */
  readonly longestMs?: number
}

/** What leases are kept with; the store is that of the feed. */
export interface LeaseParts {
  readonly store: Store
  readonly clock: Clock
  readonly place: LeasePlace
  /** Milliseconds by a clock of this server that cannot be set. */
  readonly steady: () => number
}

/** The lease of one server, and those of the others: how far each has followed what changes (iam.md 4.3). */
export class Leases {
  readonly id: string
  readonly #parts: LeaseParts
  readonly #store: Store
  #runsUntil = -Infinity
  #renewed = -Infinity
  #applied = -1

  constructor(parts: LeaseParts) {
    this.id = parts.clock.newId()
    this.#parts = parts
    this.#store = parts.place.store ?? parts.store
  }

  /** While it runs, whoever changes something waits for this server. */
  get isRunning(): boolean {
    return this.#parts.steady() <= this.#runsUntil
  }

  /** What others know this server to have applied. */
  get applied(): number {
    return this.#applied
  }

  /** Milliseconds since the last renewal began. */
  get age(): number {
    return this.#parts.steady() - this.#renewed
  }

  /**
   * `catchUp` applies all that is committed and answers its revision. It comes first, so that a lease is at most one
   * renewal behind. For a server without a lease nobody waits: it catches up once more when it has one.
   */
  async renew(catchUp: () => Promise<number>): Promise<void> {
    const { place, steady } = this.#parts
    const began = steady()
    const lease_until = (await place.time()) + leaseMs
    const applied_rev = await catchUp()
    await this.#store.tx(tx => write(tx, { id: this.id, applied_rev, lease_until }))
    this.#applied = applied_rev
    if (!this.isRunning) await catchUp()
    this.#renewed = began
    this.#runsUntil = began + leaseMs - marginMs
  }

  /** Lets go of the lease, so that nobody waits for it. */
  async drop(): Promise<void> {
    this.#runsUntil = -Infinity
    await this.#store.tx(async tx => {
      const stored = await tx.lock(servers, this.id)
      if (stored) await tx.delete(servers, this.id, stored.version)
    })
  }

  /** The other servers whose lease runs; by what a transaction sees, where leases lie in its store. */
  async others(tx?: Transaction): Promise<readonly StoredServer[]> {
    const { clock, place } = this.#parts
    const isInside = tx !== undefined && place.store === undefined
    // The clock is that of the store but for the time that asking takes, which the margin covers.
    const now = isInside ? clock.now() - marginMs : await place.time()
    const found: StoredServer[] = []
    for (const lease of await leasesIn(isInside ? tx : this.#store)) {
      if (lease.id !== this.id && this.#runs(lease, now)) found.push(lease)
    }
    return found
  }

  /** Deletes the leases that lapsed more than `keptMs` ago. */
  async sweep(keptMs: number): Promise<void> {
    const now = await this.#parts.place.time()
    await this.#store.tx(async tx => {
      for await (const { id, value, version } of tx.each(servers)) {
        const isOver = value.lease_until < now - keptMs || !this.#canBe(value, now)
        if (isOver) await tx.delete(servers, id, version)
      }
    })
  }

  #runs(lease: StoredServer, now: number): boolean {
    return lease.lease_until > now && this.#canBe(lease, now)
  }

  #canBe({ lease_until }: StoredServer, now: number): boolean {
    return lease_until <= now + (this.#parts.place.longestMs ?? Infinity)
  }
}

async function leasesIn(reader: Pick<Reader, 'each'>): Promise<readonly StoredServer[]> {
  const found: StoredServer[] = []
  for await (const { value } of reader.each(servers)) found.push(value)
  return found
}

async function write(tx: Transaction, lease: StoredServer): Promise<void> {
  const stored = await tx.lock(servers, lease.id)
  if (stored) await tx.update(servers, lease.id, lease, stored.version)
  else await tx.insert(servers, lease)
}
