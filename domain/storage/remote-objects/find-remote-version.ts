import { objectVersionNotFound } from '../../../output/storage/errors.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { absentObject } from '../objects/find-version.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { answered } from '../remote-store/answered-faults.ts'
import type { RemoteObject, RemoteVersion } from '../remote-store/remote-store.ts'

/** The name of an object, and the id of a version; an empty id means the latest version. */
export interface ObjectVersion {
  readonly object: string
  readonly versionId: string
}

/** A version in a store: an object with its metadata, or a delete marker. */
export type FoundVersion =
  | { readonly kind: 'object'; readonly object: RemoteObject; readonly isLatest: boolean }
  | { readonly kind: 'marker'; readonly version: RemoteVersion }

/** The largest number of pages in which a version is looked for; a page has 1,000 versions of one object. */
const mostPages = 100

/**
 * Returns a version of an object. Throws OBJECT_NOT_FOUND, also if the latest version is a delete marker,
 * OBJECT_VERSION_NOT_FOUND and ENGINE_UNAVAILABLE.
 */
export async function findRemoteVersion(
  place: BucketStore,
  bucket: StoredBucket,
  version: ObjectVersion,
): Promise<FoundVersion> {
  const { name, store } = place
  const { object, versionId } = version
  const absent = () => absenceOf(bucket, version)
  const errors = { object: absent, version: absent, unsupported: absent, invalid: absent }
  if (isLatestAlone(bucket, versionId)) {
    const found = await answered(store.read({ bucket: name, object }), errors)
    return { kind: 'object', object: found, isLatest: true }
  }
  const listed = await answered(listedVersion(place, version), errors)
  if (!listed) throw absent()
  if (listed.isDeleteMarker) return { kind: 'marker', version: listed }
  const found = await answered(store.read({ bucket: name, object, versionId }), errors)
  return { kind: 'object', object: found, isLatest: listed.isLatest }
}

/** Whether an id names the latest version: no id, and `null` in a bucket that never kept versions. */
export const isLatestAlone = ({ versioning }: Pick<StoredBucket, 'versioning'>, versionId: string): boolean =>
  versionId === '' || (versionId === 'null' && versioning === 'STORAGE_VERSIONING_DISABLED')

/** Returns the version with an id from the list of the versions of its object, which also has delete markers. */
async function listedVersion(
  { name, store }: BucketStore,
  { object, versionId }: ObjectVersion,
): Promise<RemoteVersion | undefined> {
  let after: readonly string[] | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const list = { prefix: object, delimiter: '', size: 1000, ...(after && { after }) }
    const { next, versions } = await store.versions(name, list)
    const found = versions.find(each => each.name === object && each.versionId === versionId)
    // Names that continue the name of the object sort after it.
    if (found || !next || versions.at(-1)?.name !== object) return found
    after = next
  }
  return undefined
}

function absenceOf(bucket: StoredBucket, { object, versionId }: ObjectVersion) {
  if (versionId === '') return absentObject({ bucket: bucket.id, object })
  const message = `object ${object.slice(0, 80)} of bucket ${bucket.id} has no version ${versionId.slice(0, 80)}`
  return objectVersionNotFound(message, { resource: { type: 'storage.objects', name: `${bucket.id}/${object}` } })
}
