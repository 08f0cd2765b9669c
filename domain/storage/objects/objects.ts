import { unimplemented } from '../../../runtime/errors.ts'
import type { ObjectSchemaHandlers } from '../../../output/storage/handlers.ts'
import { withMembers } from '../../resources/json-text.ts'
import { findBucket, type BucketPath } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { deleteObject } from './delete-object.ts'
import { absentObject, findVersion } from './find-version.ts'
import { listObjects } from './list-objects.ts'
import { invalidName } from './object-name.ts'
import { objectAnswer } from './object-answer.ts'
import { metadataCollection } from './versions-store.ts'

/** The calls on objects. */
export function objects(environment: StorageEnvironment): ObjectSchemaHandlers {
  const { store, taxonomy } = environment
  const find = async (request: BucketPath & { readonly object: string; readonly version_id?: string }) => {
    const invalid = invalidName('object', request.object)
    if (invalid) throw invalid
    const { value: bucket } = await findBucket(store, taxonomy, request)
    const { object, version_id: versionId = '' } = request
    return { bucket, version: await findVersion(store, { bucket: bucket.id, object, versionId }) }
  }
  return {
    listObjects: (request, context) => listObjects(environment, request, context),
    async getObject(request) {
      const { bucket, version } = await find(request)
      return objectAnswer(bucket, version)
    },
    async getObjectMetadata(request) {
      const { bucket, version } = await find(request)
      const metadata = await store.get(metadataCollection, version.id)
      if (!metadata) throw absentObject({ bucket: bucket.id, object: request.object })
      return withMembers(objectAnswer(bucket, version), metadata.text)
    },
    deleteObject: (request, context) => deleteObject(environment, request, context),
    copyObject: async () => {
      throw unimplemented('copyObject')
    },
  }
}
