import type { ObjectSchemaHandlers } from '../../../output/storage/handlers.ts'
import { withMembers } from '../../resources/json-text.ts'
import { BucketReads } from '../buckets/bucket-reads.ts'
import { findBucket, type BucketPath } from '../buckets/find-bucket.ts'
import { copyObject } from '../copies/copy-object.ts'
import type { StorageEnvironment } from '../environment.ts'
import { deleteObject } from '../objects/delete-object.ts'
import { absentObject, findVersion, findWithMetadata } from '../objects/find-version.ts'
import { listObjects } from '../objects/list-objects.ts'
import { invalidName } from '../objects/object-name.ts'
import { objectAnswer } from '../objects/object-answer.ts'

/** The calls on objects. */
export function objects(environment: StorageEnvironment): ObjectSchemaHandlers {
  const { store, taxonomy } = environment
  const buckets = new BucketReads(environment)
  const place = async (request: BucketPath & { readonly object: string; readonly version_id?: string }) => {
    const invalid = invalidName('object', request.object)
    if (invalid) throw invalid
    const { value: bucket } = await findBucket(store, taxonomy, request)
    const { object, version_id: versionId = '' } = request
    return { bucket, name: { bucket: bucket.id, object, versionId } }
  }
  return {
    listObjects: (request, context) => listObjects(buckets, store, request, context),
    async getObject(request) {
      const { bucket, name } = await place(request)
      return objectAnswer(bucket, await findVersion(store, name))
    },
    async getObjectMetadata(request) {
      const { bucket, name } = await place(request)
      const { metadata, version } = await findWithMetadata(store, name)
      if (!metadata) throw absentObject(name)
      return withMembers(objectAnswer(bucket, version), metadata.text)
    },
    deleteObject: (request, context) => deleteObject(environment, request, context),
    copyObject: (request, context) => copyObject(environment, request, context),
  }
}
