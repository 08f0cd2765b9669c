import type { Collection, Store, Transaction } from '../../ports/store.ts'

/**
 * A change of an object that the store may have made, and that has no operation yet. It is written before the request to
 * the store, and deleted with the record of the operation; a worker records what a crash has left.
 */
export interface RemoteChange {
  readonly id: string
  readonly type: 'CREATE' | 'DELETE'
  readonly workspace_id: string
  readonly bucket_id: string
  readonly object: string
  /** The version that is deleted; empty for the object itself, and for a copy. */
  readonly version_id: string
  readonly create_time: string
}

/** The changes of objects in S3 stores that have no operation yet. */
export const changeCollection: Collection<RemoteChange> = {
  name: 'storage_remote_changes',
  id: 'id',
  columns: { bucket_id: 'STRING' },
  indexes: [['bucket_id']],
}

/** Records that a change of an object is about to be made. */
export const beginChange = (store: Store, change: RemoteChange): Promise<void> =>
  store.tx(async tx => void (await tx.insert(changeCollection, change)))

/** Forgets a change whose operation is recorded in the same transaction. Returns whether it was still there. */
export async function endChange(tx: Transaction, id: string): Promise<boolean> {
  const stored = await tx.lock(changeCollection, id)
  if (stored) await tx.delete(changeCollection, id, stored.version)
  return stored !== undefined
}
