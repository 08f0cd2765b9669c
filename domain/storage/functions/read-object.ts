import type { CallContext } from '../../../runtime/context.ts'
import type { Reader } from '../../ports/store.ts'
import type { ByteRange, ObjectFacts, ObjectPlace, OpenedObject } from '../../ports/storage.ts'
import type { StorageEnvironment } from '../environment.ts'
import { absentObject, findVersion } from '../objects/find-version.ts'
import type { StoredVersion } from '../objects/versions-store.ts'
import { openVersion } from '../plane/get-object.ts'
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

/** Opens a version for another area; see `Storage`. */
export async function readObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
  range?: ByteRange,
): Promise<OpenedObject> {
  const { store, taxonomy } = environment
  await requireCaller(environment, context, 'storage.objects.download', place)
  const bucket = await placedBucket(store, place)
  await taxonomy.checkActive(store, place.workspace)
  await requireServing(environment)
  return sound(async () => {
    const { content, version } = await openVersion(environment, bucket, nameOf(place))
    const [first, last] = [range?.first ?? 0, Math.min(range?.last ?? Infinity, version.size - 1)]
    try {
      await content.verify(first, last)
    } catch (error) {
      await content.close()
      throw error
    }
    return { ...factsOf(version), body: content.stream(first, last) }
  })
}

const nameOf = ({ bucket, object, versionId = '' }: ObjectPlace) => ({ bucket, object, versionId })

/** Returns the facts of a version. */
export const factsOf = ({ content_type, create_time, etag, size, version_id }: StoredVersion): ObjectFacts => ({
  versionId: version_id,
  size,
  etag,
  contentType: content_type,
  createTime: create_time,
})
