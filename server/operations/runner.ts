import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Stored } from '../../domain/ports/store.ts'
import { operationDeadlineExceeded } from '../../output/shared/errors.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { commonError } from './area-records.ts'
import { claimWork, dueWork, queued } from './claim.ts'
import { compareTime, firstRows } from './conditions.ts'
import { failAlone } from './ending.ts'
import { LeaseLost } from './owners.ts'
import { Stopping, WorkRun, type RunParts } from './run.ts'
import type { QueueListener } from './work-queue.ts'
import { workFields, works, type Work } from './work.ts'

/** How a process works; lengths in milliseconds. */
export interface RunnerOptions {
  /** Pieces of work that are run at a time; one lane gets half of that, so that none can hold up all others. */
  readonly concurrency: number
  /** How often the store is asked: what was heard of in this process is taken up at once. */
  readonly pollMs: number
  /** How long steps may take to heed their signal when the server stops. */
  readonly stopGraceMs: number
}

/** Rows that are looked at together. */
const batchSize = 100

/** The clock was put back when it shows less than before by more than it may drift. */
const driftMs = 1000

/**
 * Runs the work of a store in this process, beside the runners of other processes (conventions §15): claims what is due,
 * takes over what dead processes have left, and ends what is past its deadline.
 */
export class Runner implements QueueListener {
  readonly #parts: RunParts
  readonly #options: RunnerOptions
  readonly #runs = new Map<string, { readonly run: WorkRun; readonly over: Promise<void> }>()
  readonly #wakeUps = new Set<NodeJS.Timeout>()
  #lastLane = ''
  #lastNow = -Infinity
  #claiming: Promise<void> | undefined
  #isWoken = false
  #polling: Promise<void> = Promise.resolve()
  #stopListening = (): void => {}
  #isStopped = false

  constructor(parts: RunParts, options: RunnerOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** Takes over what dead processes hold, and works from then on. */
  start(): void {
    this.#stopListening = this.#parts.queue.listen(this)
    this.#poll()
  }

  /** Aborts what is running and gives it back; what does not end in time is left to its lease. */
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
    else if (afterMs < this.#options.pollMs) this.#later(afterMs, () => this.#wake())
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
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'durable work cannot be looked after'))
      .finally(() => {
        this.#wake()
        this.#later(this.#options.pollMs, () => this.#poll())
      })
  }

  /** What no commit in this process tells of. */
  async #tend(): Promise<void> {
    const now = this.#parts.clock.now()
    const isPutBack = this.#lastNow === -Infinity || now < this.#lastNow - driftMs
    this.#lastNow = now
    if (isPutBack) await this.#hasten(now)
    await this.#takeOver(now)
    await this.#reap(now)
  }

  #wake(): void {
    if (this.#isStopped) return
    this.#isWoken = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'durable work cannot be claimed'))
      .finally(() => (this.#claiming = undefined))
  }

  async #claimAll(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false
      // Work without end must leave turns of the event loop to calls.
      while ((await this.#claim()) > 0) await nextTurn()
    }
  }

  /** How many pieces of work were looked at: other processes may have been faster. */
  async #claim(): Promise<number> {
    const { clock, owner, queue, store } = this.#parts
    const count = this.#options.concurrency - this.#runs.size
    const { kinds } = queue
    if (count <= 0 || kinds.length === 0 || this.#isStopped) return 0
    const now = clock.now()
    const after = this.#lastLane
    const room = (lane: string): number => this.#room(lane)
    const due = await dueWork(store, { now, kinds, count, after, room, except: this.#runs })
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

  /** The end of a step could not be written: the step is run again when the lease is over. */
  #dropped({ id, kind, step }: Work, error: unknown): void {
    if (error instanceof LeaseLost) return
    this.#parts.log.error({ err: error, kind, step, work: id }, 'work is left to its lease')
  }

  /** Queues anew what is leased to processes that do not live, or was not renewed in time. */
  async #takeOver(now: number): Promise<void> {
    const { owner, log, store } = this.#parts
    const taken = await this.#requeue('LEASED', now, async rows => {
      // Read after the rows: a process makes itself known before it claims anything.
      const living = await owner.living(store)
      const isOver = ({ lease_owner, lease_until = '' }: Work): boolean =>
        !living.has(lease_owner) || Date.parse(lease_until) <= now
      return rows.filter(({ id, value }) => !this.#runs.has(id) && isOver(value))
    })
    if (taken > 0) log.info({ count: taken }, 'work of other processes is taken over')
    await owner.bury()
  }

  /** What was queued before the clock was put back would wait until it shows that time again. */
  async #hasten(now: number): Promise<void> {
    await this.#requeue('QUEUED', now, async rows => rows.filter(({ value }) => Date.parse(value.queue_time) > now))
  }

  /** Makes the work that `choose` picks due now; how many rows that were. */
  async #requeue(
    state: Work['state'],
    now: number,
    choose: (rows: readonly Stored<Work>[]) => Promise<readonly Stored<Work>[]>,
  ): Promise<number> {
    const { lane, runAfter, id } = workFields
    let count = 0
    let after: ListQuery['after']
    do {
      const query = { ...firstRows(batchSize, undefined, lane, runAfter, id), after }
      const page = await this.#parts.store.page(works, query, { state })
      const chosen = page.items.length === 0 ? [] : await choose(page.items)
      if (chosen.length > 0) count += await this.#requeueThese(chosen, now)
      after = page.next
    } while (after !== undefined)
    return count
  }

  #requeueThese(rows: readonly Stored<Work>[], now: number): Promise<number> {
    return this.#parts.store.tx(async tx => {
      let count = 0
      for (const { id, value, version } of rows) {
        if ((await tx.tryUpdate(works, id, queued(value, now, 0), version)) !== undefined) count += 1
      }
      return count
    })
  }

  /** Ends what is past its deadline, whoever runs it. */
  async #reap(now: number): Promise<void> {
    const filter = compareTime(workFields.deadline, '<=', now)
    const query = firstRows(batchSize, filter, workFields.deadline, workFields.id)
    for (;;) {
      const { items } = await this.#parts.store.page(works, query)
      const ends = await Promise.all(items.map(work => this.#endLate(work, now)))
      if (items.length < batchSize || !ends.includes(true)) return
    }
  }

  /** False for work of a procedure that this version of the program does not know. */
  async #endLate({ id, value }: Stored<Work>, now: number): Promise<boolean> {
    const { log, queue, store } = this.#parts
    const declared = queue.find(value.kind)
    if (declared === undefined) return false
    const seconds = (Date.parse(value.deadline ?? '') - Date.parse(value.insert_time)) / 1000
    const description = `the operation did not end within ${seconds} s`
    const error = commonError(declared.records, operationDeadlineExceeded, description)
    log.warn({ kind: value.kind, step: value.step, work: id }, 'work has exceeded its deadline')
    await failAlone(store, log, { queue, declared, now, errors: [error] }, tx => tx.lock(works, id))
    return true
  }
}
