import type { StorageArea } from '../../../output/storage/area.ts'
import type { BucketHandlers } from '../../../output/storage/handlers.ts'
import type {
  ParsedCreateBucketRequest,
  ParsedDeleteBucketRequest,
  StorageOperation,
  UpdateBucketRequest,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { addReference } from '../../resources/references.ts'
import { requireUnused } from '../../resources/require-unused.ts'
import { Resources } from '../../resources/resources.ts'
import { classKind } from '../classes/class-kind.ts'
import type { StorageEnvironment } from '../environment.ts'
import { endGauges } from '../statistics/record-statistics.ts'
import { changeBucket, filledRules } from '../buckets/bucket-changes.ts'
import { endLeftUploads } from '../uploads/end-upload.ts'
import { requireEmpty, requireNoneRetained } from './bucket-contents.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { contentDeletion } from './delete-content.ts'
import { placeBucket, type BucketPlace } from './place-bucket.ts'

/** The mutations of buckets. */
export type Buckets = Resources<StoredBucket, StorageArea>
type Answer = Promise<JsonText<StorageOperation>>

/** Returns the handlers of buckets, without the handlers of statistics. */
export function bucketCalls(
  environment: StorageEnvironment,
): Pick<BucketHandlers, 'listBuckets' | 'createBucket' | 'getBucket' | 'deleteBucket' | 'updateBucket'> {
  const resources: Buckets = new Resources(bucketKind, environment)
  return {
    listBuckets: (request, context) => resources.list(request, context),
    getBucket: request => resources.get(request),
    createBucket: (request, context) => createBucket(environment, resources, request, context),
    updateBucket: async (request, context) => updateBucket(resources, request, context),
    deleteBucket: (request, context) => deleteBucket(environment, resources, request, context),
  }
}

async function createBucket(
  environment: StorageEnvironment,
  resources: Buckets,
  request: ParsedCreateBucketRequest,
  context: CallContext,
): Answer {
  const wanted = newBucket(resources, request, context)
  // The transaction may run again, and then chooses another place.
  const chosen: { place?: BucketPlace } = {}
  return resources.create(request, context, wanted, {
    async refer(tx) {
      const place = await placeBucket(environment, tx, wanted)
      await addReference(tx, { type: classKind.type, id: place.classId }, { type: bucketKind.type, id: wanted.id })
      chosen.place = place
    },
    async complete() {
      const { classId: _class, ...place } = chosen.place ?? {}
      return { row: { ...wanted, ...place } }
    },
  })
}

/** Returns the row of a new bucket without its place. */
export function newBucket(resources: Buckets, request: ParsedCreateBucketRequest, context: CallContext): StoredBucket {
  const { etag: _precondition, retention_policy, ...settable } = request.body
  const standard = resources.standard(request, context)
  const time = formatMillis(context.now)
  return {
    ...standard,
    ...settable,
    ...(retention_policy && { retention_policy: { ...retention_policy, effective_time: time } }),
    state: 'STORAGE_BUCKET_STATE_ACTIVE',
    instance_id: '',
    usage: {
      object_count: 0,
      version_count: 0,
      bytes: 0,
      noncurrent_bytes: 0,
      incomplete_upload_bytes: 0,
      as_of_time: time,
    },
    commit_number: '0',
  }
}

const updateBucket = (resources: Buckets, request: UpdateBucketRequest, context: CallContext): Answer =>
  resources.update({ ...request, body: filledRules(request.body) }, context, {
    refer: async (_tx, { value }, before) => ({ members: changeBucket(before, value, formatMillis(context.now)) }),
  })

async function deleteBucket(
  { access }: StorageEnvironment,
  resources: Buckets,
  request: ParsedDeleteBucketRequest,
  context: CallContext,
): Answer {
  if (!request.force)
    return resources.delete(request, context, {
      async release(tx, bucket) {
        await requireEmpty(tx, bucket, context.now)
        await endLeftUploads(tx, bucket, context.now)
        await endGauges(tx, bucket, context.now)
      },
    })
  await access.require(context, 'storage.objects.delete', workspaceScope(request.workspace))
  const { etag } = request
  const given = { ...request, ...(etag !== undefined && { body: { etag } }) }
  return resources.verb('deleteContent', given, context, async (tx, bucket) => {
    await requireUnused(tx, bucketKind, bucket)
    await requireNoneRetained(tx, bucket, context.now)
    return { procedure: { kind: contentDeletion, input: { bucket: bucket.id } } }
  })
}
