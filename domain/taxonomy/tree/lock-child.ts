import { checkEtag } from '../../../runtime/field-mask.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { ChildKind, ChildPath, StoredChild } from './kinds.ts'
import type { StoredOrganisation, Tree } from './nodes.ts'
import { activeParent } from './parents.ts'
import type { TreePlace } from './places.ts'
import { holdTree } from './tree-lock.ts'

/** A group or workspace whose tree is locked. */
export interface LockedChild<T> {
  /** The tree before the change. A caller that changes the tree must call `changeTree`. */
  readonly tree: Stored<Tree>
  readonly organisation: StoredOrganisation
  readonly stored: Stored<T>
  /** The place of the parent. */
  readonly parent: TreePlace
}

/**
 * Begins a verb or move of a group or workspace, in the order of conventions §4: locks the tree, then checks that the
 * node exists, that its etag equals `etag`, and that its parent is active. Returns the locked node with its tree, or
 * throws the error of the first check that fails.
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
