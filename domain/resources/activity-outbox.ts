import type { Collection } from '../ports/store.ts'

/**
 * An activity that waits for its number and its place in the chain. Its members have the same names as the members of
 * an activity in answers.
 */
export interface OutboxRow {
  /** A UUIDv7 made in the writing transaction, so that rows sort in the order of writing. */
  readonly id: string
  readonly time: string
  readonly category: string
  readonly area: string
  readonly action: string
  readonly permission: string
  readonly resource_type: string
  readonly resource_id: string
  readonly scope_type: string
  readonly scope_id: string
  /** The id of the organisation whose hash chain the activity joins; empty outside of all organisations. */
  readonly organisation_id: string
  /** The ids of the scope's ancestors, the organisation first. */
  readonly ancestor_ids: readonly string[]
  readonly principal_id: string
  readonly principal_kind: string
  readonly outcome: string
  /** The number of the google.rpc.Code of the answer; 0 for a success. Rows of earlier versions have none. */
  readonly code?: number
  readonly reason: string
  readonly changed_fields: readonly string[]
  readonly operation_id: string
  readonly trace_id: string
  readonly request_id: string
  readonly client_ip: string
  /** Rows of earlier versions have none. */
  readonly user_agent?: string
  /** The number of refusals for which the activity stands, or of things that a run of a worker removed; absent: 1. */
  readonly count?: number
}

/**
 * The activities between the mutation and the audit log (conventions §13), so that mutations do not wait for a chain.
 * The sequencer of observability takes rows out in the order of their ids; rows that stay are deleted after 400 days.
 */
export const outbox: Collection<OutboxRow> = {
  name: 'ninefold_activity_outbox',
  id: 'id',
  columns: { time: 'TIMESTAMP' },
  indexes: [['time']],
}
