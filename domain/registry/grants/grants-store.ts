import { pullGrantAlreadyExists } from '../../../output/registry/errors.ts'
import { pullGrantsList } from '../../../output/registry/filters.ts'
import type { PullGrant } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The row of a pull grant. Its text is the answer to the workspace that gave it, while it has not expired: the direction
 * follows from the workspace that reads it, and the state from the time of the read.
 */
export interface StoredGrant extends PullGrant {
  readonly engine: string
  /** `CURRENT` for the newest grant of its grantee and repository, and the id of the row for the grants before it. */
  readonly slot: string
}

/** The pull grants of all workspaces. */
export const grantCollection: Collection<StoredGrant> = {
  name: 'registry_pull_grants',
  id: 'id',
  list: pullGrantsList,
  columns: { grantor_workspace_id: 'STRING', engine: 'STRING', expire_time: 'TIMESTAMP', slot: 'STRING' },
  hidden: ['engine', 'slot'],
  uniques: [
    {
      fields: ['grantor_workspace_id', 'engine', 'grantee_workspace_id', 'repository_id', 'slot'],
      taken: grant => grantExists(grant),
    },
  ],
  indexes: [
    ['grantor_workspace_id', 'engine', 'repository_id'],
    ['grantee_workspace_id', 'engine'],
    ['repository_id'],
    ['grantor_workspace_id', 'create_time'],
    ['grantee_workspace_id', 'create_time'],
  ],
}

/** Returns the error for a grant to a workspace that has one for the same repository. */
export const grantExists = ({ grantee_workspace_id, id }: Pick<StoredGrant, 'grantee_workspace_id' | 'id'>) =>
  pullGrantAlreadyExists(`workspace ${grantee_workspace_id} has an active grant for the same repository`, {
    resource: { type: 'registry.pullGrants', name: id },
  })
