import type { ListFields } from '../../../runtime/filter/types.ts'
import type { Collection } from '../../ports/store.ts'

/**
 * The row of a principal whom ALLOW rules of an enabled access policy let pull. The rows follow from the policies, and
 * find the repositories that rules open to a caller without a look at all other policies. Other rules, an end of a rule
 * and its networks still decide about each call.
 */
export interface StoredOpening {
  /** The id of the policy, a slash and the principal. */
  readonly id: string
  readonly policy_id: string
  readonly workspace_id: string
  /** The repository of the policy; empty for a policy of a workspace. */
  readonly repository_id: string
  /** The path of the repository; empty for a policy of a workspace. */
  readonly path: string
  /** The id of a principal, or the word for a group of principals. */
  readonly principal: string
}

const openingsList: ListFields = {
  fields: [{ name: 'path', type: 'STRING', operators: [], sortable: true }],
  defaultOrder: 'path',
  key: 'id',
}

/** The openings of all workspaces. */
export const openingCollection: Collection<StoredOpening> = {
  name: 'registry_openings',
  id: 'id',
  list: openingsList,
  listedBelow: 'principal',
  columns: { policy_id: 'STRING', workspace_id: 'STRING', repository_id: 'STRING', principal: 'STRING' },
  indexes: [['policy_id'], ['workspace_id'], ['repository_id'], ['principal', 'repository_id']],
}
