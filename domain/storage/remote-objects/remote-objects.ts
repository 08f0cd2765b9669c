import type { ObjectSchemaHandlers } from '../../../output/storage/handlers.ts'
import { jsonText } from '../../resources/json-text.ts'
import { findBucket, type BucketPath } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { absentObject } from '../objects/find-version.ts'
import { invalidName } from '../objects/object-name.ts'
import { contentStoreOf } from '../remote-buckets/bucket-store.ts'
import { copyRemoteObject } from './copy-remote-object.ts'
import { deleteRemoteObject } from './delete-remote-object.ts'
import { listRemoteObjects } from './list-remote-objects.ts'
import { findRemoteVersion } from './find-remote-version.ts'
import { listedObject, objectMetadata, readObject } from './object-answers.ts'

/** The calls on objects of S3 stores. */
export function remoteObjects(environment: StorageEnvironment): ObjectSchemaHandlers {
  return {
    listObjects: (request, context) => listRemoteObjects(environment, request, context),
    async getObject(request) {
      const { bucket, found } = await find(environment, request)
      if (found.kind === 'marker') return jsonText(listedObject(bucket, found.version))
      return jsonText(readObject(bucket, found.object, found.isLatest))
    },
    async getObjectMetadata(request) {
      const { bucket, found } = await find(environment, request)
      if (found.kind === 'marker') throw absentObject({ bucket: bucket.id, object: request.object })
      return jsonText(objectMetadata(bucket, found.object, found.isLatest))
    },
    deleteObject: (request, context) => deleteRemoteObject(environment, request, context),
    copyObject: (request, context) => copyRemoteObject(environment, request, context),
  }
}

interface Named extends BucketPath {
  readonly object: string
  readonly version_id?: string
}

/**
 * Returns the bucket of a path, and the version that the path names. Throws OBJECT_NAME_INVALID, BUCKET_NOT_FOUND,
 * OBJECT_NOT_FOUND, OBJECT_VERSION_NOT_FOUND and ENGINE_UNAVAILABLE.
 */
async function find(environment: StorageEnvironment, request: Named) {
  const { object, version_id: versionId = '' } = request
  const invalid = invalidName('object', object)
  if (invalid) throw invalid
  const { value: bucket } = await findBucket(environment.store, environment.taxonomy, request)
  const place = await contentStoreOf(environment, bucket)
  return { bucket, found: await findRemoteVersion(place, bucket, { object, versionId }) }
}
