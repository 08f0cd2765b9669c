import type { Procedure, WorkOrder } from '../../domain/ports/procedures.ts'
import type { Transaction } from '../../domain/ports/store.ts'
import { quoted } from '../../runtime/refusal.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { areaFault } from '../area-faults.ts'
import type { AreaRecords } from './area-records.ts'
import type { Cause } from './record.ts'
import { laneOf, works, type Work } from './work.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** A procedure with the records of its area. */
export interface DeclaredProcedure {
  readonly procedure: Procedure<unknown>
  readonly records: AreaRecords
}

/** Receives hints about work for the runner of this process; the store alone decides about the work to do. */
export interface QueueListener {
  /** Receives the delay in milliseconds after which queued work becomes due. */
  queued(afterMs: number): void
  /** Receives the id of work that other code than its own steps has ended. */
  ended(id: string): void
}

/** The default time limit of durable work, in milliseconds (conventions §15). */
const defaultDeadlineMs = 15 * 60 * 1000

/** Queues work, and stores the procedures of all areas. */
export class WorkQueue {
  readonly #declared = new Map<string, DeclaredProcedure>()
  readonly #listeners = new Set<QueueListener>()

  /** Adds the procedures of an area. Throws `TypeError` for an invalid procedure. */
  declare(records: AreaRecords, procedures: readonly Procedure<unknown>[]): void {
    for (const procedure of procedures) {
      const fault =
        faultOf(procedure, records) ??
        (this.#declared.has(procedure.kind) ? 'is declared twice; rename one' : undefined)
      if (fault !== undefined)
        throw new TypeError(areaFault(records.area, 'procedures', `procedure ${quoted(procedure.kind)} ${fault}`))
      this.#declared.set(procedure.kind, { procedure, records })
    }
  }

  /** Returns the procedure of a kind; undefined for a kind that only another version of the program has. */
  find(kind: string): DeclaredProcedure | undefined {
    return this.#declared.get(kind)
  }

  get kinds(): readonly string[] {
    return [...this.#declared.keys()]
  }

  /**
   * Inserts the row of work in the transaction of the caller. The work is taken up after the commit, `afterMs`
   * milliseconds later.
   */
  async add(
    tx: Transaction,
    id: string,
    order: WorkOrder,
    scope: Scope,
    cause: Cause,
    hasOperation: boolean,
    afterMs = 0,
  ): Promise<void> {
    const procedure = this.#declared.get(order.kind)?.procedure
    const first = procedure?.steps[0]
    if (first === undefined) throw new TypeError(`no procedure ${quoted(order.kind)} is declared`)
    const deadlineMs = order.deadlineMs ?? procedure?.deadlineMs ?? defaultDeadlineMs
    const time = formatMillis(cause.now)
    const work: Work = {
      id,
      kind: order.kind,
      has_operation: hasOperation,
      input: order.input,
      scope,
      principal_id: cause.principalId,
      trace_id: cause.traceId,
      lane: laneOf(scope),
      step: first.name,
      attempt: 1,
      state: afterMs > 0 ? 'WAITING' : 'QUEUED',
      insert_time: time,
      queue_time: time,
      run_after: formatMillis(cause.now + afterMs),
      lease_owner: '',
      fence: 0,
      ...(deadlineMs !== 'none' && { deadline: formatMillis(cause.now + deadlineMs) }),
    }
    await tx.insert(works, work)
    this.queuedBy(tx, afterMs)
  }

  /** Notifies the listeners of work that `tx` queues, after the commit. */
  queuedBy(tx: Transaction, afterMs: number): void {
    tx.afterCommit(() => this.#listeners.forEach(listener => listener.queued(afterMs)))
  }

  /** Notifies the listeners of work that `tx` ends, after the commit. */
  endedBy(tx: Transaction, id: string): void {
    tx.afterCommit(() => this.#listeners.forEach(listener => listener.ended(id)))
  }

  /** Adds a listener; returns a function that removes the listener. */
  listen(listener: QueueListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function faultOf({ kind, steps }: Procedure<unknown>, { area }: AreaRecords): string | undefined {
  if (!kind.startsWith(`${area}.`)) return `must be named "${area}.<name>"; rename it`
  if (steps.length === 0) return 'has no step; add one'
  const isRepeated = new Set(steps.map(step => step.name)).size < steps.length
  return isRepeated ? 'has two steps of one name; rename one' : undefined
}
