import { objectNotFound, objectVersionNotFound } from '../../../output/storage/errors.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { metadataCollection, versionCollection, type StoredMetadata, type StoredVersion } from './versions-store.ts'

/** The name of an object in a bucket, and the id of a version; an empty id means the latest version. */
export interface VersionName {
  readonly bucket: string
  readonly object: string
  readonly versionId: string
}

/**
 * Returns the version with an id, which may be a delete marker, or the latest version. Throws OBJECT_VERSION_NOT_FOUND,
 * and OBJECT_NOT_FOUND if there is no latest version or the latest version is a delete marker.
 */
export async function findVersion(reader: Reader, name: VersionName): Promise<Stored<StoredVersion>> {
  const { bucket, object, versionId } = name
  if (versionId !== '') {
    const stored = isUuid(versionId) ? await reader.get(versionCollection, versionId) : undefined
    if (stored?.value.bucket_id === bucket && stored.value.name === object) return stored
    throw absentVersion(name)
  }
  const latest = await reader.find(versionCollection, { bucket_id: bucket, name: object, is_latest: true })
  if (latest && !latest.value.is_delete_marker) return latest
  throw absentObject(name)
}

/** A version with its metadata, which a delete marker and a damaged version lack. */
export interface VersionWithMetadata {
  readonly version: Stored<StoredVersion>
  readonly metadata: Stored<StoredMetadata> | undefined
}

/**
 * Returns the version that `findVersion` finds, with its metadata. An overwrite between the two reads deletes the version
 * with its metadata, and then both are read again: only a version that is found twice lacks its metadata. Throws the
 * errors of `findVersion`.
 */
export async function findWithMetadata(
  reader: Reader,
  name: VersionName,
  versionBefore?: string,
): Promise<VersionWithMetadata> {
  const version = await findVersion(reader, name)
  const metadata = await reader.get(metadataCollection, version.id)
  const isCertain = metadata !== undefined || version.value.is_delete_marker || version.id === versionBefore
  return isCertain ? { version, metadata } : findWithMetadata(reader, name, version.id)
}

/** Returns OBJECT_NOT_FOUND. */
export const absentObject = ({ bucket, object }: Omit<VersionName, 'versionId'>) =>
  objectNotFound(`bucket ${bucket} has no object ${object.slice(0, 80)}`, {
    resource: { type: 'storage.objects', name: `${bucket}/${object}` },
  })

const absentVersion = ({ bucket, object, versionId }: VersionName) =>
  objectVersionNotFound(`object ${object.slice(0, 80)} of bucket ${bucket} has no version ${versionId.slice(0, 80)}`, {
    resource: { type: 'storage.objects', name: `${bucket}/${object}` },
  })
