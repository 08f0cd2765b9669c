import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { ChildKind, ChildPath, StoredChild } from './kinds.ts'
import type { StoredOrganisation, Tree } from './nodes.ts'
import { activeParent } from './parents.ts'
import type { Place } from './places.ts'
import { holdTree } from './tree-lock.ts'

/** A node that hangs under others, held in its tree. */
export interface LockedChild<T> {
  /** Still as it was: who changes something says so by `changeTree`. */
  readonly tree: Stored<Tree>
  readonly organisation: StoredOrganisation
  readonly stored: Stored<T>
  /** Where it hangs. */
  readonly parent: Place
}

/**
 * What verbs and moves of groups and workspaces begin with, in the order of conventions §4: the tree is locked, the node
 * is there, its etag is the given one, and its parent is active. Throws the error of the first that does not hold.
 */
export async function lockChild<T extends StoredChild>(
  tx: Transaction,
  kind: ChildKind<T>,
  path: ChildPath,
  etag: string | undefined,
): Promise<LockedChild<T>> {
  const { organisation, tree } = await holdTree(tx, path.organisation)
  const stored = kind.found(await tx.lock(kind.collection, path.id), path)
  checkEtag(etag, stored.value.etag)
  const parent = await activeParent(tx, organisation.value, stored.value.parent_group_id)
  return { organisation: organisation.value, tree, stored, parent }
}
