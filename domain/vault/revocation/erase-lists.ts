import { sharedWhere, type Collection, type Store, type Transaction, type Where } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { listCollection, partCollection, revocationCollection } from '../revoked/lists-store.ts'

/**
 * Deletes the revocation lists of a workspace, whose authorities are deleted already; nothing can be added to the lists
 * then. An interrupted purge may run again.
 */
export async function eraseLists(store: Store, workspace_id: string): Promise<void> {
  await eraseRows(store, listCollection, workspace_id)
  await eraseRows(store, revocationCollection, workspace_id)
  await eraseRows(store, partCollection, workspace_id)
}

/** A row of a workspace. */
interface Owned {
  readonly workspace_id: string
}

/** The number of rows that one transaction deletes. */
const deletedAtOnce = 100

async function eraseRows<T extends Owned>(store: Store, collection: Collection<T>, workspace: string): Promise<void> {
  for (let isMore = true; isMore;) {
    isMore = await store.tx(tx => eraseSome(tx, collection, workspace))
    await nextTurn()
  }
}

/** Deletes some rows of a workspace; returns false if there are no more. */
async function eraseSome<T extends Owned>(
  tx: Transaction,
  collection: Collection<T>,
  workspace_id: string,
): Promise<boolean> {
  let left = deletedAtOnce
  for await (const { id, version } of tx.each(
    collection,
    sharedWhere(collection, { workspace_id } satisfies Where<Owned>),
  )) {
    await tx.delete(collection, id, version)
    left -= 1
    if (left === 0) return true
  }
  return false
}
