import type { WorkFacts } from '../../domain/ports/procedures.ts'
import type { Collection } from '../../domain/ports/store.ts'
import { column } from '../store/row-filters.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** A piece of durable work that has not ended (conventions §15); its row goes with its end. */
export interface Work {
  /** That of its operation, when it has one. */
  readonly id: string
  readonly kind: string
  readonly has_operation: boolean
  readonly input: unknown
  /** What its steps saved last. */
  readonly checkpoint?: unknown
  readonly scope: Scope
  readonly principal_id: string
  readonly trace_id: string
  /** What work takes turns by: all of one scope stands in one lane. */
  readonly lane: string
  /** The name of the step that is run, or is to be run next. */
  readonly step: string
  /** Of this step: 1, and one more after each failure that is retried. */
  readonly attempt: number
  /** Only what is due stands in its lane, so that whoever looks for work goes past nothing that has to wait. */
  readonly state: 'WAITING' | 'QUEUED' | 'LEASED'
  readonly insert_time: string
  /** When the row was last queued. A clock that shows less has been put back. */
  readonly queue_time: string
  readonly run_after: string
  /** The process that holds the lease; empty while queued. */
  readonly lease_owner: string
  readonly lease_until?: string
  /** Grows with every claim: what was begun under a smaller number must not be written any more. */
  readonly fence: number
  /** Absent: it may take as long as it takes. */
  readonly deadline?: string
}

/** The columns that queries name. */
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

export const laneOf = ({ type, id }: Scope): string => (id === '' ? type : `${type}:${id}`)

/** A row as the code of its area sees it. */
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
