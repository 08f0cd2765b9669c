import type { WorkFacts } from '../../domain/ports/procedures.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { column } from '../store/row-filters.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** A piece of unfinished durable work (conventions §15); its row is deleted at its end. */
export interface Work {
  /** The id of the work's operation; an id of its own for work without an operation. */
  readonly id: string
  readonly kind: string
  readonly has_operation: boolean
  readonly input: unknown
  /** The value that a step saved last, from which interrupted work continues; absent before the first `save`. */
  readonly checkpoint?: unknown
  readonly scope: Scope
  readonly principal_id: string
  readonly trace_id: string
  /** The unit of fair turns: all work of one scope is in one lane. */
  readonly lane: string
  /** The name of the running or next step. */
  readonly step: string
  /** The number of the current attempt of this step: 1, plus 1 after each retried failure. */
  readonly attempt: number
  /**
   * The state: WAITING until the work is due, QUEUED while the work is due, LEASED while a process holds the work.
   * Claims read QUEUED work only, so they need not skip waiting work.
   */
  readonly state: 'WAITING' | 'QUEUED' | 'LEASED'
  readonly insert_time: string
  /** The time at which the work was last queued. A clock that shows an earlier time was set back. */
  readonly queue_time: string
  readonly run_after: string
  /** The id of the process that holds the lease; empty without a lease. */
  readonly lease_owner: string
  readonly lease_until?: string
  /** The number of claims of this work. A run with a smaller number must no longer write. */
  readonly fence: number
  /** The time at which the work fails if it has not ended; absent for work without a time limit. */
  readonly deadline?: string
}

/** The columns of work that queries use. */
export const workFields = {
  id: column('id', 'STRING'),
  kind: column('kind', 'STRING'),
  lane: column('lane', 'STRING'),
  runAfter: column('run_after', 'TIMESTAMP'),
  queueTime: column('queue_time', 'TIMESTAMP'),
  deadline: column('deadline', 'TIMESTAMP'),
} as const

/** The work of all areas. */
export const works: Collection<Work> = {
  name: 'ninefold_work',
  id: 'id',
  columns: {
    kind: 'STRING',
    lane: 'STRING',
    state: 'STRING',
    run_after: 'TIMESTAMP',
    queue_time: 'TIMESTAMP',
    deadline: 'TIMESTAMP',
  },
  indexes: [['state', 'lane', 'run_after'], ['state', 'run_after'], ['deadline']],
}

/** Returns the lane of the work of a scope. */
export const laneOf = ({ type, id }: Scope): string => (id === '' ? type : `${type}:${id}`)

/** Returns the facts of a row for the code of its area. */
export function factsOf(work: Work): WorkFacts<unknown> {
  return {
    operationId: work.has_operation ? work.id : undefined,
    input: work.input,
    checkpoint: work.checkpoint,
    scope: work.scope,
    principalId: work.principal_id,
    traceId: work.trace_id,
  }
}
