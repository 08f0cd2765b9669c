import type { Left } from '../bucket-calls/bucket-contents.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { unless } from '../remote-store/remote-fault.ts'
import type { RemotePage, RemoteStore } from '../remote-store/remote-store.ts'

/** The number of versions that one list reads. */
const pageSize = 1000

/** Returns the first versions of a bucket: all versions if it keeps versions, else the objects. */
export const firstVersions = (
  store: RemoteStore,
  name: string,
  { versioning }: Pick<StoredBucket, 'versioning'>,
  size = pageSize,
  after?: readonly string[],
): Promise<RemotePage> => {
  const list = { prefix: '', delimiter: '', size, ...(after && { after }) }
  return versioning === 'STORAGE_VERSIONING_DISABLED' ? store.objects(name, list) : store.versions(name, list)
}

/** Returns the first page of the content of a bucket, as far as it keeps the bucket from its deletion. */
export async function contentOf(store: RemoteStore, name: string, bucket: StoredBucket): Promise<readonly Left[]> {
  const page = await unless(firstVersions(store, name, bucket), 'bucket')
  if (!page) return []
  const markers = page.versions.filter(({ isDeleteMarker }) => isDeleteMarker).length
  let uploads = 0
  for await (const _upload of store.uploads(name)) uploads += 1
  return [
    ['versions', 'storage.objects', page.versions.length - markers],
    ['delete markers', 'storage.objects', markers],
    ['active uploads', 'storage.multipartUploads', uploads],
  ]
}

/**
 * Deletes a page of the content of a bucket: its uploads, and then its versions. Returns whether nothing is left; true for
 * an absent bucket. Throws `RemoteFault`.
 */
export async function emptyPage(store: RemoteStore, name: string, bucket: StoredBucket): Promise<boolean> {
  const isVersioned = bucket.versioning !== 'STORAGE_VERSIONING_DISABLED'
  const page = await unless(firstVersions(store, name, bucket), 'bucket')
  if (!page) return true
  for (const { name: object, versionId } of page.versions)
    await store.remove({ bucket: name, object, ...(isVersioned && { versionId }) })
  if (page.versions.length > 0) return false
  for await (const { object, uploadId } of store.uploads(name))
    await store.abortUpload({ bucket: name, object }, uploadId)
  return true
}
