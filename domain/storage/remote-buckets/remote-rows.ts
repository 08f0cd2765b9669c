import type { Collection, Transaction } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

/**
 * The row of a bucket in an S3 store. It is written before the bucket is made there, and deleted after the bucket is
 * gone there, so that a crash loses no bucket.
 */
export interface RemoteRow {
  /** The id of the bucket. */
  readonly id: string
  readonly workspace_id: string
  readonly class_id: string
  /** The name of the bucket in the store. */
  readonly remote_name: string
  /** MAKING until the bucket has its row; DROPPING if the bucket gets none, and is deleted in the store; else KEPT. */
  readonly state: 'MAKING' | 'KEPT' | 'DROPPING'
  /** Whether settings of the bucket may differ from those in the store. */
  readonly is_due: 'YES' | 'NO'
  readonly create_time: string
  /** The process whose call makes the bucket. */
  readonly owner: string
}

/** The buckets in S3 stores. */
export const remoteCollection: Collection<RemoteRow> = {
  name: 'storage_remote_buckets',
  id: 'id',
  columns: { workspace_id: 'STRING', class_id: 'STRING', state: 'STRING', is_due: 'STRING' },
  indexes: [['state'], ['is_due'], ['class_id']],
}

/** Returns the name of a bucket in a store: the prefix of its class, and its id without hyphens. */
export const remoteName = (prefix: string, { id }: Pick<StoredBucket, 'id'>): string =>
  `${prefix}${id.replaceAll('-', '')}`

/** Deletes the row of a bucket in a store, if there is one. */
export async function dropRemoteRow(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(remoteCollection, id)
  if (stored) await tx.delete(remoteCollection, id, stored.version)
}

/** Changes members of the row of a bucket in a store. Returns false if there is no such row. */
export async function changeRemoteRow(tx: Transaction, id: string, members: Partial<RemoteRow>): Promise<boolean> {
  const stored = await tx.lock(remoteCollection, id)
  if (!stored) return false
  await tx.update(remoteCollection, id, { ...stored.value, ...members }, stored.version)
  return true
}
