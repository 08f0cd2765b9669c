import { checksumMismatch, contentTooLong } from '../../../output/storage/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reply } from '../../../runtime/route.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { requireBucketQuota } from '../buckets/bucket-quota.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { ReceivedFile } from '../contents/content-files.ts'
import { crc32cText } from '../contents/crc32c.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf, requireMetadataSize, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { requireFree, writeVersion, type NewVersion } from '../objects/new-version.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { ownQuery } from '../presigned/sign-url.ts'
import { customMetadata, sha256Header, uploadedMembers } from '../presigned/upload-headers.ts'
import { allowedCall, type AllowedCall } from './plane-doors.ts'
import { versionHeader } from './plane-headers.ts'
import { requireWritable } from './writable-instance.ts'

/** The answer to an upload: no body, and the tag, the version and the digest of the content. */
export type PutReply = Reply<200, undefined, Readonly<Record<string, string>>>

type Body = ReadableStream<Uint8Array<ArrayBuffer>>

/** Writes the body of an upload as a version of an object (storage.md 4.4). Nothing is visible before the commit. */
export async function putObject(environment: StorageEnvironment, body: Body, context: CallContext): Promise<PutReply> {
  const { access, clock, files } = environment
  const call = allowedCall(context)
  const { bucket, request } = call
  const limits = await limitsOf(environment, call)
  const ifNoneMatch = isSigned(call, 'if-none-match')
  // The commit decides whether a version is destroyed, so the refusal is kept until then.
  const overwriteRefusal = await refusalOf(
    access.require(context, 'storage.objects.delete', workspaceScope(bucket.workspace_id)),
  )
  if (ifNoneMatch === '*') await requireFree(environment.store, bucket.id, request.object)
  const id = clock.newId()
  const { instance_id: instance } = bucket
  const received = await files.receive(body, { instance, ...limits })
  const path = `objects/${id.slice(-2)}/${id}`
  try {
    requireDigests(call, received)
    await files.move(instance, received.path, path)
    const version = versionOf(call, received, { id, path, ifNoneMatch: ifNoneMatch === '*', overwriteRefusal }, context)
    await commit(environment, version, bucket, context)
  } catch (error) {
    // A worker deletes files that no row names, so a failed deletion loses nothing.
    await files.remove(instance, [received.path, path]).catch(() => {})
    throw error
  }
  const { md5, sha256 } = received.digests
  return { status: 200, headers: { etag: `"${md5}"`, [versionHeader]: id, [sha256Header]: sha256 } }
}

/** Returns the value of a header if the signature covers the header. */
const isSigned = ({ request }: AllowedCall, name: string): string | undefined =>
  request.signed.has(name) ? request.headers[name] : undefined

/** Checks the declared length before the first byte, and returns the limits of the body. */
async function limitsOf({ store }: StorageEnvironment, { bucket, request }: AllowedCall) {
  const invalid = invalidName('object', request.object)
  if (invalid) throw invalid
  requireMetadataSize(customMetadata(request.headers))
  const storageClass = await classOf(store, bucket)
  const ofBucket = sizeLimit(bucket, storageClass)
  const { [ownQuery.maxLength]: signedLimit } = request.query
  const ofUrl = signedLimit === undefined ? Number.MAX_SAFE_INTEGER : Number(signedLimit)
  const maxBytes = Math.min(ofBucket, ofUrl)
  const tooLong = (): ApiError => (ofUrl < ofBucket ? tooLongForUrl(ofUrl) : tooLarge('the body', ofBucket))
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > maxBytes) throw tooLong()
  const usage = { ...bucket.usage, bytes: bucket.usage.bytes + length }
  if (bucket.versioning === 'STORAGE_VERSIONING_ENABLED') requireBucketQuota(bucket, usage)
  await requireWritable(store, bucket.instance_id)
  const syncMode = storageClass.native?.sync_mode === 'STORAGE_SYNC_MODE_DATA' ? 'DATA' : 'FULL'
  return { maxBytes, tooLong, syncMode } as const
}

function tooLongForUrl(limit: number) {
  const description = `must have at most ${limit} bytes, as the URL is signed`
  return contentTooLong(`the body ${description}`, { badRequest: [{ field: 'body', description }] })
}

/** Throws CHECKSUM_MISMATCH if the received bytes have another digest than the signed headers say. */
function requireDigests(call: AllowedCall, { digests }: ReceivedFile): void {
  const md5 = Buffer.from(digests.md5, 'hex').toString('base64')
  const given = [
    ['x-amz-checksum-sha256', isSigned(call, sha256Header), digests.sha256],
    ['Content-MD5', call.request.headers['content-md5'], md5],
  ] as const
  for (const [field, expected, computed] of given) {
    if (expected === undefined || expected === computed) continue
    const description = 'is not the digest of the bytes that arrived; send the content again'
    throw checksumMismatch(`${field} ${description}`, { badRequest: [{ field, description }] })
  }
}

function versionOf(
  call: AllowedCall,
  { digests, size }: ReceivedFile,
  { path, ...facts }: Pick<NewVersion, 'id' | 'ifNoneMatch' | 'overwriteRefusal'> & { readonly path: string },
  { now }: CallContext,
): NewVersion {
  const { request } = call
  const texts = Object.entries(uploadedMembers).map(([header, member]) => [member, isSigned(call, header) ?? ''])
  const {
    cache_control = '',
    content_disposition = '',
    content_encoding = '',
    content_language = '',
  } = Object.fromEntries<string>(texts.map(([member = '', text = '']) => [member, text]))
  return {
    ...facts,
    name: request.object,
    size,
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    etag: digests.md5,
    uploader: request.principal,
    metadata: {
      cache_control,
      content_disposition,
      content_encoding,
      content_language,
      checksum_sha256: digests.sha256,
      checksum_crc32c: crc32cText(digests.crc32c),
      md5: digests.md5,
      part_count: 0,
      custom_metadata: customMetadata(request.headers),
      source_version_id: '',
    },
    content: { files: [{ path, size }] },
    now,
  }
}

/** Commits a version with the usage of its bucket, the quotas and the activity, in one transaction. */
async function commit(
  { audit, store, taxonomy }: StorageEnvironment,
  version: NewVersion,
  bucket: StoredBucket,
  context: CallContext,
): Promise<void> {
  await store.tx(async tx => {
    await taxonomy.requireActive(tx, bucket.workspace_id)
    const changes = await VersionChanges.begin(tx, bucket.id, version.now)
    await writeVersion(tx, changes, version)
    await changes.end(taxonomy)
    await audit.recordActivity(tx, activityOf(bucket.workspace_id, `${bucket.id}/${version.name}`, context))
  })
}

const activityOf = (workspace: string, resourceId: string, context: CallContext): Activity => ({
  ...calledBy(context),
  category: 'DATA_WRITE',
  permission: 'storage.objects.create',
  resourceType: 'storage.objects',
  resourceId,
  scope: workspaceScope(workspace),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
