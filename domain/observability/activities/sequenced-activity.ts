import type { Activity } from '../../../output/observability/types.ts'
import type { OutboxRow } from '../../resources/activity-outbox.ts'
import { platformChain } from './activities-store.ts'
import type { UnchainedActivity } from './hash-chain.ts'

/** Returns the activity of a row of the outbox. */
export const activityOf = ({
  category,
  code = 0,
  count = 1,
  organisation_id,
  outcome,
  principal_kind,
  scope_type,
  user_agent = '',
  ...same
}: OutboxRow): UnchainedActivity => ({
  ...same,
  chain_id: organisation_id || platformChain,
  category: enumOf<Activity['category']>('OBSERVABILITY_ACTIVITY_CATEGORY', category),
  outcome: enumOf<Activity['outcome']>('OBSERVABILITY_ACTIVITY_OUTCOME', outcome),
  principal_kind: enumOf<Activity['principal_kind']>('OBSERVABILITY_PRINCIPAL_KIND', principal_kind),
  scope_type: enumOf<Activity['scope_type']>('OBSERVABILITY_SCOPE_TYPE', scope_type),
  ancestor_ids: [...same.ancestor_ids],
  changed_fields: [...same.changed_fields],
  resource_name: '',
  code,
  count,
  user_agent,
})

/** Returns the value of an enum of the area. The outbox has only values of the enum, because `Activity` types them. */
const enumOf = <Value extends string>(prefix: string, name: string): Value => `${prefix}_${name}` as Value
