import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../domain/ports/clock.ts'
import type { OperationError, Step, StepContext, StepOutcome, StepWarning } from '../../domain/ports/procedures.ts'
import type { Store, Stored, Transaction } from '../../domain/ports/store.ts'
import { ApiError } from '../../runtime/errors.ts'
import type { StepEnd, StepMeter } from '../meters/step-meter.ts'
import type { Log } from '../log.ts'
import { changeRecord, internalError, thrownError } from './area-records.ts'
import { queued } from './claim.ts'
import { endWork, failAlone } from './end-work.ts'
import { LeaseLost, type Owner, type Tenure } from './owners.ts'
import { noted } from './record.ts'
import type { DeclaredProcedure, WorkQueue } from './work-queue.ts'
import { factsOf, works, type Work } from './work.ts'

/** The parts of every run. */
export interface RunServices {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly queue: WorkQueue
  readonly owner: Owner
  /** The delays before the retries after UNAVAILABLE, in milliseconds. */
  readonly retryDelaysMs: readonly number[]
  /** The meter that counts every run of a step. */
  readonly steps?: Pick<StepMeter, 'record'>
}

/** The reason in signals of steps that must stop because the server ends. */
export class Stopping extends Error {
  override readonly name = 'Stopping'

  constructor() {
    super('the server stops')
  }
}

/** The result of a run of a step: its outcome, a retry after a delay, or the release of the work. */
type StepResult =
  | StepOutcome
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** Another process, or this process after a restart, runs the step again. */
  | { readonly kind: 'release' }

/**
 * Work under the lease of this process. Its steps run one after the other, and the end of each step is recorded before
 * the next step.
 */
export class WorkRun implements Tenure {
  readonly id: string
  readonly lane: string
  readonly #parts: RunServices
  readonly #declared: DeclaredProcedure
  readonly #abort = new AbortController()
  /** The row at the beginning of its step. */
  #work: Work
  #percent = 0
  #keptPercent = 0
  /** The warnings that are not in the operation yet. */
  #warnings: readonly StepWarning[] = []

  constructor(parts: RunServices, declared: DeclaredProcedure, work: Work) {
    this.id = work.id
    this.lane = work.lane
    this.#parts = parts
    this.#declared = declared
    this.#work = work
  }

  /** Runs steps until the work ends, is queued again, or belongs to another process. Rejects if the store fails. */
  async run(): Promise<void> {
    this.#parts.owner.hold(this)
    try {
      while (await this.#advance()) await nextTurn()
    } finally {
      this.#parts.owner.release(this)
    }
  }

  /** Aborts the signal of the running step. */
  abort(reason: Error): void {
    this.#abort.abort(reason)
  }

  lost(): void {
    this.abort(new LeaseLost(`work ${this.id}`))
  }

  async renew(tx: Transaction, lease_until: string): Promise<boolean> {
    const row = await tx.lock(works, this.id)
    if (!this.#isOwn(row)) return false
    await tx.update(works, this.id, { ...row.value, lease_until }, row.version)
    await this.#keepNotes(tx)
    return true
  }

  /** Runs one step; returns true if the next step follows. */
  async #advance(): Promise<boolean> {
    const startMs = performance.now()
    const ended = (end: StepEnd): void => this.#parts.steps?.record(this.#work.kind, end, performance.now() - startMs)
    try {
      await this.#parts.owner.assure()
      this.#abort.signal.throwIfAborted()
      const step = this.#declared.procedure.steps.find(({ name }) => name === this.#work.step)
      if (step === undefined) throw new Error(`procedure ${this.#work.kind} has no step "${this.#work.step}" any more`)
      const outcome = await step.run(this.#context())
      const isFollowed = await this.#record(outcome, step)
      ended(outcome.kind)
      return isFollowed
    } catch (error) {
      const outcome = this.#judge(error)
      ended(outcome?.kind ?? 'lost')
      return outcome !== undefined && this.#record(outcome)
    }
  }

  /** Returns the result for a thrown error; undefined if the work no longer belongs to this run. */
  #judge(error: unknown): StepResult | undefined {
    const { signal } = this.#abort
    if (signal.aborted) return signal.reason instanceof Stopping ? { kind: 'release' } : undefined
    if (error instanceof LeaseLost) return undefined
    const { attempt } = this.#work
    const fields = { ...this.#facts(), err: error, attempt }
    if (!(error instanceof ApiError) || error.rpc !== 'UNAVAILABLE') {
      this.#parts.log.error(fields, 'step failed')
      return { kind: 'failed', errors: [internalError(this.#declared.records, this.id)] }
    }
    const afterMs = this.#parts.retryDelaysMs[attempt - 1]
    this.#parts.log.warn(fields, afterMs === undefined ? 'step failed too often' : 'step is tried again')
    if (afterMs !== undefined) return { kind: 'retry', afterMs }
    return { kind: 'failed', errors: [thrownError(this.#declared.records, error)] }
  }

  /** Records the result of the step; returns true if the next step follows. */
  async #record(outcome: StepResult, step?: Step<unknown>): Promise<boolean> {
    if (outcome.kind === 'again' && outcome.cause !== undefined) {
      this.#parts.log.warn({ ...this.#facts(), err: outcome.cause }, 'step is tried again')
    }
    if (outcome.kind === 'failed') {
      // The log already has the error, with more details than callers get.
      if (step !== undefined) this.#logEnd(outcome.errors)
      await this.#fail(outcome.errors)
      return false
    }
    const next = outcome.kind === 'done' && step !== undefined ? this.#after(step) : undefined
    const work = await this.#fenced(async (tx, row) => {
      if (outcome.kind !== 'done') return this.#requeue(tx, row, outcome)
      await outcome.finish?.(tx)
      await this.#keepNotes(tx)
      if (next === undefined) return this.#end(tx, row)
      const changed = { ...row.value, step: next.name, attempt: 1 }
      await tx.update(works, this.id, changed, row.version)
      return changed
    })
    if (work !== undefined) this.#work = work
    return work !== undefined
  }

  async #requeue(
    tx: Transaction,
    row: Stored<Work>,
    outcome: Exclude<StepResult, { readonly kind: 'done' | 'failed' }>,
  ): Promise<undefined> {
    const afterMs = outcome.kind === 'release' ? 0 : outcome.afterMs
    const attempts = { again: 1, retry: row.value.attempt + 1, release: row.value.attempt }
    const changes = { attempt: attempts[outcome.kind] }
    await this.#keepNotes(tx)
    await tx.update(works, this.id, queued(row.value, this.#parts.clock.now(), afterMs, changes), row.version)
    this.#parts.queue.queuedBy(tx, afterMs)
  }

  async #end(tx: Transaction, work: Stored<Work>): Promise<undefined> {
    const { clock, queue } = this.#parts
    await endWork(tx, { queue, declared: this.#declared, work, now: clock.now() })
  }

  #logEnd(errors: readonly OperationError[]): void {
    this.#parts.log.warn({ ...this.#facts(), errors }, 'work ended with errors')
  }

  /** Returns the facts that identify the work in the log. */
  #facts(): object {
    const { kind, step } = this.#work
    return { kind, step, work: this.id }
  }

  async #fail(errors: readonly [OperationError, ...OperationError[]]): Promise<void> {
    const { clock, log, queue, store } = this.#parts
    await failAlone(store, log, { queue, declared: this.#declared, now: clock.now(), errors }, async tx => {
      const row = this.#proved(await tx.lock(works, this.id))
      await this.#keepNotes(tx)
      return row
    })
  }

  #after(step: Step<unknown>): Step<unknown> | undefined {
    const { steps } = this.#declared.procedure
    return steps[steps.indexOf(step) + 1]
  }

  #context(): StepContext<unknown> {
    return {
      ...factsOf(this.#work),
      attempt: this.#work.attempt,
      signal: this.#abort.signal,
      store: this.#parts.store,
      clock: this.#parts.clock,
      tx: fn => this.#fenced(fn),
      save: async (checkpoint, fn) => {
        await this.#fenced(async (tx, row) => {
          await fn?.(tx)
          await tx.update(works, this.id, { ...row.value, checkpoint }, row.version)
          await this.#keepNotes(tx)
        })
      },
      progress: percent => {
        if (percent > this.#percent) this.#percent = percent
      },
      warn: warning => {
        this.#warnings = [...this.#warnings, warning]
      },
    }
  }

  /** Runs a transaction that locks the row of the work; throws `LeaseLost` if the work belongs to another process. */
  #fenced<R>(fn: (tx: Transaction, row: Stored<Work>) => Promise<R>): Promise<R> {
    return this.#parts.store.tx(async tx => fn(tx, this.#proved(await tx.lock(works, this.id))))
  }

  #proved(row: Stored<Work> | undefined): Stored<Work> {
    if (this.#isOwn(row)) return row
    throw new LeaseLost(`work ${this.id}`)
  }

  #isOwn(row: Stored<Work> | undefined): row is Stored<Work> {
    return row?.value.lease_owner === this.#parts.owner.id && row.value.fence === this.#work.fence
  }

  /** Stores new notes in the operation. */
  async #keepNotes(tx: Transaction): Promise<void> {
    const progress = this.#percent
    const warnings = this.#warnings
    const hasNews = progress > this.#keptPercent || warnings.length > 0
    if (!hasNews || !this.#work.has_operation) return
    await changeRecord(tx, this.#declared.records, this.id, record => noted(record, { progress, warnings }))
    tx.afterCommit(() => {
      this.#keptPercent = Math.max(this.#keptPercent, progress)
      this.#warnings = this.#warnings.filter(warning => !warnings.includes(warning))
    })
  }
}
