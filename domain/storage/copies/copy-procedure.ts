import { checksumMismatch, objectNotFound } from '../../../output/storage/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import {
  again,
  done,
  failed,
  type OperationError,
  type Procedure,
  type StepContext,
  type StepOutcome,
} from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { crc32cText } from '../../resources/crc32c.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import { ContentFault, type ContentFiles, type ReceivedFile } from '../contents/content-files.ts'
import { contentCollection, type ContentFile, type StoredContent } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { writeVersion, type NewVersion } from '../objects/new-version.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { contentError } from '../plane/plane-errors.ts'
import { requireWritable } from '../plane/writable-instance.ts'
import { copyCollection, unpin } from './copies-store.ts'

/** The kind of the work that copies content between instances. */
export const copying = 'storage.copyObject'

/** The input of the work. */
export interface CopyOrder {
  /** The id of the bucket of the copy. */
  readonly bucket: string
  /** The id of the content of the source, on which the copy in progress has a reference. */
  readonly content: string
  /** The version that is written once its content is copied. */
  readonly copy: Omit<NewVersion, 'content' | 'overwriteRefusal'>
  /** The refusal of the caller's right to delete objects, if the caller lacks it. */
  readonly refusal?: Pick<ApiError, 'code' | 'domain' | 'message' | 'reason'>
}

/** The time after which a server without the content tries again, in milliseconds. */
const laterMs = 1_000

type Copying = Pick<StorageEnvironment, 'clock' | 'files' | 'lease' | 'taxonomy'>
type Context = StepContext<CopyOrder>

/** Returns the work that copies the content of a version to another instance, and then writes the version. */
export const copyProcedure = (environment: Copying): Procedure<CopyOrder> => ({
  kind: copying,
  deadlineMs: 'none',
  steps: [
    {
      name: 'copy',
      async run(context) {
        // Only the server with the content has the files.
        if (!(await environment.lease.isServing())) return again(laterMs)
        const { copy } = context.input
        // The version may be written, and even deleted again, by a run whose end was not recorded.
        if (!(await context.store.exists(copyCollection, { id: copy.id }))) return done()
        try {
          return await copyContent(environment, context)
        } catch (thrown) {
          const error = thrown instanceof ContentFault ? contentError(thrown) : thrown
          if (isRefusal(error)) return failed(errorOf(error))
          throw error
        }
      },
    },
  ],
  async failed(tx, { input }) {
    await unpin(tx, input.copy.id, environment.clock.now())
  },
})

async function copyContent(environment: Copying, context: Context): Promise<StepOutcome> {
  const { files } = environment
  const { input: order, store } = context
  const { id } = order.copy
  const content = (await store.get(contentCollection, order.content))?.value
  const bucket = (await store.get(bucketCollection, order.bucket))?.value
  if (!content || !bucket) throw gone(order)
  await requireWritable(store, bucket.instance_id)
  const file = await receivedCopy(files, content, bucket, context)
  const path = `objects/${id.slice(-2)}/${id}`
  try {
    requireSame(order, file)
    await files.move(bucket.instance_id, file.path, path)
    await context.tx(tx => writeCopy(environment, tx, bucket, order, { path, size: file.size }))
  } catch (error) {
    // After another error the rows may be committed. A worker deletes the files that no row names.
    if (error instanceof ContentFault || isRefusal(error))
      await files.remove(bucket.instance_id, [file.path, path]).catch(() => {})
    throw error
  }
  return done()
}

/** Writes the version of a copy whose content is in a file, and ends the copy. */
async function writeCopy(
  { clock, taxonomy }: Copying,
  tx: Transaction,
  { id, workspace_id }: StoredBucket,
  order: CopyOrder,
  file: ContentFile,
): Promise<void> {
  await taxonomy.requireActive(tx, workspace_id)
  const now = clock.now()
  const changes = await VersionChanges.begin(tx, id, now)
  if (!(await unpin(tx, order.copy.id, now))) return
  const overwriteRefusal = refusalIn(order)
  await writeVersion(tx, changes, { ...order.copy, content: { files: [file] }, overwriteRefusal, now })
  await changes.end(taxonomy)
}

/** Copies the bytes of a content into a temporary file on the instance of a bucket. */
async function receivedCopy(
  files: ContentFiles,
  content: StoredContent,
  bucket: StoredBucket,
  context: Pick<Context, 'progress' | 'signal'>,
): Promise<ReceivedFile> {
  const open = await files.open(content.instance_id, content.files)
  try {
    return await files.receive(watched(open.stream(0, content.size - 1), content.size, context), {
      instance: bucket.instance_id,
      syncMode: 'FULL',
      maxBytes: content.size,
      tooLong: () => new Error('the content has more bytes than its row says'),
    })
  } finally {
    await open.close()
  }
}

/** Passes chunks on until the work is aborted, and reports the progress of `size` bytes. */
async function* watched(
  chunks: ReadableStream<Uint8Array<ArrayBuffer>>,
  size: number,
  { progress, signal }: Pick<Context, 'progress' | 'signal'>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  let copied = 0
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    // The receiver of a chunk may take its memory.
    copied += chunk.length
    yield chunk
    progress(Math.floor((99 * copied) / size))
  }
}

function requireSame({ copy }: CopyOrder, { digests }: ReceivedFile): void {
  const expected = copy.metadata.checksum_crc32c
  if (expected === undefined || expected === crc32cText(digests.crc32c)) return
  const description = 'differs from the checksum of the copied bytes; the source is damaged'
  throw checksumMismatch(`checksum_crc32c ${description}`, { badRequest: [{ field: 'checksum_crc32c', description }] })
}

function refusalIn({ refusal }: CopyOrder): ApiError | undefined {
  if (refusal === undefined) return undefined
  const { code, domain, message, reason } = refusal
  return new ApiError({ reason, rpc: 'PERMISSION_DENIED', code, domain }, message)
}

/** Whether an error ends the copy; another error may pass. */
const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.rpc !== 'UNAVAILABLE'

const gone = ({ bucket, copy }: CopyOrder) =>
  objectNotFound(`the copy ${copy.name.slice(0, 80)} cannot be written to bucket ${bucket} any more`, {
    resource: { type: 'storage.objects', name: `${bucket}/${copy.name}` },
  })

const errorOf = ({ code = 0, message, reason }: ApiError): OperationError => ({ reason, code, description: message })
