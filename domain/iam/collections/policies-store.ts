import { policyAlreadyExists } from '../../../output/iam/errors.ts'
import { policiesList } from '../../../output/iam/filters.ts'
import type { Policy } from '../../../output/iam/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The policies. A stored policy equals the policy in responses. */
export const policies: Collection<Policy> = {
  name: 'iam_policies',
  id: 'id',
  list: policiesList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) =>
        policyAlreadyExists(`a policy named ${name} exists already`, { resource: { type: 'iam.policies', name } }),
    },
  ],
}
