import { objectAlreadyExists, objectNotFound, sourcePreconditionFailed } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { again, done, failed, type Procedure, type StepContext, type StepOutcome } from '../../ports/procedures.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { storeOf } from '../remote-buckets/bucket-store.ts'
import { isFault, unless } from '../remote-store/remote-fault.ts'
import { copyBytes, type CopyPlaces } from './copy-bytes.ts'
import type { RemoteCopyOrder } from './copy-order.ts'
import { dropCopy, remoteCopyCollection } from './copies-store.ts'

/** The kind of the work that copies an object between S3 stores, or in parts within a store. */
export const remoteCopying = 'storage.copyRemoteObject'

/** The time after which a copy asks a store again that has not answered, in milliseconds. */
const patienceMs = 5000

type Copying = Pick<StorageEnvironment, 'clock' | 'failed' | 'store' | 'stores'>
type Context = StepContext<RemoteCopyOrder>

/** Returns the work that copies an object part by part. The work has no time limit: a store may be away for long. */
export const remoteCopyProcedure = (environment: Copying): Procedure<RemoteCopyOrder> => ({
  kind: remoteCopying,
  deadlineMs: 'none',
  steps: [
    {
      name: 'copy',
      async run(context) {
        const places = await placesOf(environment, context.input)
        if (!places) return failed(told(absent(context.input)))
        try {
          return await copyWith(environment, context, places)
        } catch (error) {
          const refusal = refusalOf(context.input, error)
          if (!refusal) {
            if (isFault(error, 'unavailable', 'refused', 'upload')) return again(patienceMs, error)
            throw error
          }
          await abandon(environment, context.input, places)
          return failed(told(refusal))
        }
      },
    },
  ],
  failed: (tx, { input }) => dropCopy(tx, input.id),
})

async function copyWith(environment: Copying, context: Context, places: CopyPlaces): Promise<StepOutcome> {
  const isWhole = await copyBytes(environment, context, places)
  if (!isWhole) return again(0)
  return done(tx => dropCopy(tx, context.input.id))
}

/** Returns the places of a copy; undefined if one of its buckets is deleted. */
async function placesOf(environment: Copying, { source, target }: RemoteCopyOrder): Promise<CopyPlaces | undefined> {
  const [from, to] = [await activeBucket(environment, source.bucket), await activeBucket(environment, target.bucket)]
  return from && to && { from: await storeOf(environment, from), to: await storeOf(environment, to) }
}

async function activeBucket({ store }: Copying, id: string): Promise<StoredBucket | undefined> {
  const bucket = (await store.get(bucketCollection, id))?.value
  return bucket?.state === 'STORAGE_BUCKET_STATE_DELETING' ? undefined : bucket
}

/** Ends the upload of a copy that has failed. The inventory ends an upload that is left. */
async function abandon({ failed: report, store }: Copying, { id, target }: RemoteCopyOrder, { to }: CopyPlaces) {
  const row = (await store.get(remoteCopyCollection, id))?.value
  if (!row) return
  const name = { bucket: to.name, object: target.object }
  await unless(to.store.abortUpload(name, row.remote_id), 'upload', 'object').catch((fault: unknown) =>
    report(fault, `storage.objects ${target.bucket}`),
  )
}

/** Returns the error that ends a copy; undefined for an error that may pass. */
function refusalOf(order: RemoteCopyOrder, error: unknown): ApiError | undefined {
  const { source, target } = order
  if (isFault(error, 'bucket')) return absent(order)
  if (isFault(error, 'exists')) {
    const name = `${target.bucket}/${target.object}`
    return objectAlreadyExists(`bucket ${target.bucket} has an object ${target.object.slice(0, 80)}`, {
      resource: { type: 'storage.objects', name },
    })
  }
  if (!isFault(error, 'precondition', 'object', 'version')) return undefined
  return sourcePreconditionFailed('the source has another etag, or was deleted', {
    precondition: [{ type: 'ETAG', subject: source.object.slice(0, 80), description: `the etag was ${source.etag}` }],
  })
}

const absent = ({ target }: RemoteCopyOrder) =>
  objectNotFound(`the copy ${target.object.slice(0, 80)} cannot be written: a bucket is deleted`, {
    resource: { type: 'storage.objects', name: `${target.bucket}/${target.object}` },
  })

const told = ({ code = 0, message, reason }: ApiError) => ({ code, reason, description: message })
