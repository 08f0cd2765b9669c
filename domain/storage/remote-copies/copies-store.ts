import type { Collection, Transaction } from '../../ports/store.ts'

/** The row of an upload of an S3 store by which the platform copies an object, so that the inventory does not end it. */
export interface RemoteCopyRow {
  /** The id of the copy. */
  readonly id: string
  readonly bucket_id: string
  /** The id of the upload in the store. */
  readonly remote_id: string
}

/** The copies in progress between S3 stores. */
export const remoteCopyCollection: Collection<RemoteCopyRow> = {
  name: 'storage_remote_copies',
  id: 'id',
  columns: { bucket_id: 'STRING' },
  indexes: [['bucket_id']],
}

/** Records the upload of a copy, in place of an earlier upload of the copy. */
export async function keepCopy(tx: Transaction, row: RemoteCopyRow): Promise<void> {
  const stored = await tx.lock(remoteCopyCollection, row.id)
  if (stored) await tx.update(remoteCopyCollection, row.id, row, stored.version)
  else await tx.insert(remoteCopyCollection, row)
}

/** Forgets the upload of a copy, if there is one. */
export async function dropCopy(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(remoteCopyCollection, id)
  if (stored) await tx.delete(remoteCopyCollection, id, stored.version)
}
