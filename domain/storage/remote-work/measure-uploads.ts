import type { Turn } from '../../ports/workers.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { remoteParts } from '../remote-uploads/find-remote-upload.ts'
import { remoteCopyCollection } from '../remote-copies/copies-store.ts'
import { remoteUploadCollection } from '../remote-buckets/remote-upload-rows.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import type { Converging } from './converging.ts'

/** The age from which an upload of a store without a row is ended, in milliseconds. */
const orphanMs = 3_600_000

/**
 * Returns the bytes of the uploaded parts of a bucket, and writes the counts of its uploads. Ends the uploads of the store
 * that have had no row for an hour. Throws `RemoteFault`.
 */
export async function measureUploads(
  { clock, store: rows }: Pick<Converging, 'clock' | 'store'>,
  turn: Turn,
  place: BucketStore,
  bucket: StoredBucket,
): Promise<number> {
  const { name, store } = place
  const known = new Map<string, string>()
  for await (const { id, value } of rows.each(remoteUploadCollection, { bucket_id: bucket.id }))
    known.set(value.remote_id, id)
  const copying = new Set<string>()
  for await (const { value } of rows.each(remoteCopyCollection, { bucket_id: bucket.id })) copying.add(value.remote_id)
  let bytes = 0
  for await (const { object, startedMs, uploadId: remote_id } of store.uploads(name)) {
    const id = known.get(remote_id)
    if (id === undefined && !copying.has(remote_id) && startedMs + orphanMs <= clock.now())
      await store.abortUpload({ bucket: name, object }, remote_id)
    const parts = await unless(remoteParts(place, { object }, { remote_id }), 'upload', 'object')
    if (!parts) continue
    const uploaded_bytes = [...parts.values()].reduce((sum, { size }) => sum + size, 0)
    bytes += uploaded_bytes
    if (id !== undefined) await writeCounts(turn, id, { part_count: parts.size, uploaded_bytes })
  }
  return bytes
}

const writeCounts = (
  turn: Turn,
  id: string,
  counts: { readonly part_count: number; readonly uploaded_bytes: number },
): Promise<void> =>
  turn.tx(async tx => {
    const stored = await tx.lock(uploadCollection, id)
    if (!stored || stored.value.state !== 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE') return
    const { part_count, uploaded_bytes } = stored.value
    if (part_count === counts.part_count && uploaded_bytes === counts.uploaded_bytes) return
    await tx.update(uploadCollection, id, { ...stored.value, ...counts }, stored.version)
  })
