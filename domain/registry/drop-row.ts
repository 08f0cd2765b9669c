import type { Collection, Transaction } from '../ports/store.ts'

/** Deletes a row, if there is one. */
export async function dropRow<T>(tx: Transaction, collection: Collection<T>, id: string): Promise<void> {
  const stored = await tx.get(collection, id)
  if (stored) await tx.delete(collection, id, stored.version)
}
