import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Reader, Store, Transaction } from '../../domain/ports/store.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Log } from '../log.ts'
import { isGone, ownPlace, type ProcessPlace } from './host.ts'

/** A process that holds leases, as the others see it. */
export interface OwnerRow extends ProcessPlace {
  readonly id: string
  readonly heartbeat_time: string
  /** Grows with every heartbeat. */
  readonly beats: number
}

/** The processes at work on a store. */
export const owners: Collection<OwnerRow> = { name: 'ninefold_processes', id: 'id' }

/** Something that is held under a lease. */
export interface Tenure {
  /** Holds it until then, in a transaction of the heartbeat; false when it is another's by now. May run again. */
  renew(tx: Transaction, until: string): Promise<boolean>
  /** It is another's, or may be: what is done under it must stop. */
  lost(): void
}

/** Lengths in milliseconds. */
export interface LeaseTimes {
  readonly leaseMs: number
  readonly heartbeatMs: number
}

/** Whose a lease was is gone, or another holds it: what is written under it must not be. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor(what: string) {
    super(`the lease of ${what} is lost`)
  }
}

/**
 * This process as a holder of leases: one row, and a heartbeat that renews first it and then all leases. Times
 * are those of `clock`, which on a store of several machines is the store's.
 */
export class Owner {
  readonly id: string
  readonly times: LeaseTimes
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #tenures = new Set<Tenure>()
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>()
  #beats = 0
  #lastBeat = performance.now()
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> | undefined
  #isStopped = false

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly log: Log }, times: LeaseTimes) {
    this.id = parts.clock.newId()
    this.times = times
    this.#store = parts.store
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Makes the process known and keeps it so. */
  async start(): Promise<void> {
    await this.#beat()
    this.#schedule()
  }

  /** Ends the heartbeat; whatever is still held is free for others at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.allSettled([this.#beating])
    await this.#store.tx(async tx => {
      const row = await tx.lock(owners, this.id)
      if (row) await tx.delete(owners, this.id, row.version)
    })
  }

  hold(tenure: Tenure): void {
    this.#tenures.add(tenure)
  }

  release(tenure: Tenure): void {
    this.#tenures.delete(tenure)
  }

  /**
   * To be awaited before anything is begun under a lease. A process that was stopped for longer than its leases last finds
   * out by a heartbeat which of them are lost; throws `LeaseLost` when it cannot.
   */
  async assure(): Promise<void> {
    if (performance.now() - this.#lastBeat < this.times.leaseMs) return
    if (this.#isStopped) throw new LeaseLost(`process ${this.id}`)
    try {
      await this.#beat()
    } catch (error) {
      this.#missed(error)
      throw new LeaseLost(`process ${this.id}`)
    }
  }

  /** A heartbeat out of turn, which says whether this process can write to the store; rejects when it cannot. */
  async probe(): Promise<void> {
    if (!this.#isStopped) await this.#beat()
  }

  /** The end of a lease that is taken or renewed now. */
  until(): string {
    return formatMillis(this.#clock.now() + this.times.leaseMs)
  }

  /** The processes that live; who is not among them holds nothing. */
  async living(reader: Reader): Promise<ReadonlySet<string>> {
    const living = new Set<string>()
    for await (const { value } of reader.each(owners)) if (this.#lives(value)) living.add(value.id)
    return living
  }

  /** Deletes the rows of processes that do not live. One that was only slow makes its row again. */
  async bury(): Promise<void> {
    const known = new Set<string>()
    for await (const { id, value } of this.#store.each(owners)) {
      known.add(id)
      if (this.#lives(value)) continue
      await this.#store.tx(async tx => {
        const row = await tx.lock(owners, id)
        if (row && !this.#lives(row.value)) await tx.delete(owners, id, row.version)
      })
    }
    for (const id of this.#seen.keys()) if (!known.has(id)) this.#seen.delete(id)
  }

  #lives(row: OwnerRow): boolean {
    if (row.id === this.id) return true
    const isExpired = Date.parse(row.heartbeat_time) + this.times.leaseMs <= this.#clock.now()
    return !isExpired && !isGone(row) && !this.#isStill(row)
  }

  /** A clock that was put back keeps heartbeats in the future, so that silence is measured here too. */
  #isStill({ id, beats }: OwnerRow): boolean {
    const now = performance.now()
    const seen = this.#seen.get(id)
    if (seen?.beats === beats) return now - seen.since > this.times.leaseMs
    this.#seen.set(id, { beats, since: now })
    return false
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#beat()
        .catch((error: unknown) => this.#missed(error))
        .finally(() => !this.#isStopped && this.#schedule())
    }, this.times.heartbeatMs).unref()
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => (this.#beating = undefined))
    return this.#beating
  }

  /** What keeps one of the leases from being renewed must not make the process look dead, so its own row comes first. */
  async #beatOnce(): Promise<void> {
    const started = performance.now()
    await this.#store.tx(tx => this.#sign(tx))
    this.#lastBeat = started
    const lost = await this.#renew([...this.#tenures])
    for (const tenure of lost) this.#lose(tenure)
  }

  async #sign(tx: Transaction): Promise<void> {
    this.#beats += 1
    const heartbeat_time = formatMillis(this.#clock.now())
    const row = { id: this.id, ...ownPlace(), heartbeat_time, beats: this.#beats }
    const old = await tx.lock(owners, this.id)
    if (old === undefined) await tx.insert(owners, row)
    else await tx.update(owners, this.id, row, old.version)
  }

  /** Renews leases together, or when that fails each for itself; which of them are lost. */
  async #renew(tenures: readonly Tenure[]): Promise<readonly Tenure[]> {
    if (tenures.length === 0) return []
    try {
      return await this.#store.tx(async tx => {
        const lost: Tenure[] = []
        for (const tenure of tenures) if (!(await tenure.renew(tx, this.until()))) lost.push(tenure)
        return lost
      })
    } catch (error) {
      if (tenures.length > 1) return (await Promise.all(tenures.map(tenure => this.#renew([tenure])))).flat()
      this.#log.warn({ err: error }, 'a lease cannot be renewed')
      return []
    }
  }

  /** Without a heartbeat for a whole lease others may hold by now what is held here. */
  #missed(error: unknown): void {
    this.#log.warn({ err: error }, 'heartbeat failed')
    if (performance.now() - this.#lastBeat <= this.times.leaseMs) return
    for (const tenure of this.#tenures) this.#lose(tenure)
  }

  #lose(tenure: Tenure): void {
    if (this.#tenures.delete(tenure)) tenure.lost()
  }
}
