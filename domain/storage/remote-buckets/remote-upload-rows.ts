import type { Collection, Transaction } from '../../ports/store.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'

/** The row of an upload in an S3 store, beside the row of the upload itself. */
export interface RemoteUploadRow {
  /** The id of the upload. */
  readonly id: string
  readonly bucket_id: string
  /** The id of the upload in the store. */
  readonly remote_id: string
  /**
   * The SHA-256 of the body of a completion in hex, written before the store completes the upload; empty before that. It
   * tells after a crash that an upload which the store no longer has was completed.
   */
  readonly completing: string
  /** The time at which `completing` was written; empty before that. */
  readonly completing_time: string
}

/** The uploads in S3 stores. */
export const remoteUploadCollection: Collection<RemoteUploadRow> = {
  name: 'storage_remote_uploads',
  id: 'id',
  columns: { bucket_id: 'STRING', completing: 'STRING' },
  indexes: [['bucket_id']],
}

/** Deletes the rows of the uploads of a bucket that is deleted. */
export async function forgetUploads(tx: Transaction, bucket_id: string): Promise<void> {
  for await (const { id, version } of tx.each(remoteUploadCollection, { bucket_id }))
    await tx.delete(remoteUploadCollection, id, version)
  for await (const { id, version } of tx.each(uploadCollection, { bucket_id }))
    await tx.delete(uploadCollection, id, version)
}
