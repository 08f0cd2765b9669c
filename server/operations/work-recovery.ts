import type { Stored } from '../../domain/ports/store.ts'
import { operationDeadlineExceeded } from '../../output/shared/errors.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { commonError } from './area-records.ts'
import { queued } from './claim.ts'
import { and, compareTime, firstRows, isOneOf } from '../store/row-filters.ts'
import { failAlone } from './end-work.ts'
import type { RunServices } from './run.ts'
import { workFields, works, type Work } from './work.ts'

const { deadline, id, kind, lane, runAfter } = workFields

/** The number of rows that are read together. */
const batchSize = 100

/**
 * The tolerated drift of the clock in milliseconds. A clock that shows an earlier time than before, by more than the
 * drift, was set back.
 */
const driftMs = 1000

/** Returns the changed row of a piece of work. */
type Change = (work: Work) => Work

/** Recovers work without a live runner: waiting work, late work, and the work of dead processes. */
export class WorkRecovery {
  readonly #parts: RunServices
  #lastNow = -Infinity

  constructor(parts: RunServices) {
    this.#parts = parts
  }

  /**
   * Takes over, queues and ends work; `isRunning` returns true for work that this process runs. Returns true if there
   * may be more late work, so that the caller repeats the call without a pause.
   */
  async tend(isRunning: (id: string) => boolean): Promise<boolean> {
    const now = this.#parts.clock.now()
    const isPutBack = this.#lastNow === -Infinity || now < this.#lastNow - driftMs
    this.#lastNow = now
    if (isPutBack) await this.#hasten(now)
    await this.queueDue()
    await this.#takeOver(now, isRunning)
    return this.#reap(now)
  }

  /** Queues work whose delay is over, the oldest first. */
  async queueDue(): Promise<void> {
    const query = firstRows(batchSize, compareTime(runAfter, '<=', this.#parts.clock.now()), runAfter, id)
    let count: number
    do {
      const { items } = await this.#parts.store.page(works, query, { state: 'WAITING' })
      count = await this.#change(items, work => ({ ...work, state: 'QUEUED' }))
    } while (count === batchSize)
  }

  /** Queues work again whose process is dead, or whose lease was not renewed in time. */
  async #takeOver(now: number, isRunning: (id: string) => boolean): Promise<void> {
    const { owner, log, store } = this.#parts
    const queue: Change = work => queued(work, now, 0)
    const taken = await this.#changeEach('LEASED', queue, async rows => {
      // The processes are read after the rows, because a process inserts its own row before it claims work.
      const living = await owner.living(store)
      const isOver = ({ lease_owner, lease_until = '' }: Work): boolean =>
        !living.has(lease_owner) || Date.parse(lease_until) <= now
      return rows.filter(row => !isRunning(row.id) && isOver(row.value))
    })
    if (taken > 0) log.info({ count: taken }, 'work of other processes is taken over')
    await owner.bury()
  }

  /**
   * Queues work whose delay began before the clock was set back, because it would otherwise wait until the clock shows
   * that time again.
   */
  async #hasten(now: number): Promise<void> {
    const queue: Change = work => queued(work, now, 0)
    await this.#changeEach('WAITING', queue, async rows => rows.filter(row => Date.parse(row.value.queue_time) > now))
  }

  /** Changes the pieces of work that `choose` selects among the work in a state; returns the number of changed rows. */
  async #changeEach(
    state: Work['state'],
    change: Change,
    choose: (rows: readonly Stored<Work>[]) => Promise<readonly Stored<Work>[]>,
  ): Promise<number> {
    let count = 0
    let after: ListQuery['after']
    do {
      const query = { ...firstRows(batchSize, undefined, lane, runAfter, id), after }
      const page = await this.#parts.store.page(works, query, { state })
      if (page.items.length > 0) count += await this.#change(await choose(page.items), change)
      after = page.next
    } while (after !== undefined)
    return count
  }

  /**
   * Changes rows and returns the number of changed rows. The work of one owner is changed in one transaction, so that a
   * row that a stalled process locks does not delay the work of other owners.
   */
  async #change(rows: readonly Stored<Work>[], change: Change): Promise<number> {
    let count = 0
    for (const ofOwner of Map.groupBy(rows, ({ value }) => value.lease_owner).values()) {
      try {
        count += await this.#changeTogether(ofOwner, change)
      } catch (error) {
        this.#parts.log.error({ err: error }, 'durable work cannot be queued anew')
      }
    }
    return count
  }

  /**
   * Changes each row by a conditional UPDATE, so that a row that another process has already changed is skipped.
   * Returns the number of changed rows.
   */
  #changeTogether(rows: readonly Stored<Work>[], change: Change): Promise<number> {
    return this.#parts.store.tx(async tx => {
      let count = 0
      // All processes lock rows in one order; otherwise two processes on one store could deadlock.
      for (const { id, value, version } of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        if ((await tx.tryUpdate(works, id, change(value), version)) !== undefined) count += 1
      }
      return count
    })
  }

  /** Ends work past its deadline, whichever process runs the work; returns true if there may be more late work. */
  async #reap(now: number): Promise<boolean> {
    const { queue, store } = this.#parts
    if (queue.kinds.length === 0) return false
    const isLate = and(compareTime(deadline, '<=', now), isOneOf(kind, queue.kinds))
    const { items } = await store.page(works, firstRows(batchSize, isLate, deadline, id))
    await Promise.all(items.map(work => this.#endLate(work, now)))
    return items.length === batchSize
  }

  async #endLate({ id, value }: Stored<Work>, now: number): Promise<void> {
    const { log, queue, store } = this.#parts
    const declared = queue.find(value.kind)
    if (declared === undefined) return
    const seconds = (Date.parse(value.deadline ?? '') - Date.parse(value.insert_time)) / 1000
    const description = `the operation did not end within ${seconds} s`
    const error = commonError(declared.records, operationDeadlineExceeded, description)
    log.warn({ kind: value.kind, step: value.step, work: id }, 'work has exceeded its deadline')
    await failAlone(store, log, { queue, declared, now, errors: [error] }, tx => tx.lock(works, id))
  }
}
