import type { BucketHandlers } from '../../../output/storage/handlers.ts'
import type { StorageOperation, UpdateBucketRequest } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { Resources } from '../../resources/resources.ts'
import type { Buckets } from '../bucket-calls/buckets.ts'
import { changeBucket, filledRules } from '../buckets/bucket-changes.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf } from '../objects/object-limits.ts'
import { applySettings } from './apply-settings.ts'
import { requireEnforced, requireSettings } from './capabilities.ts'
import { createRemoteBucket } from './create-remote-bucket.ts'
import { deleteRemoteBucket } from './delete-remote-bucket.ts'
import { changeRemoteRow } from './remote-rows.ts'

/** Returns the handlers of buckets on S3 stores, without the handlers of statistics. */
export function remoteBucketCalls(
  environment: StorageEnvironment,
): Pick<BucketHandlers, 'listBuckets' | 'createBucket' | 'getBucket' | 'deleteBucket' | 'updateBucket'> {
  const resources: Buckets = new Resources(bucketKind, environment)
  return {
    listBuckets: (request, context) => resources.list(request, context),
    getBucket: request => resources.get(request),
    createBucket: (request, context) => createRemoteBucket(environment, resources, request, context),
    updateBucket: (request, context) => updateRemoteBucket(environment, resources, request, context),
    deleteBucket: (request, context) => deleteRemoteBucket(environment, resources, request, context),
  }
}

/**
 * Changes a bucket: commits the change, and then writes the settings to the store. If the store does not answer, a worker
 * writes them until it does.
 */
async function updateRemoteBucket(
  environment: StorageEnvironment,
  resources: Buckets,
  request: UpdateBucketRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  requireEnforced(request.body)
  const written: { id?: string } = {}
  const answer = await resources.update({ ...request, body: filledRules(request.body) }, context, {
    async refer(tx, { changed, value }, before) {
      const members = changeBucket(before, value, formatMillis(context.now))
      requireSettings(await classOf(tx, value), value)
      if (changed.some(path => path === 'versioning' || path.startsWith('cors_rules'))) {
        await changeRemoteRow(tx, value.id, { is_due: 'YES' })
        written.id = value.id
      }
      return { members }
    },
  })
  const { id } = written
  if (id !== undefined)
    await applySettings(environment, id).catch((error: unknown) =>
      environment.failed(error, `${bucketKind.type} ${id}`),
    )
  return answer
}
