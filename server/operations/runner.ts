import { setImmediate as nextTurn } from 'node:timers/promises'
import { claimWork, dueWork } from './claim.ts'
import { LeaseLost } from './owners.ts'
import { Stopping, WorkRun, type RunServices } from './run.ts'
import { WorkRecovery } from './work-recovery.ts'
import type { QueueListener } from './work-queue.ts'
import type { Work } from './work.ts'

/** The settings of a runner; durations in milliseconds. */
export interface RunnerOptions {
  /**
   * The maximal number of concurrent pieces of work. One lane gets at most half of this number, so that no lane blocks
   * all others.
   */
  readonly concurrency: number
  /** The interval of the polls of the store. Work that this process queues is taken up at once. */
  readonly pollMs: number
  /** The time for steps to heed their signal when the server stops. */
  readonly stopGraceMs: number
}

/**
 * Runs the work of a store in this process, in addition to the runners of other processes (conventions §15): claims due
 * work, takes over the work of dead processes, and ends work past its deadline.
 */
export class Runner implements QueueListener {
  readonly #parts: RunServices
  readonly #options: RunnerOptions
  readonly #tending: WorkRecovery
  readonly #runs = new Map<string, { readonly run: WorkRun; readonly over: Promise<void> }>()
  readonly #wakeUps = new Set<NodeJS.Timeout>()
  #lastLane = ''
  #claiming: Promise<void> | undefined
  #isWoken = false
  /** Whether work of this process has become due after a delay. */
  #hasWaited = false
  #polling: Promise<void> = Promise.resolve()
  #stopListening = (): void => {}
  #isStopped = false

  constructor(parts: RunServices, options: RunnerOptions) {
    this.#parts = parts
    this.#options = options
    this.#tending = new WorkRecovery(parts)
  }

  /** Takes over the work of dead processes, and runs work from then on. */
  start(): void {
    this.#stopListening = this.#parts.queue.listen(this)
    this.#poll()
  }

  /**
   * Aborts running work and releases its leases. Work that does not end in time keeps its lease until the lease
   * expires.
   */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    for (const timer of this.#wakeUps) clearTimeout(timer)
    await this.#polling
    await this.#claiming
    for (const { run } of this.#runs.values()) run.abort(new Stopping())
    await Promise.race([
      Promise.all([...this.#runs.values()].map(({ over }) => over)),
      new Promise(resolve => setTimeout(resolve, this.#options.stopGraceMs).unref()),
    ])
  }

  queued(afterMs: number): void {
    if (afterMs === 0) this.#wake()
    else if (afterMs < this.#options.pollMs) {
      this.#later(afterMs, () => {
        this.#hasWaited = true
        this.#wake()
      })
    }
  }

  ended(id: string): void {
    this.#runs.get(id)?.run.abort(new LeaseLost(`work ${id}`))
  }

  #later(afterMs: number, run: () => void): void {
    if (this.#isStopped) return
    const timer = setTimeout(() => {
      this.#wakeUps.delete(timer)
      run()
    }, afterMs).unref()
    this.#wakeUps.add(timer)
  }

  #poll(): void {
    this.#polling = this.#tend()
  }

  async #tend(): Promise<void> {
    let isMoreLeft = false
    try {
      isMoreLeft = await this.#tending.tend(id => this.#runs.has(id))
    } catch (error) {
      this.#parts.log.error({ err: error }, 'durable work cannot be looked after')
    }
    this.#wake()
    this.#later(isMoreLeft ? 0 : this.#options.pollMs, () => this.#poll())
  }

  #wake(): void {
    if (this.#isStopped) return
    this.#isWoken = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.#parts.log.error({ err: error }, 'durable work cannot be claimed')
      })
      .finally(() => (this.#claiming = undefined))
  }

  async #claimAll(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false
      if (this.#hasWaited) {
        this.#hasWaited = false
        await this.#tending.queueDue()
      }
      // A pause leaves turns of the event loop to calls, even with endless work.
      while ((await this.#claim()) > 0) await nextTurn()
    }
  }

  /** Claims due work. Returns the number of due pieces; other processes may have claimed some of them first. */
  async #claim(): Promise<number> {
    const { clock, owner, queue, store } = this.#parts
    const count = this.#options.concurrency - this.#runs.size
    const { kinds } = queue
    if (count <= 0 || kinds.length === 0 || this.#isStopped) return 0
    await owner.assure()
    const now = clock.now()
    const after = this.#lastLane
    const room = (lane: string): number => this.#room(lane)
    const due = await dueWork(store, { kinds, count, after, room, except: this.#runs })
    if (due.length === 0) return 0
    this.#lastLane = due.at(-1)?.value.lane ?? ''
    const lease = { lease_owner: owner.id, lease_until: owner.until(), now }
    for (const work of await store.tx(tx => claimWork(tx, queue, due, lease))) this.#begin(work)
    return due.length
  }

  #room(lane: string): number {
    const most = Math.max(1, Math.floor(this.#options.concurrency / 2))
    return most - [...this.#runs.values()].filter(({ run }) => run.lane === lane).length
  }

  #begin(work: Work): void {
    const declared = this.#parts.queue.find(work.kind)
    if (declared === undefined) throw new Error(`procedure ${work.kind} is not declared`)
    const run = new WorkRun(this.#parts, declared, work)
    const over = run
      .run()
      .catch((error: unknown) => this.#dropped(work, error))
      .finally(() => {
        this.#runs.delete(work.id)
        this.#wake()
      })
    this.#runs.set(work.id, { run, over })
  }

  /**
   * Logs work whose step could not be recorded: the step runs again after the lease has expired. Ignores a lost lease.
   */
  #dropped({ id, kind, step }: Work, error: unknown): void {
    if (error instanceof LeaseLost) return
    this.#parts.log.error({ err: error, kind, step, work: id }, 'work is left to its lease')
  }
}
