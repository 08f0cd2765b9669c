import type { ObjectMetadata, ObjectSchema } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { RemoteObject, RemoteVersion } from '../remote-store/remote-store.ts'

type Facts = Omit<RemoteVersion, 'isLatest' | 'isDeleteMarker'>

function membersOf(bucket: StoredBucket, { etag, modifiedMs, name, size, versionId }: Facts) {
  const time = formatMillis(modifiedMs)
  return {
    bucket_id: bucket.id,
    name,
    version_id: versionId,
    size,
    etag,
    storage_class: bucket.storage_class,
    create_time: time,
    update_time: time,
    uploader_principal_id: '',
  }
}

/**
 * Returns the answer of a version in a list. A list of S3 does not tell the media type, which is empty; `newer` is the next
 * newer version of the object, at whose time the version ceased to be the latest.
 */
export const listedObject = (bucket: StoredBucket, version: RemoteVersion, newer?: RemoteVersion): ObjectSchema => ({
  ...membersOf(bucket, version),
  is_latest: version.isLatest,
  is_delete_marker: version.isDeleteMarker,
  content_type: '',
  ...(newer && { update_time: formatMillis(newer.modifiedMs) }),
})

/** Returns the answer of a version that was read by itself. */
export const readObject = (bucket: StoredBucket, object: RemoteObject, isLatest: boolean): ObjectSchema => ({
  ...membersOf(bucket, object),
  is_latest: isLatest,
  is_delete_marker: false,
  content_type: object.contentType,
})

/** Returns all that is known of a version. A store does not tell from which version a copy was made. */
export function objectMetadata(bucket: StoredBucket, object: RemoteObject, isLatest: boolean): ObjectMetadata {
  const { crc32c, etag, sha256 } = object
  const parts = partCount(etag)
  return {
    ...readObject(bucket, object, isLatest),
    content_encoding: object.contentEncoding,
    content_disposition: object.contentDisposition,
    content_language: object.contentLanguage,
    cache_control: object.cacheControl,
    ...(sha256 !== undefined && { checksum_sha256: sha256 }),
    ...(crc32c !== undefined && { checksum_crc32c: crc32c }),
    ...(parts === 0 && /^[0-9a-f]{32}$/.test(etag) && { md5: etag }),
    part_count: parts,
    custom_metadata: { ...object.metadata },
    source_version_id: '',
  }
}

/** Returns the number of parts that an ETag names; 0 for content that came in one piece. */
const partCount = (etag: string): number => Number(/-(\d{1,5})$/.exec(etag)?.[1] ?? 0)
