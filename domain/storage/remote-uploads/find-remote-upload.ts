import type { Reader } from '../../ports/store.ts'
import { absentUpload } from '../uploads/find-upload.ts'
import type { RemoteContent } from '../remote-store/remote-store.ts'
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
