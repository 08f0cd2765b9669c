import type { Activity } from '../../../output/observability/types.ts'
import type { OutboxRow } from '../../resources/activity-outbox.ts'
import { platformChain } from './activities-store.ts'
import type { UnchainedActivity } from './hash-chain.ts'

/** Returns the activity of a row of the outbox, without the name of its resource. */
export const activityOf = (row: OutboxRow): UnchainedActivity => ({
  id: row.id,
  time: row.time,
  category: enumOf<Activity['category']>('OBSERVABILITY_ACTIVITY_CATEGORY', row.category),
  area: row.area,
  action: row.action,
  permission: row.permission,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  resource_name: '',
  scope_type: enumOf<Activity['scope_type']>('OBSERVABILITY_SCOPE_TYPE', row.scope_type),
  scope_id: row.scope_id,
  ancestor_ids: [...row.ancestor_ids],
  principal_id: row.principal_id,
  principal_kind: enumOf<Activity['principal_kind']>('OBSERVABILITY_PRINCIPAL_KIND', row.principal_kind),
  outcome: enumOf<Activity['outcome']>('OBSERVABILITY_ACTIVITY_OUTCOME', row.outcome),
  code: row.code ?? 0,
  reason: row.reason,
  operation_id: row.operation_id,
  changed_fields: [...row.changed_fields],
  client_ip: row.client_ip,
  user_agent: row.user_agent ?? '',
  trace_id: row.trace_id,
  request_id: row.request_id,
  count: row.count ?? 1,
  chain_id: row.organisation_id || platformChain,
})

/** Returns the value of an enum of the area. The outbox has only values of the enum, because `Activity` types them. */
const enumOf = <Value extends string>(prefix: string, name: string): Value => `${prefix}_${name}` as Value
