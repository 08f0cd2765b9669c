import { retentionPolicyAlreadyExists } from '../../../output/registry/errors.ts'
import { retentionPoliciesList } from '../../../output/registry/filters.ts'
import type { RetentionPolicy } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'
import type { Tally } from './tally.ts'

/** The retention policies of all workspaces and engines. `next_run_time` is stored, so that a missed time is found. */
export const retentionCollection: Collection<RetentionPolicy> = {
  name: 'registry_retention_policies',
  id: 'id',
  list: retentionPoliciesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', etag: 'STRING', next_run_time: 'TIMESTAMP' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        retentionPolicyAlreadyExists(`a retention policy named ${name} exists in the workspace`, {
          resource: { type: 'registry.retentionPolicies', name },
        }),
    },
  ],
  indexes: [['next_run_time']],
  indexedMaps: ['labels'],
}

/** The row of a scheduled run of a policy that has not ended. Deletions note in it what they have done. */
export interface RetentionRun {
  /** The id of the policy. */
  readonly id: string
  readonly workspace_id: string
  readonly operation_id: string
  /** The mode of the policy at the beginning of the run. */
  readonly mode: RetentionPolicy['mode']
  /** The repositories up to this id are done; empty at the beginning. */
  readonly after: string
  /** The sums of the repositories that are done. */
  readonly done: Tally
  /** What the run has removed from the repository after them. */
  readonly removed: Tally
}

/** The scheduled runs that have not ended. */
export const retentionRunCollection: Collection<RetentionRun> = {
  name: 'registry_retention_runs',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}
