import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import type { ReceivedFile } from '../contents/content-files.ts'
import type { StorageEnvironment } from '../environment.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { dropFiles } from './drop-files.ts'
import { findUpload, requireActiveUpload } from './find-upload.ts'
import { partCollection, partId, uploadCollection } from './uploads-store.ts'

/** A part whose bytes are in a file. */
export interface NewPart {
  readonly bucket: string
  readonly upload: string
  readonly number: number
  readonly file: ReceivedFile
  /** The path of the file below the folder of the instance. */
  readonly path: string
}

/**
 * Writes the row of a part, in place of the part with the same number, with the usage of the bucket and the quotas.
 * Throws UPLOAD_NOT_FOUND, UPLOAD_NOT_ACTIVE, BUCKET_DELETING and QUOTA_EXCEEDED.
 */
export async function putPart(
  { clock, taxonomy }: Pick<StorageEnvironment, 'clock' | 'taxonomy'>,
  tx: Transaction,
  { bucket, file, number, path, upload }: NewPart,
  { now }: CallContext,
): Promise<void> {
  const changes = await VersionChanges.begin(tx, bucket, now)
  const { id, value, version } = await findUpload(tx, bucket, upload)
  requireActiveUpload(value, now)
  const row = partId(upload, number)
  const before = await tx.get(partCollection, row)
  const part = {
    id: row,
    upload_id: upload,
    part_number: number,
    size: file.size,
    etag: file.digests.md5,
    checksum_sha256: file.digests.sha256,
    crc32c: file.digests.crc32c,
    path,
    update_time: formatMillis(now),
  }
  if (before) {
    await tx.update(partCollection, row, part, before.version)
    await dropFiles(tx, clock, value, [before.value], now)
  } else await tx.insert(partCollection, part)
  const bytes = file.size - (before?.value.size ?? 0)
  const counts = {
    part_count: value.part_count + (before ? 0 : 1),
    uploaded_bytes: value.uploaded_bytes + bytes,
    has_parts: 'YES',
  } as const
  await tx.update(uploadCollection, id, { ...value, ...counts }, version)
  changes.addIncomplete(bytes)
  await changes.end(taxonomy)
}
