import {
  groupAlreadyExists,
  organisationAlreadyExists,
  workspaceAlreadyExists,
} from '../../../output/taxonomy/errors.ts'
import { groupsList, organisationsList, workspacesList } from '../../../output/taxonomy/filters.ts'
import type { Group, Organisation, Workspace } from '../../../output/taxonomy/types.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The stored fields of an organisation. An organisation has no parent, so its own state is its effective state. */
export type StoredOrganisation = Omit<Organisation, 'group_count' | 'workspace_count'>

/** The stored fields of a group. Inherited values and counts are computed at each read and never stored. */
export type StoredGroup = Omit<
  Group,
  'ancestors' | 'depth' | 'effective_state' | 'effective_state_source' | 'group_count' | 'workspace_count'
>
/** The stored fields of a workspace, without inherited values. */
export type StoredWorkspace = Omit<Workspace, 'ancestors' | 'effective_state' | 'effective_state_source'>

/** The fields of lists that follow from the place of a node. */
export const inheritedFields: ReadonlySet<string> = new Set(['effective_state', 'ancestors.id', 'depth'])

const kept = (list: ListFields): ListFields => ({
  ...list,
  fields: list.fields.filter(({ name }) => !inheritedFields.has(name)),
})

/** The organisations. A name stays taken while its node is archived; the same holds for all names of the tree. */
export const organisations: Collection<StoredOrganisation> = {
  name: 'taxonomy_organisations',
  id: 'id',
  list: organisationsList,
  uniques: [
    {
      fields: ['name'],
      taken: ({ name }) =>
        organisationAlreadyExists(`an organisation named "${name}" exists already; choose another name`, {
          resource: { type: 'taxonomy.organisations', name },
        }),
    },
  ],
}

/** The groups of all organisations. */
export const groups: Collection<StoredGroup> = {
  name: 'taxonomy_groups',
  id: 'id',
  list: kept(groupsList),
  listedBelow: 'organisation_id',
  columns: { organisation_id: 'STRING' },
  uniques: [
    {
      fields: ['organisation_id', 'parent_group_id', 'name'],
      taken: ({ name }) =>
        groupAlreadyExists(`a group named "${name}" exists under this parent already; choose another name`, {
          resource: { type: 'taxonomy.groups', name },
        }),
    },
  ],
  indexes: [['organisation_id'], ['parent_group_id']],
}

/** The workspaces of all organisations. */
export const workspaces: Collection<StoredWorkspace> = {
  name: 'taxonomy_workspaces',
  id: 'id',
  list: kept(workspacesList),
  listedBelow: 'organisation_id',
  columns: { organisation_id: 'STRING' },
  uniques: [
    {
      fields: ['organisation_id', 'name'],
      taken: ({ name }) =>
        workspaceAlreadyExists(`a workspace named "${name}" exists in the organisation already; choose another name`, {
          resource: { type: 'taxonomy.workspaces', name },
        }),
    },
  ],
  indexes: [
    ['organisation_id'],
    ['organisation_id', 'parent_group_id', 'name'],
    ['organisation_id', 'parent_group_id', 'state'],
    ['organisation_id', 'parent_group_id', 'state', 'name'],
    ['organisation_id', 'state', 'name'],
    ['organisation_id', 'create_time'],
  ],
}

/** The row of an organisation that is locked before its tree changes, with the size of the tree. */
export interface Tree {
  /** The id of the organisation. */
  readonly id: string
  /** The version, which grows with every change of the tree and of the states in it. */
  readonly tree_version: number
  readonly group_count: number
  readonly workspace_count: number
}

/** The tree rows of all organisations. Each change of a tree locks the row of its organisation. */
export const trees: Collection<Tree> = { name: 'taxonomy_trees', id: 'id' }

/** The state of an archived node before it was archived; a restoration sets this state again. */
export interface Archival {
  /** The id of the node. */
  readonly id: string
  readonly state: Organisation['state']
}

/** The former states of all archived nodes. */
export const archivals: Collection<Archival> = { name: 'taxonomy_archivals', id: 'id' }
