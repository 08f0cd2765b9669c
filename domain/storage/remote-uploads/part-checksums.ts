import type { StorageEnvironment } from '../environment.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { requireCapability, unsupported } from '../remote-buckets/capabilities.ts'
import { remoteUploadCollection, type RemoteUploadRow } from '../remote-buckets/remote-upload-rows.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { absentUpload } from '../uploads/find-upload.ts'
import type { StoredUpload } from '../uploads/uploads-store.ts'
import { contentOf, findRemoteUpload } from './find-remote-upload.ts'

/**
 * Decides with the first signed parts whether the parts of an upload have a SHA-256, and returns the row of the upload. An
 * upload with checksums is begun anew in the store, which must know of them at the begin. Throws
 * ENGINE_CAPABILITY_UNSUPPORTED for parts with and without checksums in one upload, and for a store without checksums.
 */
export async function withChecksums(
  environment: Pick<StorageEnvironment, 'failed' | 'store'>,
  place: BucketStore,
  upload: StoredUpload,
  parts: readonly { readonly checksum_sha256: string }[],
): Promise<RemoteUploadRow> {
  const given = parts.filter(({ checksum_sha256 }) => checksum_sha256 !== '').length
  if (given > 0) requireCapability(place.of, 'CHECKSUM_SHA256')
  const wanted = given === 0 ? 'NONE' : 'SHA256'
  const row = await findRemoteUpload(environment.store, upload)
  const decided = row.checksums === '' ? await decide(environment, place, upload, row, wanted) : row
  if ((given > 0 && given < parts.length) || decided.checksums !== wanted)
    throw unsupported('MIXED_CHECKSUMS', 'an upload whose parts have checksums only in part is not kept')
  return decided
}

async function decide(
  { failed, store: rows }: Pick<StorageEnvironment, 'failed' | 'store'>,
  { name, store }: BucketStore,
  upload: StoredUpload,
  { remote_id: before }: RemoteUploadRow,
  checksums: 'NONE' | 'SHA256',
): Promise<RemoteUploadRow> {
  const { bucket_id, id, object } = upload
  const remote_id =
    checksums === 'NONE' ? before : await answered(store.beginUpload(name, object, contentOf(upload), true))
  const decided = await rows.tx(async tx => {
    const stored = await tx.lock(remoteUploadCollection, id)
    if (!stored) throw absentUpload(bucket_id, id)
    // Another call may have decided meanwhile.
    if (stored.value.checksums !== '') return stored.value
    const row = { ...stored.value, checksums, remote_id }
    await tx.update(remoteUploadCollection, id, row, stored.version)
    return row
  })
  const unused = [before, remote_id].filter(each => each !== decided.remote_id)
  // The inventory ends an upload of the store that is left.
  for (const each of new Set(unused))
    await store.abortUpload({ bucket: name, object }, each).catch((fault: unknown) => failed(fault, upload.id))
  return decided
}
