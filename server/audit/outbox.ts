import type { Activity, Audit } from '../../domain/ports/audit.ts'
import type { Clock } from '../../domain/ports/clock.ts'
import type { Store } from '../../domain/ports/store.ts'
import type { Taxonomy } from '../../domain/ports/taxonomy.ts'
import { outbox, type OutboxRow } from '../../domain/resources/activity-outbox.ts'
import { rpcCodes } from '../../runtime/errors.ts'
import { formatMillis } from '../../runtime/timestamps.ts'
import { RefusalLimit } from './refusal-limit.ts'
import { column } from '../store/row-filters.ts'
import type { Scope } from '../../domain/ports/scope.ts'

/** The column with the time of an activity. */
export const activityTime = column('time', 'TIMESTAMP')

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
    code: activity.rpc === undefined ? 0 : Object.keys(rpcCodes).indexOf(activity.rpc) + 1,
    reason: activity.reason,
    changed_fields: activity.changedFields,
    operation_id: activity.operationId,
    trace_id: activity.traceId,
    request_id: activity.requestId,
    client_ip: activity.clientAddress,
    user_agent: activity.userAgent ?? '',
    ...(activity.count !== undefined && { count: activity.count }),
  }
}
