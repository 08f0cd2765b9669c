import { organisationNotFound } from '../../../output/taxonomy/errors.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { organisations, trees, type StoredOrganisation, type Tree } from './nodes.ts'

/** The numbers of nodes that a change adds to a tree; negative numbers for removed nodes. */
interface Growth {
  readonly groups?: number
  readonly workspaces?: number
}

/** An organisation whose tree is locked. */
export interface LockedTree {
  readonly organisation: Stored<StoredOrganisation>
  readonly tree: Stored<Tree>
}

/**
 * Locks an organisation against every other change of its tree or states, and against transactions that share it,
 * before the transaction reads its rows (taxonomy.md §4). Returns the organisation and its tree row. A caller that
 * changes the tree must call `changeTree`. Throws ORGANISATION_NOT_FOUND.
 */
export async function holdTree(tx: Transaction, organisation: string): Promise<LockedTree> {
  const tree = await tx.lock(trees, organisation)
  if (tree === undefined) throw noOrganisation(organisation)
  return { organisation: foundOrganisation(await tx.get(organisations, organisation), organisation), tree }
}

/**
 * Raises the version of a locked tree, so that caches of the old version are dropped. A transaction must call
 * `changeTree` at most once for a tree.
 */
export async function changeTree(
  tx: Transaction,
  { id, value, version }: Stored<Tree>,
  { groups = 0, workspaces = 0 }: Growth = {},
): Promise<void> {
  await tx.update(trees, id, grown(value, groups, workspaces), version)
}

/** Locks a tree for a change, raises its version, and returns the organisation. Throws the errors of `holdTree`. */
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

/**
 * Shares and returns an organisation: its tree and states cannot change, but other transactions may share the
 * organisation too. Throws the errors of `holdTree`.
 */
export async function shareTree(tx: Transaction, organisation: string): Promise<Stored<StoredOrganisation>> {
  await tx.share(trees, organisation)
  return foundOrganisation(await tx.get(organisations, organisation), organisation)
}

/** Returns the organisation that a path names. Throws ORGANISATION_NOT_FOUND. */
export function foundOrganisation(
  stored: Stored<StoredOrganisation> | undefined,
  id: string,
): Stored<StoredOrganisation> {
  if (stored) return stored
  throw noOrganisation(id)
}

/** Returns the error ORGANISATION_NOT_FOUND. */
export const noOrganisation = (id: string): Error =>
  organisationNotFound(`organisation ${id} does not exist`, {
    resource: { type: 'taxonomy.organisations', name: id },
  })
