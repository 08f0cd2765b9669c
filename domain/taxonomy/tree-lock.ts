import { organisationNotFound } from '../../output/taxonomy/errors.ts'
import type { Stored, Transaction } from '../ports/store.ts'
import { organisations, trees, type StoredOrganisation, type Tree } from './nodes.ts'

/** How many nodes a change adds to or takes from a tree. */
interface Growth {
  readonly groups?: number
  readonly workspaces?: number
}

/**
 * Holds an organisation against every other change of its tree or states, and against those who share it, before
 * anything of it is read (taxonomy.md §4). Throws ORGANISATION_NOT_FOUND.
 */
export async function lockTree(
  tx: Transaction,
  organisation: string,
  { groups = 0, workspaces = 0 }: Growth = {},
): Promise<Stored<StoredOrganisation>> {
  const tree = await tx.lock(trees, organisation)
  if (tree === undefined) throw noOrganisation(organisation)
  const { value, version } = tree
  await tx.update(trees, organisation, grown(value, groups, workspaces), version)
  return foundOrganisation(await tx.get(organisations, organisation), organisation)
}

const grown = ({ id, tree_version, group_count, workspace_count }: Tree, groups: number, workspaces: number): Tree => ({
  id,
  tree_version: tree_version + 1,
  group_count: group_count + groups,
  workspace_count: workspace_count + workspaces,
})

/** Holds an organisation against changes of its tree or states, together with others who do. Throws as `lockTree`. */
export async function shareTree(tx: Transaction, organisation: string): Promise<Stored<StoredOrganisation>> {
  await tx.share(trees, organisation)
  return foundOrganisation(await tx.get(organisations, organisation), organisation)
}

/** The organisation that a path names. */
export function foundOrganisation(
  stored: Stored<StoredOrganisation> | undefined,
  id: string,
): Stored<StoredOrganisation> {
  if (stored) return stored
  throw noOrganisation(id)
}

/** ORGANISATION_NOT_FOUND. */
export const noOrganisation = (id: string): Error =>
  organisationNotFound(`organisation ${id} does not exist`, {
    resource: { type: 'taxonomy.organisations', name: id },
  })
