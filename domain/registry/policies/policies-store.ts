import { accessPolicyAlreadyExists } from '../../../output/registry/errors.ts'
import { accessPoliciesList } from '../../../output/registry/filters.ts'
import type { AccessPolicy } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The access policies of workspaces, whose `repository_id` is empty, and of repositories. */
export const policyCollection: Collection<AccessPolicy> = {
  name: 'registry_access_policies',
  id: 'id',
  list: accessPoliciesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING', repository_id: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'repository_id', 'name'],
      taken: ({ name, repository_id }) =>
        accessPolicyAlreadyExists(
          `an access policy named ${name} exists ${repository_id === '' ? 'in the workspace' : 'for the repository'}`,
          { resource: { type: 'registry.accessPolicies', name } },
        ),
    },
  ],
  indexes: [['repository_id']],
  indexedMaps: ['labels'],
}
