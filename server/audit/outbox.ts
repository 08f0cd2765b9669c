import type { Activity, Audit } from '../../domain/ports/audit.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Store } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { RefusalLimit } from './refusal-limit.ts'
import { column } from '../store/row-filters.ts'
import type { Scope } from '../../domain/ports/scope.ts'

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
  readonly reason: string
  readonly changed_fields: readonly string[]
  readonly operation_id: string
  readonly trace_id: string
  readonly request_id: string
  readonly client_ip: string
  /** The number of refusals for which the activity stands, or of things that a run of a worker removed; absent: 1. */
  readonly count?: number
}

/** The column with the time of an activity. */
export const activityTime = column('time', 'TIMESTAMP')

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

/** An audit that counts refusals in memory. */
export interface OutboxAudit extends Audit {
  /**
   * Records the activities of counts that are a minute old; with `all` those of all counts, before the process ends. A
   * process that is killed loses its counts.
   */
  recordCounts(store: Pick<Store, 'tx'>, all?: boolean): Promise<void>
}

/** Returns an audit that records activities in the outbox, in the transaction of the caller. */
export function outboxAudit(clock: Clock, { chain }: Pick<Taxonomy, 'chain'>): OutboxAudit {
  const refusals = new RefusalLimit()
  const recordActivity: Audit['recordActivity'] = async (tx, activity) => {
    const scopes = activity.chain ?? (await chain(tx, activity.scope))?.toReversed() ?? []
    await tx.insert(outbox, rowOf(activity, scopes, clock.newId(), clock.now()))
  }
  const recordAll = async (store: Pick<Store, 'tx'>, activities: readonly Activity[]): Promise<void> => {
    if (activities.length === 0) return
    await store.tx(async tx => {
      for (const activity of activities) await recordActivity(tx, activity)
    })
  }
  return {
    recordActivity,
    recordRefusal: (store, activity) => recordAll(store, refusals.admit(activity, performance.now())),
    recordCounts: (store, all) => recordAll(store, refusals.due(performance.now(), all)),
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
    ...(activity.count !== undefined && { count: activity.count }),
  }
}
