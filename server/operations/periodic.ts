import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Store, Stored, Transaction } from '../../domain/ports/store.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import type { Log } from '../log.ts'
import { LeaseLost, type Owner, type Tenure } from './owners.ts'

/** The lease of a periodic worker. */
export interface LeaseRow {
  /** The name of the worker. */
  readonly id: string
  /** The id of the process that holds the lease; empty if no process holds the lease. */
  readonly owner: string
  readonly lease_until: string
  /** The number of claims of the lease. */
  readonly fence: number
}

/** The leases of all periodic workers. */
export const leases: Collection<LeaseRow> = { name: 'ninefold_leases', id: 'id' }

interface PeriodicServices {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly owner: Owner
}

/**
 * Periodic work of one process at a time (conventions §15). A process keeps the named lease for as long as the process
 * lives; it runs the work at once, and then `everyMs` milliseconds after each end. A failure is logged, and the next
 * run must do the work that was left.
 */
export class PeriodicWorker implements Tenure {
  readonly #parts: PeriodicServices
  readonly #options: Worker
  #fence: number | undefined
  #abort = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: PeriodicServices, options: Worker) {
    this.#parts = parts
    this.#options = options
  }

  start(): void {
    if (this.#isStopped) return
    this.#timer = undefined
    this.#turn = this.#takeTurn()
  }

  /** Aborts a run in progress and releases the lease. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#abort.abort(new Error('the server stops'))
    await this.#turn
    this.#parts.owner.release(this)
    await this.#letGo()
  }

  async renew(tx: Transaction, lease_until: string): Promise<boolean> {
    const row = await tx.lock(leases, this.#options.name)
    if (!this.#isOwn(row)) return false
    await tx.update(leases, row.id, { ...row.value, lease_until }, row.version)
    return true
  }

  lost(): void {
    this.#fence = undefined
    this.#abort.abort(new LeaseLost(this.#options.name))
    if (this.#timer !== undefined) this.#schedule(this.#parts.owner.times.heartbeatMs)
  }

  #schedule(waitMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), waitMs).unref()
  }

  async #takeTurn(): Promise<void> {
    const { log } = this.#parts
    const { name, everyMs, keepsLease, run } = this.#options
    try {
      if (this.#fence !== undefined) await this.#check()
      if (this.#fence === undefined) await this.#claim()
      // `assure` runs after the store has answered: a process that was paused before the answer may have lost its
      // lease.
      await this.#parts.owner.assure()
      if (this.#fence !== undefined) await run({ signal: this.#abort.signal, tx: fn => this.#tx(fn) })
      if (this.#fence !== undefined && keepsLease?.() === false) await this.#yield()
    } catch (error) {
      const isLost = this.#abort.signal.aborted || error instanceof LeaseLost
      if (!isLost) log.error({ err: error, worker: name }, 'periodic work failed')
    }
    this.#schedule(this.#fence === undefined ? this.#parts.owner.times.heartbeatMs : everyMs)
  }

  /** Gives the lease up, so that another process may take it. */
  async #yield(): Promise<void> {
    this.#parts.owner.release(this)
    try {
      await this.#letGo()
    } finally {
      this.#fence = undefined
    }
  }

  /**
   * Gives up the lease if another process has taken it: a process that stalled, or whose clock differs, may have lost
   * the lease since the last heartbeat.
   */
  async #check(): Promise<void> {
    const row = await this.#parts.store.get(leases, this.#options.name)
    if (this.#isOwn(row)) return
    this.#parts.owner.release(this)
    this.lost()
  }

  /** Takes the lease if no process holds it, or if its holder is dead or its time is over. */
  async #claim(): Promise<void> {
    const { clock, owner, store } = this.#parts
    const { name } = this.#options
    const claim = async (tx: Transaction): Promise<number | undefined> => {
      const row = await tx.lock(leases, name)
      const living = await owner.living(tx)
      const isHeld = row && living.has(row.value.owner) && Date.parse(row.value.lease_until) > clock.now()
      if (isHeld && row.value.owner !== owner.id) return undefined
      const taken = { id: name, owner: owner.id, lease_until: owner.until(), fence: (row?.value.fence ?? 0) + 1 }
      if (row === undefined) await tx.insert(leases, taken)
      else await tx.update(leases, name, taken, row.version)
      return taken.fence
    }
    // A write under the lease saves the claim too.
    const fence = await store.tx(claim, { isPassing: true })
    if (fence === undefined) return
    this.#fence = fence
    if (!this.#isStopped) this.#abort = new AbortController()
    owner.hold(this)
  }

  async #tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
    const { name } = this.#options
    return this.#parts.store.tx(async tx => {
      if (!this.#isOwn(await tx.lock(leases, name))) throw new LeaseLost(name)
      return fn(tx)
    })
  }

  async #letGo(): Promise<void> {
    const letGo = async (tx: Transaction): Promise<void> => {
      const row = await tx.lock(leases, this.#options.name)
      if (this.#isOwn(row)) await tx.update(leases, row.id, { ...row.value, owner: '' }, row.version)
    }
    await this.#parts.store.tx(letGo, { isPassing: true })
  }

  #isOwn(row: Stored<LeaseRow> | undefined): row is Stored<LeaseRow> {
    return row !== undefined && row.value.owner === this.#parts.owner.id && row.value.fence === this.#fence
  }
}
