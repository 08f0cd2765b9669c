import { organisationNotFound } from '../../../output/taxonomy/errors.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { organisations, trees, type StoredOrganisation, type Tree } from './nodes.ts'

/** How many nodes a change adds to or takes from a tree. */
interface Growth {
  readonly groups?: number
  readonly workspaces?: number
}

/** An organisation that is held with its tree. */
export interface LockedTree {
  readonly organisation: Stored<StoredOrganisation>
  readonly tree: Stored<Tree>
}

/**
 * Holds an organisation against every other change of its tree or states, and against those who share it, before
 * anything of it is read (taxonomy.md §4). Who then changes something says so by `changeTree`. Throws
 * ORGANISATION_NOT_FOUND.
 */
export async function holdTree(tx: Transaction, organisation: string): Promise<LockedTree> {
  const tree = await tx.lock(trees, organisation)
  if (tree === undefined) throw noOrganisation(organisation)
  return { organisation: foundOrganisation(await tx.get(organisations, organisation), organisation), tree }
}

/** Tells those who remember something of a held tree that it is another one now; once a transaction. */
export async function changeTree(
  tx: Transaction,
  { id, value, version }: Stored<Tree>,
  { groups = 0, workspaces = 0 }: Growth = {},
): Promise<void> {
  await tx.update(trees, id, grown(value, groups, workspaces), version)
}

/** Holds a tree in order to change it. Throws as `holdTree`. */
export async function lockTree(
  tx: Transaction,
  organisation: string,
  growth: Growth = {},
): Promise<Stored<StoredOrganisation>> {
  const locked = await holdTree(tx, organisation)
  await changeTree(tx, locked.tree, growth)
  return locked.organisation
}

const grown = ({ id, tree_version, group_count, workspace_count }: Tree, groups: number, workspaces: number): Tree => ({
  id,
  tree_version: tree_version + 1,
  group_count: group_count + groups,
  workspace_count: workspace_count + workspaces,
})

/** Holds an organisation against changes of its tree or states, together with others who do. Throws as `holdTree`. */
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
