import { activitiesList } from '../../../output/observability/filters.ts'
import type { Activity } from '../../../output/observability/types.ts'
import { Conflict, type Collection } from '../../ports/store.ts'

/** The row of an activity; rows are never changed, and deleted after 400 days. */
export interface StoredActivity extends Activity {
  /** The id of the chain: the id of the organisation, or `platformChain`. */
  readonly chain_id: string
}

/** The id of the chain of the activities that belong to no organisation. */
export const platformChain = 'platform'

/** The activities of all scopes. */
export const activityCollection: Collection<StoredActivity> = {
  name: 'observability_activities',
  id: 'id',
  list: activitiesList,
  columns: { chain_id: 'STRING' },
  hidden: ['chain_id'],
  uniques: [
    {
      fields: ['chain_id', 'sequence'],
      taken: ({ chain_id, sequence }) => new Conflict(`the chain ${chain_id} has an activity ${sequence}`),
    },
  ],
  indexes: [
    ['scope_id', 'time'],
    ['scope_id', 'sequence'],
    ['resource_id', 'time'],
  ],
}

/** The ends of a hash chain, by which the doctor notices activities that are missing at either end. */
export interface ActivityChain {
  readonly id: string
  /** The sequence of the first activity that is kept; 1 more than `sequence` if none is kept. */
  readonly first_sequence: number
  /** The hash of the activity before the first that is kept. */
  readonly first_previous_hash: string
  /** The sequence of the last activity; 0 for a new chain. */
  readonly sequence: number
  /** The hash of the last activity. */
  readonly hash: string
}

/** The chains of all organisations, and that of the platform. */
export const chainCollection: Collection<ActivityChain> = { name: 'observability_activity_chains', id: 'id' }
