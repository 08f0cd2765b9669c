import type { Clock } from '../../domain/ports/clock.ts'
import type { Processes } from '../../domain/ports/processes.ts'
import type { Collection, Reader, Store, Transaction } from '../../domain/ports/store.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import type { Log } from '../log.ts'
import { isGone, ownPlace, type ProcessPlace } from './host.ts'

/** A process that holds leases, as other processes see it. */
export interface OwnerRow extends ProcessPlace {
  readonly id: string
  readonly heartbeat_time: string
  /** The number of heartbeats of the process. */
  readonly beats: number
}

/** The processes that work on a store. */
export const owners: Collection<OwnerRow> = { name: 'ninefold_processes', id: 'id' }

/** A lease that the heartbeat renews. */
export interface Tenure {
  /**
   * Extends the lease in a transaction of the heartbeat; returns false if another process holds the lease. May run
   * again.
   */
  renew(tx: Transaction, until: string): Promise<boolean>
  /** Stops the work under the lease, because another process holds the lease, or may hold it. */
  lost(): void
}

/** The duration of a lease and the interval of heartbeats, in milliseconds. */
export interface LeaseTimes {
  readonly leaseMs: number
  readonly heartbeatMs: number
}

/**
 * The error of work under a lease that has expired or that another process holds. A write under such a lease must not
 * happen.
 */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor(what: string) {
    super(`the lease of ${what} is lost`)
  }
}

/**
 * This process as a holder of leases: one row, and a heartbeat that renews first the row and then all leases. All times
 * are by `clock`, which is the clock of the store if several machines share the store.
 */
export class Owner implements Processes {
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

  /** Inserts the row of the process and begins the heartbeat. */
  async start(): Promise<void> {
    await this.#beat()
    this.#schedule()
  }

  /** Ends the heartbeat and deletes the row of the process, which releases all its leases at once. */
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
   * Ensures that the leases of this process are valid or known to be lost. Code awaits `assure` before work begins
   * under a lease. After a pause of the length of a lease, a heartbeat finds the lost leases. Throws `LeaseLost` if the
   * heartbeat fails, or if the process has stopped its work.
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

  /** Runs an extra heartbeat, which shows whether this process can write to the store; rejects if it cannot. */
  async probe(): Promise<void> {
    if (!this.#isStopped) await this.#beat()
  }

  /** Returns the end of a lease that is taken or renewed now. */
  until(): string {
    return formatMillis(this.#clock.now() + this.times.leaseMs)
  }

  /** Returns the ids of the live processes; any other process holds no lease. */
  async living(reader: Reader): Promise<ReadonlySet<string>> {
    const living = new Set<string>()
    for await (const { value } of reader.each(owners)) if (this.#lives(value)) living.add(value.id)
    return living
  }

  /** Deletes the rows of dead processes. A process that was only slow inserts its row again. */
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

  /**
   * Whether a process has sent no heartbeat for the length of a lease, by the clock of this process: a clock that was
   * set back leaves heartbeats in the future.
   */
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

  /**
   * Sends one heartbeat. The row of the process is renewed first: a lease that cannot be renewed must not make the
   * process seem dead. On a file, a crash of the machine ends all processes, so that heartbeats need not outlast it.
   */
  async #beatOnce(): Promise<void> {
    const started = performance.now()
    await this.#store.tx(tx => this.#sign(tx), { isPassing: true })
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

  /** Renews all leases in one transaction, or after a failure each in its own; returns the lost leases. */
  async #renew(tenures: readonly Tenure[]): Promise<readonly Tenure[]> {
    if (tenures.length === 0) return []
    try {
      return await this.#store.tx(
        async tx => {
          const lost: Tenure[] = []
          for (const tenure of tenures) if (!(await tenure.renew(tx, this.until()))) lost.push(tenure)
          return lost
        },
        { isPassing: true },
      )
    } catch (error) {
      if (tenures.length > 1) return (await Promise.all(tenures.map(tenure => this.#renew([tenure])))).flat()
      this.#log.warn({ err: error }, 'a lease cannot be renewed')
      return []
    }
  }

  /**
   * Logs a failed heartbeat. After the length of a lease without a heartbeat, gives up all leases, because other
   * processes may hold them.
   */
  #missed(error: unknown): void {
    this.#log.warn({ err: error }, 'heartbeat failed')
    if (performance.now() - this.#lastBeat <= this.times.leaseMs) return
    for (const tenure of this.#tenures) this.#lose(tenure)
  }

  #lose(tenure: Tenure): void {
    if (this.#tenures.delete(tenure)) tenure.lost()
  }
}
