import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import type { VersionChanges } from '../objects/version-changes.ts'
import { uploadCollection, type StoredUpload } from './uploads-store.ts'

/**
 * Ends an upload: it has its last state for 24 hours, and its bytes leave the usage of the bucket at once. A worker
 * deletes its parts.
 */
export async function endUpload(
  tx: Transaction,
  changes: VersionChanges,
  { id, value, version }: Stored<StoredUpload>,
  end: Pick<StoredUpload, 'state'> & Partial<Pick<StoredUpload, 'completed_by' | 'completing_operation'>>,
  nowMs: number,
): Promise<void> {
  await tx.update(uploadCollection, id, { ...value, ...end, end_time: formatMillis(nowMs) }, version)
  changes.addIncomplete(-value.uploaded_bytes)
}
