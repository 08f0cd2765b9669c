import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { ParsedCreateBucketRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { addReference } from '../../resources/references.ts'
import { newBucket, type Buckets } from '../bucket-calls/buckets.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { classKind } from '../classes/class-kind.ts'
import type { StoredClass } from '../classes/classes-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import { writeSettings } from './apply-settings.ts'
import { requireEnforced } from './capabilities.ts'
import { dropBucket } from './drop-bucket.ts'
import { placeRemoteBucket, type RemoteBucketPlace } from './place-remote-bucket.ts'
import { changeRemoteRow, remoteCollection, remoteName } from './remote-rows.ts'

type Answer = JsonText<StorageOperation>

/**
 * Creates a bucket: records the intent, makes the bucket in its store, and then commits its row. A bucket whose row was
 * not committed is deleted in the store, by this call or by a worker.
 */
export async function createRemoteBucket(
  environment: StorageEnvironment,
  resources: Buckets,
  request: ParsedCreateBucketRequest,
  context: CallContext,
): Promise<Answer> {
  requireEnforced(request.body)
  const bucket = newBucket(resources, request, context)
  const commit = (end?: (place: RemoteBucketPlace) => never): Promise<Answer> => {
    // The transaction may run again, and then chooses another place.
    const chosen: { place?: RemoteBucketPlace } = {}
    return resources.create(request, context, bucket, {
      async refer(tx) {
        const place = await placeRemoteBucket(environment, tx, bucket)
        await addReference(tx, { type: classKind.type, id: place.of.id }, { type: bucketKind.type, id: bucket.id })
        chosen.place = place
        if (!end) await keep(tx, bucket.id, place)
      },
      async complete() {
        const { place } = chosen
        if (place) end?.(place)
        return { row: { ...bucket, ...place?.members } }
      },
    })
  }
  const checked = await rehearse<RemoteBucketPlace, Answer>(commit)
  if (checked.kind === 'recorded') return checked.answer
  try {
    await makeBucket(environment, bucket, checked.result.of)
    return await commit()
  } catch (error) {
    await dropBucket(environment, bucket.id).catch((fault: unknown) =>
      environment.failed(fault, `${bucketKind.type} ${bucket.id}`),
    )
    throw error
  }
}

/** Records the intent, and makes the bucket with its settings in the store. Throws ENGINE_UNAVAILABLE. */
async function makeBucket(
  { processes, store, stores }: StorageEnvironment,
  bucket: StoredBucket,
  of: StoredClass,
): Promise<void> {
  const remote_name = remoteName(of.s3?.bucket_prefix ?? '', bucket)
  const { create_time, id, workspace_id } = bucket
  const remote = await stores.of(of)
  const row = { id, workspace_id, class_id: of.id, remote_name, create_time, owner: processes.id }
  await store.tx(tx => tx.insert(remoteCollection, { ...row, state: 'MAKING', is_due: 'NO' }))
  await answered(remote.createBucket(remote_name))
  await answered(writeSettings(remote, of, remote_name, bucket))
}

/** Keeps a made bucket. Throws ENGINE_UNAVAILABLE if a worker has given the creation up, or the class has changed. */
async function keep(tx: Transaction, id: string, { of }: RemoteBucketPlace): Promise<void> {
  const row = (await tx.lock(remoteCollection, id))?.value
  if (row?.state !== 'MAKING' || row.class_id !== of.id)
    throw engineUnavailable('the creation of the bucket in the S3 store took too long; repeat the call', {
      retryAfterSeconds: 1,
    })
  await changeRemoteRow(tx, id, { state: 'KEPT' })
}
