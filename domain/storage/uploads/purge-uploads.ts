import type { Transaction } from '../../ports/store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { dropFiles } from './drop-files.ts'
import { partCollection, uploadCollection } from './uploads-store.ts'

/** The number of parts that one transaction deletes. */
const batchSize = 100

/**
 * Deletes a batch of the parts of a bucket's uploads, and uploads without parts, and returns their bytes to the quotas.
 * Returns whether no upload is left.
 */
export async function purgeUploads(
  { clock, taxonomy }: Pick<StorageEnvironment, 'clock' | 'taxonomy'>,
  tx: Transaction,
  bucket: string,
): Promise<boolean> {
  const upload = await tx.find(uploadCollection, { bucket_id: bucket })
  if (!upload) return true
  const now = clock.now()
  const { id, value, version } = upload
  const parts = []
  for await (const part of tx.each(partCollection, { upload_id: id })) {
    parts.push(part)
    if (parts.length === batchSize) break
  }
  for (const part of parts) await tx.delete(partCollection, part.id, part.version)
  const isCompleted = value.state === 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED'
  // The object of a completed upload has the files of its parts.
  if (!isCompleted)
    await dropFiles(
      tx,
      clock,
      value,
      parts.map(part => part.value),
      now,
    )
  if (parts.length === batchSize) return false
  await tx.delete(uploadCollection, id, version)
  if (value.state === 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE') {
    const changes = await VersionChanges.lock(tx, bucket, now)
    changes.addIncomplete(-value.uploaded_bytes)
    await changes.end(taxonomy)
  }
  return false
}
