import type { Reader } from '../../ports/store.ts'
import { absentUpload } from '../uploads/find-upload.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import type { RemoteContent, RemotePart } from '../remote-store/remote-store.ts'
import type { StoredUpload } from '../uploads/uploads-store.ts'
import { remoteUploadCollection, type RemoteUploadRow } from '../remote-buckets/remote-upload-rows.ts'

/** Returns the row of an upload in its store. Throws UPLOAD_NOT_FOUND. */
export async function findRemoteUpload(
  reader: Reader,
  { bucket_id, id }: Pick<StoredUpload, 'bucket_id' | 'id'>,
): Promise<RemoteUploadRow> {
  const stored = await reader.get(remoteUploadCollection, id)
  if (!stored) throw absentUpload(bucket_id, id)
  return stored.value
}

/** Returns the parts of an upload, keyed by number in ascending order. Throws `RemoteFault`. */
export async function remoteParts(
  { name, store }: Pick<BucketStore, 'name' | 'store'>,
  { object }: Pick<StoredUpload, 'object'>,
  { remote_id }: Pick<RemoteUploadRow, 'remote_id'>,
): Promise<ReadonlyMap<number, RemotePart>> {
  const parts = new Map<number, RemotePart>()
  for await (const part of store.parts({ bucket: name, object }, remote_id)) parts.set(part.number, part)
  return parts
}

/** Returns the members of the object that an upload makes. */
export const contentOf = (
  upload: Pick<
    StoredUpload,
    | 'cache_control'
    | 'content_disposition'
    | 'content_encoding'
    | 'content_language'
    | 'content_type'
    | 'custom_metadata'
  >,
): RemoteContent => ({
  contentType: upload.content_type === '' ? 'application/octet-stream' : upload.content_type,
  contentEncoding: upload.content_encoding,
  contentDisposition: upload.content_disposition,
  contentLanguage: upload.content_language,
  cacheControl: upload.cache_control,
  metadata: upload.custom_metadata,
})
