import type { Collection, Reader } from '../ports/store.ts'
import type { Scope } from '../ports/operations.ts'
import { organisationAlreadyExists, workspaceAlreadyExists, groupAlreadyExists } from '../../output/taxonomy/errors.ts'
import { organisationsList } from '../../output/taxonomy/filters.ts'
import type { Organisation } from '../../output/taxonomy/types.ts'

/** A group or workspace as the tree needs it. */
export interface TreeNode {
  readonly id: string
  readonly name: string
  readonly organisation_id: string
  /** Empty directly under the organisation. */
  readonly parent_group_id: string
}

/** Organisations as they are answered. Their names stay taken while archived. */
export const organisations: Collection<Organisation> = {
  name: 'taxonomy_organisations',
  id: 'id',
  list: organisationsList,
  uniques: [
    {
      fields: ['name'],
      taken: ({ name }) =>
        organisationAlreadyExists(`an organisation named "${name}" exists already; choose another name`),
    },
  ],
}

export const groups: Collection<TreeNode> = {
  name: 'taxonomy_groups',
  id: 'id',
  columns: { name: 'STRING', organisation_id: 'STRING', parent_group_id: 'STRING' },
  uniques: [
    {
      fields: ['organisation_id', 'parent_group_id', 'name'],
      taken: ({ name }) =>
        groupAlreadyExists(`a group named "${name}" exists under this parent already; choose another name`),
    },
  ],
}

export const workspaces: Collection<TreeNode> = {
  name: 'taxonomy_workspaces',
  id: 'id',
  columns: { name: 'STRING', organisation_id: 'STRING', parent_group_id: 'STRING' },
  uniques: [
    {
      fields: ['organisation_id', 'name'],
      taken: ({ name }) =>
        workspaceAlreadyExists(`a workspace named "${name}" exists in the organisation already; choose another name`),
    },
  ],
}

/**
 * The scopes from the organisation down to `scope` itself, or undefined when there is no such node (taxonomy.md §4).
 * Groups are nested at most ten deep.
 */
export async function chain(reader: Reader, scope: Scope): Promise<readonly Scope[] | undefined> {
  if (scope.type === 'PLATFORM') return undefined
  if (scope.type === 'ORGANISATION') return (await reader.get(organisations, scope.id)) ? [scope] : undefined
  const node = await reader.get(scope.type === 'GROUP' ? groups : workspaces, scope.id)
  if (!node) return undefined
  const { organisation_id, parent_group_id } = node.value
  const parent: Scope = parent_group_id
    ? { type: 'GROUP', id: parent_group_id }
    : { type: 'ORGANISATION', id: organisation_id }
  const above = await chain(reader, parent)
  return above && [...above, scope]
}
