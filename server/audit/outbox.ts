import type { Activity, Audit } from '../../domain/ports/audit.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { column } from '../store/row-filters.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** An activity that waits to be numbered and chained; its members are named as the answered activity names them. */
export interface OutboxRow {
  /** UUIDv7 made in the writing transaction: rows sort as they were written. */
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
  /** Whose chain of hashes it joins; empty outside all organisations. */
  readonly organisation_id: string
  /** The nodes above the scope, the organisation first. */
  readonly ancestor_ids: readonly string[]
  readonly principal_id: string
  readonly principal_kind: string
  readonly outcome: string
  readonly reason: string
  readonly changed_fields: readonly string[]
  readonly operation_id: string
  readonly trace_id: string
  readonly request_id: string
  readonly client_ip: string
}

export const activityTime = column('time', 'TIMESTAMP')

/**
 * Activities between the mutation and the audit log (conventions §13): mutations never wait for each other's chain. The
 * sequencer of observability takes rows out by id; what nobody takes out is kept for 400 days.
 */
export const outbox: Collection<OutboxRow> = {
  name: 'ninefold_activity_outbox',
  id: 'id',
  columns: { time: 'TIMESTAMP' },
  indexes: [['time']],
}

/** Records activities in the outbox of the store that a transaction belongs to. */
export function outboxAudit(clock: Clock, { chain }: Pick<Taxonomy, 'chain'>): Audit {
  return {
    async recordActivity(tx, activity) {
      const scopes = activity.chain ?? (await chain(tx, activity.scope))?.toReversed() ?? []
      await tx.insert(outbox, rowOf(activity, scopes, clock.newId(), clock.now()))
    },
  }
}

function rowOf(activity: Activity, scopes: readonly Scope[], id: string, now: number): OutboxRow {
  return {
    id,
    time: formatMillis(now),
    category: activity.category,
    area: activity.area,
    action: activity.action,
    permission: activity.permission,
    resource_type: activity.resourceType,
    resource_id: activity.resourceId,
    scope_type: activity.scope.type,
    scope_id: activity.scope.id,
    organisation_id: scopes[0]?.id ?? '',
    ancestor_ids: scopes.slice(0, -1).map(scope => scope.id),
    principal_id: activity.principalId,
    principal_kind: activity.principalKind,
    outcome: activity.outcome,
    reason: activity.reason,
    changed_fields: activity.changedFields,
    operation_id: activity.operationId,
    trace_id: activity.traceId,
    request_id: activity.requestId,
    client_ip: activity.clientAddress,
  }
}
