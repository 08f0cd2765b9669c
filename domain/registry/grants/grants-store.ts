import { pullGrantsList } from '../../../output/registry/filters.ts'
import type { PullGrant } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of a pull grant. Its state follows from the time of the read, its direction from the workspace that reads it. */
export interface StoredGrant extends Omit<PullGrant, 'direction' | 'state'> {
  readonly engine: string
}

/** The pull grants of all workspaces. */
export const grantCollection: Collection<StoredGrant> = {
  name: 'registry_pull_grants',
  id: 'id',
  list: {
    ...pullGrantsList,
    fields: pullGrantsList.fields.filter(({ name }) => name !== 'direction' && name !== 'state'),
  },
  columns: { grantor_workspace_id: 'STRING', engine: 'STRING', expire_time: 'TIMESTAMP' },
  hidden: ['engine'],
  indexes: [['grantor_workspace_id', 'engine', 'repository_id'], ['grantee_workspace_id', 'engine'], ['repository_id']],
}
