import type { Clock } from '../../ports/clock.ts'
import type { Reader, Store, Transaction } from '../../ports/store.ts'
import { servers, type StoredServer } from '../collections/feed-store.ts'

/** The duration of a lease in milliseconds, for which changes of other servers wait for the holder. */
export const leaseMs = 3000

/** The time in milliseconds by which a server treats its own lease as expired before other servers do. */
export const marginMs = 500

/** The store of the servers' leases, and the clock that all servers share. */
export interface LeasePlace {
  /**
   * The store of the leases, separate from the main store so that a renewal neither waits for writers nor writes to
   * their disk. Absent: the leases are in the main store.
   */
  readonly store?: Store
  /** Returns the time in milliseconds since any origin that is the same for all servers. */
  readonly time: () => Promise<number>
  /**
   * The longest remaining time of a valid lease, in milliseconds. A lease with more remaining time was written before
   * the clock restarted. Absent: the clock never restarts.
   */
  readonly longestMs?: number
}

/** The parts of leases; `store` is the store of the feed. */
export interface LeaseServices {
  readonly store: Store
  readonly clock: Clock
  readonly place: LeasePlace
  /** Returns milliseconds of a clock of this server that cannot be set. */
  readonly steady: () => number
}

/**
 * Renews the lease of this server, and reads the leases of the other servers. A lease contains the revision up to which
 * its server has applied all changes (iam.md 4.3).
 */
export class Leases {
  readonly id: string
  readonly #parts: LeaseServices
  readonly #store: Store
  #runsUntil = -Infinity
  #renewed = -Infinity
  #applied = -1

  constructor(parts: LeaseServices) {
    this.id = parts.clock.newId()
    this.#parts = parts
    this.#store = parts.place.store ?? parts.store
  }

  /** Whether the lease is valid. While the lease is valid, changes wait for this server. */
  get isRunning(): boolean {
    return this.#parts.steady() <= this.#runsUntil
  }

  /**
   * The revision in the lease of this server: other servers see that this server has applied all changes up to this
   * revision.
   */
  get applied(): number {
    return this.#applied
  }

  /** The milliseconds since the beginning of the last renewal. */
  get age(): number {
    return this.#parts.steady() - this.#renewed
  }

  /**
   * Renews the lease. `catchUp` applies all committed changes and returns the revision. `catchUp` runs before the
   * renewal, so that the revision in a lease is at most one renewal old. No change waits for a server without a lease,
   * so a server that acquires a lease calls `catchUp` again.
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

  /** Releases the lease, so that no change waits for this server. */
  async drop(): Promise<void> {
    this.#runsUntil = -Infinity
    await this.#store.tx(async tx => {
      const stored = await tx.lock(servers, this.id)
      if (stored) await tx.delete(servers, this.id, stored.version)
    })
  }

  /**
   * Returns the valid leases of the other servers. Reads through `tx` if the leases are in the store of the
   * transaction.
   */
  async others(tx?: Transaction): Promise<readonly StoredServer[]> {
    const { clock, place } = this.#parts
    const isInside = tx !== undefined && place.store === undefined
    // A transaction uses the clock of this server instead of a query for the time. The subtracted margin tolerates a
    // difference of up to `marginMs` between the clocks.
    const now = isInside ? clock.now() - marginMs : await place.time()
    const found: StoredServer[] = []
    for (const lease of await leasesIn(isInside ? tx : this.#store)) {
      if (lease.id !== this.id && this.#runs(lease, now)) found.push(lease)
    }
    return found
  }

  /** Deletes leases that expired more than `keptMs` milliseconds ago, and leases from before a restart of the clock. */
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
