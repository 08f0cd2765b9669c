import { bucketNotEmpty } from '../../../output/storage/errors.ts'
import type { ParsedDeleteBucketRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { again, done, failed, type OperationError, type Procedure, type StepOutcome } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { forgetRow } from '../../resources/references.ts'
import { requireUnused } from '../../resources/require-unused.ts'
import { requireNone } from '../bucket-calls/bucket-contents.ts'
import type { Buckets } from '../bucket-calls/buckets.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { isFault, RemoteFault, unless } from '../remote-store/remote-fault.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import { endGauges } from '../statistics/record-statistics.ts'
import { forgetUploads } from './remote-upload-rows.ts'
import { contentOf, emptyPage } from './empty-bucket.ts'
import { storeOf } from './bucket-store.ts'
import { dropRemoteRow, remoteCollection } from './remote-rows.ts'

/** The kind of the work that deletes a bucket in its store, and then its row. */
export const remoteDeletion = 'storage.deleteRemoteBucket'

/** The time after which a deletion asks a store again that has not answered, in milliseconds. */
const patienceMs = 5000

export interface Order {
  readonly bucket: string
  /** Whether the content of the bucket is deleted too. */
  readonly force: boolean
}

/**
 * Deletes a bucket: asks its store whether it is empty, unless its content is deleted too, and then is DELETING until the
 * bucket is gone in the store. Throws BUCKET_NOT_EMPTY and ENGINE_UNAVAILABLE.
 */
export async function deleteRemoteBucket(
  environment: StorageEnvironment,
  resources: Buckets,
  request: ParsedDeleteBucketRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { etag, force, workspace } = request
  if (force) await environment.access.require(context, 'storage.objects.delete', workspaceScope(workspace))
  const given = { ...request, ...(etag !== undefined && { body: { etag } }) }
  const commit = (end?: (bucket: StoredBucket) => never): Promise<JsonText<StorageOperation>> =>
    resources.verb('deleteContent', given, context, async (tx, bucket) => {
      await requireUnused(tx, bucketKind, bucket)
      end?.(bucket)
      return { procedure: { kind: remoteDeletion, input: { bucket: bucket.id, force } } }
    })
  if (force) return commit()
  const checked = await rehearse<StoredBucket, JsonText<StorageOperation>>(commit)
  if (checked.kind === 'recorded') return checked.answer
  const bucket = checked.result
  const { name, store } = await storeOf(environment, bucket)
  requireNone(bucket.id, await answered(contentOf(store, name, bucket)))
  return commit()
}

type Deleting = Pick<StorageEnvironment, 'clock' | 'store' | 'stores' | 'taxonomy'>

/** Returns the work that deletes a bucket in its store. The work has no time limit: a store may be away for long. */
export const deleteInStore = (environment: Deleting): Procedure<Order> => ({
  kind: remoteDeletion,
  deadlineMs: 'none',
  steps: [
    {
      name: 'store',
      async run({ input, signal }) {
        try {
          return await removeBucket(environment, input, signal)
        } catch (error) {
          if (isFault(error, 'notEmpty')) return input.force ? again(0) : failed(notEmpty(input.bucket))
          return again(patienceMs, error)
        }
      },
    },
  ],
  // The bucket got content after it was found empty, so it is kept.
  failed: (tx, { input }) => activate(environment, tx, input.bucket),
})

/** The error of a deletion whose bucket got content after it was found empty. */
function notEmpty(id: string): OperationError {
  const description = 'the bucket got content while it was deleted; empty it, or delete it with force'
  const { code, reason } = bucketNotEmpty(description, {
    precondition: [{ type: 'storage.objects', subject: id, description }],
  })
  return { code: code ?? 0, reason, description }
}

async function removeBucket(environment: Deleting, { bucket: id, force }: Order, signal: AbortSignal) {
  const bucket = (await environment.store.get(bucketCollection, id))?.value
  if (!bucket) return done()
  const { name, store } = await storeOf(environment, bucket)
  if (force) while (!(await emptyPage(store, name, bucket))) if (signal.aborted) return again(0)
  await unless(store.deleteBucket(name), 'bucket', 'object')
  return done(tx => deleteRows(environment, tx, id))
}

/** Deletes the rows of a bucket that is gone in its store, and returns its part of the quotas. */
async function deleteRows(
  { clock, taxonomy }: Pick<Deleting, 'clock' | 'taxonomy'>,
  tx: Transaction,
  id: string,
): Promise<void> {
  const stored = await tx.lock(bucketCollection, id)
  if (!stored) return
  await forgetRow(tx, { type: bucketKind.type, id })
  await endGauges(tx, stored.value, clock.now())
  await forgetUploads(tx, id)
  await dropRemoteRow(tx, id)
  await tx.delete(bucketCollection, id, stored.version)
  await takeDifference(tx, taxonomy, stored.value.workspace_id, bucketKind.takes?.(stored.value) ?? [], [])
}

async function activate({ clock }: Pick<Deleting, 'clock'>, tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(bucketCollection, id)
  if (!stored) return
  const update_time = formatMillis(clock.now())
  const active = { ...stored.value, state: 'STORAGE_BUCKET_STATE_ACTIVE', update_time } as const
  await tx.update(bucketCollection, id, active, stored.version)
}

/**
 * Deletes the buckets of a workspace on S3 stores with their content, for the purge of the workspace. Throws if a store
 * does not answer; a repeated call goes on.
 */
export async function purgeRemoteBuckets(environment: Deleting, workspace: string): Promise<void> {
  const { store } = environment
  const ids: string[] = []
  for await (const { id } of store.each(remoteCollection, { workspace_id: workspace, state: 'KEPT' })) ids.push(id)
  for (const bucket of ids) {
    const outcome: StepOutcome = await removeBucket(environment, { bucket, force: true }, new AbortController().signal)
    if (outcome.kind !== 'done') throw new RemoteFault('unavailable', `bucket ${bucket} is still in its store`)
    await store.tx(async tx => outcome.finish?.(tx))
  }
}
