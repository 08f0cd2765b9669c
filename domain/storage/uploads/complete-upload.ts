import { createHash } from 'node:crypto'
import {
  checksumMismatch,
  partEtagMismatch,
  partMissing,
  partsNotAscending,
  partTooSmall,
} from '../../../output/storage/errors.ts'
import type {
  ParsedCompleteMultipartUploadRequest,
  StorageOperation,
  CompletedPart,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import type { Answer, JsonText } from '../../../runtime/json.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { writeVersion } from '../objects/new-version.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { compositeSums } from './composite.ts'
import { dropFiles } from './drop-files.ts'
import { endUpload } from './end-upload.ts'
import { findUpload, requireActiveUpload } from './find-upload.ts'
import { partCollection, uploadCollection, type StoredPart, type StoredUpload } from './uploads-store.ts'

/** The smallest size of a part in bytes, the last part excepted: 5 MiB. */
const minPartBytes = 5 * 2 ** 20

const completed = 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED'

/**
 * Puts the listed parts of an upload together into an object: the object has the files of the parts, so no byte is
 * copied (storage.md 4.7). A repetition with the same body returns the same operation.
 */
export const completeUpload = (
  environment: StorageEnvironment,
  request: ParsedCompleteMultipartUploadRequest,
  context: CallContext,
): Promise<Answer<StorageOperation>> =>
  completeOnce(environment, request, digest => complete(environment, request, digest, context))

/**
 * Returns the operation of a completion; of an upload that an equal completion has completed, the operation of that one.
 * `run` gets the SHA-256 of the body in hex. Throws PARTS_NOT_ASCENDING, and the errors of `run`.
 */
export async function completeOnce(
  environment: Pick<StorageEnvironment, 'operations' | 'store'>,
  request: ParsedCompleteMultipartUploadRequest,
  run: (digest: string) => Promise<Answer<StorageOperation>>,
): Promise<Answer<StorageOperation>> {
  const { body } = request
  requireAscending(body.parts)
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const before = await repeated(environment, request, digest)
  if (before) return before
  try {
    return await run(digest)
  } catch (error) {
    // An equal completion may have come first since the check.
    const first = await repeated(environment, request, digest)
    if (first) return first
    throw error
  }
}

/** Returns the operation of a completion with the same body; undefined if the upload has none. */
async function repeated(
  { operations, store }: Pick<StorageEnvironment, 'operations' | 'store'>,
  { bucket, upload_id, workspace }: ParsedCompleteMultipartUploadRequest,
  digest: string,
): Promise<JsonText<StorageOperation> | undefined> {
  const upload = (await store.get(uploadCollection, upload_id))?.value
  if (upload?.bucket_id !== bucket || upload.workspace_id !== workspace) return undefined
  if (upload.state !== completed || upload.completed_by !== digest) return undefined
  return (await store.get(operations.collection, upload.completing_operation))?.text
}

async function complete(
  environment: StorageEnvironment,
  request: ParsedCompleteMultipartUploadRequest,
  digest: string,
  context: CallContext,
): Promise<Answer<StorageOperation>> {
  const { access, clock, operations, taxonomy } = environment
  const { bucket: bucketId, upload_id, workspace } = request
  const scope = workspaceScope(workspace)
  // The commit decides whether a version is destroyed, so the refusal is kept until then.
  const overwriteRefusal = await refusalOf(access.require(context, 'storage.objects.delete', scope))
  const id = clock.newId()
  return operations.mutate(context, request, async (tx, operationId) => {
    await taxonomy.share(tx, scope)
    await findBucket(tx, taxonomy, request)
    const changes = await VersionChanges.lock(tx, bucketId, context.now)
    const upload = await findUpload(tx, bucketId, upload_id)
    await taxonomy.requireActive(tx, workspace)
    changes.requireUsable()
    requireActiveUpload(upload.value, context.now)
    const { listed, others } = await partsOf(tx, upload_id, request.body.parts)
    const sums = requireSound(listed, request.body)
    const size = listed.reduce((sum, part) => sum + part.size, 0)
    const limit = sizeLimit(changes.bucket, await classOf(tx, changes.bucket))
    if (size > limit) throw tooLarge('parts', limit)
    const end = { state: completed, completed_by: digest, completing_operation: operationId } as const
    await endUpload(tx, changes, upload, end, context.now)
    await dropFiles(tx, clock, upload.value, others, context.now)
    await writeVersion(tx, changes, {
      ...versionOf(upload, listed, sums, size),
      id,
      uploader: context.principal?.id ?? '',
      ifNoneMatch: request.body.if_none_match === '*',
      overwriteRefusal,
      now: context.now,
    })
    await changes.end(taxonomy)
    const resourceId = `${bucketId}/${upload.value.object}`
    return { type: 'COMPLETE', resourceType: 'storage.objects', resourceId, scope }
  })
}

function versionOf(
  { value: upload }: Stored<StoredUpload>,
  listed: readonly StoredPart[],
  sums: ReturnType<typeof compositeSums>,
  size: number,
) {
  return {
    name: upload.object,
    size,
    contentType: upload.content_type,
    etag: sums.etag,
    metadata: {
      cache_control: upload.cache_control,
      content_disposition: upload.content_disposition,
      content_encoding: upload.content_encoding,
      content_language: upload.content_language,
      checksum_sha256: sums.sha256,
      checksum_crc32c: sums.crc32c,
      part_count: listed.length,
      custom_metadata: upload.custom_metadata,
      source_version_id: '',
    },
    // The id tells to which content the files of an upload belong.
    content: { contentId: upload.id, files: listed.map(({ path, size: bytes }) => ({ path, size: bytes })) },
  }
}

/** Throws PARTS_NOT_ASCENDING unless each listed part has a higher number than the part before. */
function requireAscending(parts: readonly CompletedPart[]): void {
  const at = parts.findIndex(({ part_number }, i) => i > 0 && part_number <= (parts[i - 1]?.part_number ?? 0))
  if (at === -1) return
  throw faultAt(partsNotAscending, `parts[${at}].part_number`, 'must be higher than the number of the part before')
}

/** Returns the rows of the listed parts in their order, and the other parts of the upload. */
async function partsOf(tx: Transaction, upload: string, listed: readonly CompletedPart[]) {
  const rows = new Map<number, StoredPart>()
  for await (const { value } of tx.each(partCollection, { upload_id: upload })) rows.set(value.part_number, value)
  const found = listedParts(rows, listed)
  for (const { part_number } of found) rows.delete(part_number)
  return { listed: found, others: [...rows.values()] }
}

/** Returns the listed parts in their order. Throws PART_MISSING and PART_ETAG_MISMATCH. */
export const listedParts = <Part extends Pick<StoredPart, 'etag'>>(
  uploaded: ReadonlyMap<number, Part>,
  listed: readonly CompletedPart[],
): readonly Part[] =>
  listed.map(({ etag, part_number }, at) => {
    const part = uploaded.get(part_number)
    if (!part) throw faultAt(partMissing, `parts[${at}].part_number`, `part ${part_number} was not uploaded`)
    if (part.etag !== etag.replaceAll('"', ''))
      throw faultAt(partEtagMismatch, `parts[${at}].etag`, `part ${part_number} has the etag ${part.etag}`)
    return part
  })

/** Throws PART_TOO_SMALL and CHECKSUM_MISMATCH; returns the checksums of the whole content. */
function requireSound(parts: readonly StoredPart[], { checksum_sha256: given }: { readonly checksum_sha256: string }) {
  requireLargeParts(parts)
  const sums = compositeSums(parts)
  if (given !== '' && given !== sums.sha256) throw otherDigest(sums.sha256)
  return sums
}

/** Throws PART_TOO_SMALL if a part that is not the last part has less than 5 MiB. */
export function requireLargeParts(parts: readonly Pick<StoredPart, 'size'>[]): void {
  const small = parts.findIndex(({ size }, at) => size < minPartBytes && at < parts.length - 1)
  if (small !== -1)
    throw faultAt(
      partTooSmall,
      `parts[${small}]`,
      `must have at least ${minPartBytes} bytes, as it is not the last part`,
    )
}

/** Returns CHECKSUM_MISMATCH for a completion whose parts have another digest. */
export const otherDigest = (sha256: string) =>
  faultAt(checksumMismatch, 'checksum_sha256', `is not the digest of the parts, which is ${sha256}`)
