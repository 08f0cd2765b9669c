import type { Collection, Transaction } from '../../ports/store.ts'
import { addReference, dropReference } from '../contents/references.ts'

/** The row of a copy between instances that is in progress. It holds a reference to the content of its source. */
export interface StoredCopy {
  /** The id of the version that the copy will write. */
  readonly id: string
  /** The workspace of the bucket of the copy. */
  readonly workspace_id: string
  readonly content_id: string
}

/** The copies in progress. */
export const copyCollection: Collection<StoredCopy> = {
  name: 'storage_copies',
  id: 'id',
  columns: { content_id: 'STRING' },
}

/** Records a copy in progress, which holds a reference to the content of its source until `unpin`. */
export async function pin(tx: Transaction, copy: StoredCopy, nowMs: number): Promise<void> {
  await tx.insert(copyCollection, copy)
  await addReference(tx, copy.content_id, nowMs)
}

/** Ends a copy in progress; a repeated call changes nothing. Returns whether the copy was in progress. */
export async function unpin(tx: Transaction, id: string, nowMs: number): Promise<boolean> {
  const stored = await tx.lock(copyCollection, id)
  if (!stored) return false
  await tx.delete(copyCollection, id, stored.version)
  await dropReference(tx, stored.value.content_id, nowMs)
  return true
}
