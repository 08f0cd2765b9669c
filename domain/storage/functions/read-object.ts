import type { CallContext } from '../../../runtime/context.ts'
import type { Reader } from '../../ports/store.ts'
import type { ByteRange, ObjectFacts, ObjectPlace, OpenedObject, OpenObject } from '../../ports/storage.ts'
import type { StorageEnvironment } from '../environment.ts'
import { absentObject, findVersion } from '../objects/find-version.ts'
import type { StoredMetadata, StoredVersion } from '../objects/versions-store.ts'
import { openVersion, type OpenedVersion } from '../plane/get-object.ts'
import { sound } from '../plane/plane-errors.ts'
import { placedBucket, requireCaller, requireServing } from './placed-bucket.ts'

/** Returns the facts of a version for another area; see `Storage`. */
export async function statObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  reader: Reader = environment.store,
): Promise<ObjectFacts> {
  await requireCaller(environment, context, 'storage.objects.get', place)
  await placedBucket(reader, place)
  const { value } = await findVersion(reader, nameOf(place))
  if (value.is_delete_marker) throw absentObject(place)
  return factsOf(value)
}

/** Opens a version and reads a range for another area; see `Storage`. */
export async function readObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  range?: ByteRange,
): Promise<OpenedObject> {
  const clipped = (size: number): ByteRange => ({
    first: range?.first ?? 0,
    last: Math.min(range?.last ?? Infinity, size - 1),
  })
  const { content, version } = await opened(environment, context, place, clipped)
  const { first, last } = clipped(version.size)
  return { ...factsOf(version), body: content.stream(first, last) }
}

/** Opens a version for another area; see `Storage`. */
export async function openObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
): Promise<OpenObject> {
  const whole = (size: number): ByteRange => ({ first: 0, last: size - 1 })
  const { content, metadata, version } = await opened(environment, context, place, whole)
  return {
    ...factsOf(version),
    ...sha256Of(metadata),
    stream: (first, last) => content.stream(first, last),
    close: () => content.close(),
  }
}

/** Opens a version, and checks the files with the bytes that `rangeOf` returns for its size. */
async function opened(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  rangeOf: (size: number) => ByteRange,
): Promise<OpenedVersion> {
  const { store, taxonomy } = environment
  await requireCaller(environment, context, 'storage.objects.download', place)
  const bucket = await placedBucket(store, place)
  await taxonomy.checkActive(store, place.workspace)
  await requireServing(environment)
  return sound(async () => {
    const version = await openVersion(environment, bucket, nameOf(place))
    const { first, last } = rangeOf(version.version.size)
    try {
      await version.content.verify(first, last)
    } catch (error) {
      await version.content.close()
      throw error
    }
    return version
  })
}

const nameOf = ({ bucket, object, versionId = '' }: ObjectPlace) => ({ bucket, object, versionId })

/** Returns the digest of a content; the checksum of a content of several parts is no digest of its bytes. */
function sha256Of({ checksum_sha256 = '', part_count }: StoredMetadata): Pick<OpenObject, 'sha256'> {
  if (checksum_sha256 === '' || part_count > 0) return {}
  return { sha256: Buffer.from(checksum_sha256, 'base64').toString('hex') }
}

/** Returns the facts of a version. */
export const factsOf = ({ content_type, create_time, etag, size, version_id }: StoredVersion): ObjectFacts => ({
  versionId: version_id,
  size,
  etag,
  contentType: content_type,
  createTime: create_time,
})
