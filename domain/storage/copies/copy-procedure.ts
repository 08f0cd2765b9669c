import { checksumMismatch, objectNotFound } from '../../../output/storage/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { again, done, failed, type OperationError, type Procedure, type StepOutcome } from '../../ports/procedures.ts'
import type { Reader, Transaction } from '../../ports/store.ts'
import { crc32cText } from '../../resources/crc32c.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { ContentFiles, ReceivedFile } from '../contents/content-files.ts'
import { contentCollection, type StoredContent } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { writeVersion, type NewVersion } from '../objects/new-version.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { versionCollection } from '../objects/versions-store.ts'
import { copyCollection } from './copies-store.ts'

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

type Copying = Pick<StorageEnvironment, 'clock' | 'files' | 'lease' | 'store' | 'taxonomy'>

/** Returns the work that copies the content of a version to another instance, and then writes the version. */
export const copyProcedure = (environment: Copying): Procedure<CopyOrder> => ({
  kind: copying,
  deadlineMs: 'none',
  steps: [
    {
      name: 'copy',
      async run({ input, store, tx }) {
        if (!(await environment.lease.isServing())) return again(laterMs)
        // A step that ended without its record has written the version already.
        if (await store.exists(versionCollection, { version_id: input.copy.id })) return done()
        try {
          return await copyContent(environment, store, tx, input)
        } catch (error) {
          if (error instanceof ApiError && error.rpc !== 'UNAVAILABLE') return failed(errorOf(error))
          throw error
        }
      },
    },
  ],
  failed: (tx, { input }) => unpinned(tx, input, environment.clock.now()),
})

async function copyContent(
  { clock, files, taxonomy }: Copying,
  store: Reader,
  run: (fn: (tx: Transaction) => Promise<void>) => Promise<void>,
  order: CopyOrder,
): Promise<StepOutcome> {
  const content = (await store.get(contentCollection, order.content))?.value
  const bucket = (await store.get(bucketCollection, order.bucket))?.value
  if (!content || !bucket) throw gone(order)
  const file = await receivedCopy(files, content, bucket)
  requireSame(order, file)
  const { id } = order.copy
  const path = `objects/${id.slice(-2)}/${id}`
  await files.move(bucket.instance_id, file.path, path)
  await run(async tx => {
    await taxonomy.requireActive(tx, bucket.workspace_id)
    const now = clock.now()
    const changes = await VersionChanges.begin(tx, order.bucket, now)
    const overwriteRefusal = refusalIn(order)
    const files = [{ path, size: file.size }]
    await writeVersion(tx, changes, { ...order.copy, content: { files }, overwriteRefusal, now })
    await changes.end(taxonomy)
    await unpinned(tx, order, now)
  })
  return done()
}

/** Copies the bytes of a content into a temporary file on the instance of a bucket. */
async function receivedCopy(files: ContentFiles, content: StoredContent, bucket: StoredBucket): Promise<ReceivedFile> {
  const open = await files.open(content.instance_id, content.files)
  return files.receive(open.stream(0, content.size - 1), {
    instance: bucket.instance_id,
    syncMode: 'FULL',
    maxBytes: content.size,
    tooLong: () => new Error('the content has more bytes than its row says'),
  })
}

function requireSame({ copy }: CopyOrder, { digests }: ReceivedFile): void {
  const expected = copy.metadata.checksum_crc32c
  if (expected === undefined || expected === crc32cText(digests.crc32c)) return
  const description = 'differs from the checksum of the copied bytes; the source is damaged'
  throw checksumMismatch(`checksum_crc32c ${description}`, { badRequest: [{ field: 'checksum_crc32c', description }] })
}

/** Adds a reference of a copy in progress to a content. */
export async function pinned(tx: Transaction, copy: string, content: string, nowMs: number): Promise<void> {
  await tx.insert(copyCollection, { id: copy, content_id: content })
  await addReferences(tx, content, 1, nowMs)
}

/** Takes the reference of a copy in progress off its content; a repeat changes nothing. */
async function unpinned(tx: Transaction, { content, copy }: CopyOrder, nowMs: number): Promise<void> {
  const pin = await tx.lock(copyCollection, copy.id)
  if (!pin) return
  await tx.delete(copyCollection, pin.id, pin.version)
  await addReferences(tx, content, -1, nowMs)
}

async function addReferences(tx: Transaction, id: string, count: number, nowMs: number): Promise<void> {
  const stored = await tx.lock(contentCollection, id)
  if (!stored) throw new Error(`content ${id} is absent, although a version has it`)
  const next = { ...stored.value, references: stored.value.references + count, update_time: formatMillis(nowMs) }
  await tx.update(contentCollection, id, next, stored.version)
}

function refusalIn({ refusal }: CopyOrder): ApiError | undefined {
  if (refusal === undefined) return undefined
  const { code, domain, message, reason } = refusal
  return new ApiError({ reason, rpc: 'PERMISSION_DENIED', code, domain }, message)
}

const gone = ({ bucket, copy }: CopyOrder) =>
  objectNotFound(`the copy ${copy.name.slice(0, 80)} cannot be written to bucket ${bucket} any more`, {
    resource: { type: 'storage.objects', name: `${bucket}/${copy.name}` },
  })

const errorOf = ({ code = 0, message, reason }: ApiError): OperationError => ({ reason, code, description: message })
