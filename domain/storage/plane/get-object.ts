import type { CallContext } from '../../../runtime/context.ts'
import type { Reply } from '../../../runtime/route.ts'
import { ContentFault, type OpenContent } from '../contents/content-files.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { absentObject, findWithMetadata, type VersionName } from '../objects/find-version.ts'
import type { StoredMetadata, StoredVersion } from '../objects/versions-store.ts'
import { metadataPrefix, sha256Header, uploadedMembers } from '../presigned/upload-headers.ts'
import type { Transfer } from './count-traffic.ts'
import { crc32cHeader } from './plane-headers.ts'
import { allowedCall, type AllowedCall } from './plane-doors.ts'
import { preconditionFailed, rangeUnsatisfiable } from './plane-errors.ts'
import { allowsRange, failedCondition } from './preconditions.ts'
import { rangeOf } from '../../resources/byte-ranges.ts'

/** The answer to a read: the content, a range of the content, or no body for an unchanged content. */
export type GetReply = Reply<
  200 | 206 | 304,
  ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
  Readonly<Record<string, string>>
>

/** Answers a read of an object with its content, in ranges and under conditions (storage.md 4.5). */
export async function getObject(environment: StorageEnvironment, context: CallContext): Promise<Transfer<GetReply>> {
  const call = allowedCall(context)
  const { bucket, request } = call
  const name = { bucket: bucket.id, object: request.object, versionId: request.query.versionId ?? '' }
  const { content, metadata, version } = await openVersion(environment, bucket, name)
  try {
    const reply = await replyOf(call, context, { content, metadata, version })
    const bytes = context.method === 'HEAD' ? 0 : Number(reply.headers?.['content-length'] ?? 0)
    return { reply, bytes }
  } catch (error) {
    await content.close()
    throw error
  }
}

/** A version whose content is open. */
export interface OpenedVersion {
  readonly content: OpenContent
  readonly metadata: StoredMetadata
  readonly version: StoredVersion
}

/**
 * Finds and opens a version. The rows are read again if the version is overwritten or deleted between the reads and the
 * opening. Throws OBJECT_NOT_FOUND, OBJECT_VERSION_NOT_FOUND and `ContentFault`.
 */
export async function openVersion(
  environment: Pick<StorageEnvironment, 'files' | 'report' | 'store'>,
  bucket: StoredBucket,
  name: VersionName,
  lostVersion?: string,
): Promise<OpenedVersion> {
  const { files, store } = environment
  const { metadata, version } = await findWithMetadata(store, name)
  if (version.value.is_delete_marker) throw absentObject(name)
  const stored = await store.get(contentCollection, version.value.content_id)
  try {
    if (!metadata || !stored) throw new ContentFault('lost', bucket.instance_id, undefined)
    const content = await files.open(stored.value.instance_id, stored.value.files)
    return { content, metadata: metadata.value, version: version.value }
  } catch (error) {
    if (!(error instanceof ContentFault) || error.kind !== 'lost') throw error
    if (version.id !== lostVersion) return openVersion(environment, bucket, name, version.id)
    // The version still exists, so its content was not deleted with it.
    environment.report(error)
    throw error
  }
}

async function replyOf({ request }: AllowedCall, context: CallContext, opened: OpenedVersion): Promise<GetReply> {
  const { content, metadata, version } = opened
  const { etag, size } = version
  const validators = { tag: `"${etag}"`, modifiedMs: Date.parse(version.create_time) }
  const failed = failedCondition(request.headers, validators)
  if (failed === 412) throw preconditionFailed(etag)
  const headers = headersOf(version, metadata, request.query)
  if (failed === 304) {
    await content.close()
    return { status: 304, headers }
  }
  const wanted = allowsRange(request.headers['if-range'], validators) ? request.headers.range : undefined
  // A range is defined for GET alone (RFC 9110 §14.2).
  const range = context.method === 'GET' ? rangeOf(wanted, size) : 'whole'
  if (range === 'none') throw rangeUnsatisfiable(size)
  const { first, last } = range === 'whole' ? { first: 0, last: size - 1 } : range
  await content.verify(first, last)
  const body = content.stream(first, last)
  const length = { ...headers, 'content-length': String(last - first + 1) }
  if (range === 'whole') return { status: 200, headers: length, body }
  return { status: 206, headers: { ...length, 'content-range': `bytes ${first}-${last}/${size}` }, body }
}

function headersOf(
  version: StoredVersion,
  metadata: StoredMetadata,
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  const stored = Object.entries(uploadedMembers).map(([header, member]) => [header, metadata[member]] as const)
  const overrides = ['content-type', 'content-disposition', 'cache-control'].map(
    header => [header, query[`response-${header}`] ?? ''] as const,
  )
  const sums = [
    [sha256Header, metadata.checksum_sha256 ?? ''],
    [crc32cHeader, metadata.checksum_crc32c ?? ''],
  ] as const
  const custom = Object.entries(metadata.custom_metadata).map(([key, value]) => [`${metadataPrefix}${key}`, value])
  return {
    'accept-ranges': 'bytes',
    'content-type': version.content_type,
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.create_time).toUTCString(),
    'x-amz-version-id': version.version_id,
    'x-content-type-options': 'nosniff',
    ...Object.fromEntries([...custom, ...[...stored, ...sums, ...overrides].filter(([, value]) => value !== '')]),
  }
}
