import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { VersionChanges } from '../objects/version-changes.ts'
import { uploadCollection, type StoredUpload } from './uploads-store.ts'

type End = Pick<StoredUpload, 'state'> & Partial<Pick<StoredUpload, 'completed_by' | 'completing_operation'>>

/**
 * Ends an upload: it has its last state for 24 hours, and its bytes leave the usage of the bucket at once. A worker
 * deletes its parts.
 */
export async function endUpload(
  tx: Transaction,
  changes: VersionChanges,
  upload: Stored<StoredUpload>,
  end: End,
  nowMs: number,
): Promise<void> {
  await writeEnd(tx, upload, end, nowMs)
  changes.addIncomplete(-upload.value.uploaded_bytes)
}

/**
 * Ends the uploads of a deleted bucket, all of which have expired by the clock. Their bytes leave the quotas with the
 * usage of the bucket, and a worker deletes their parts.
 */
export async function endLeftUploads(tx: Transaction, { id }: Pick<StoredBucket, 'id'>, nowMs: number): Promise<void> {
  const where = { bucket_id: id, state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' } as const
  for await (const upload of tx.each(uploadCollection, where))
    await writeEnd(tx, upload, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED' }, nowMs)
}

/** Writes the last state of an upload, which the upload has for 24 hours. */
export async function writeEnd(
  tx: Transaction,
  { id, value, version }: Stored<StoredUpload>,
  end: End,
  nowMs: number,
): Promise<void> {
  await tx.update(uploadCollection, id, { ...value, ...end, end_time: formatMillis(nowMs) }, version)
}
