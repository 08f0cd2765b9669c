import { contentTooLong } from '../../../output/storage/errors.ts'
import { faultAt, type ApiError } from '../../../runtime/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reply } from '../../../runtime/route.ts'
import { refusalOf } from '../../resources/refusal.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { ReceivedFile } from '../contents/content-files.ts'
import { crc32cText } from '../../resources/crc32c.ts'
import type { StorageEnvironment } from '../environment.ts'
import { commitVersion } from '../objects/commit-version.ts'
import { classOf, requireMetadataSize, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { replacedVersion, requireFree } from '../objects/new-version.ts'
import { ownQuery } from '../presigned/sign-url.ts'
import { customMetadata, sha256Header, uploadedMembers } from '../presigned/upload-headers.ts'
import type { Transfer } from './count-traffic.ts'
import { allowedCall, type AllowedCall } from './plane-doors.ts'
import { versionHeader } from './plane-headers.ts'
import { nothing, type Held } from './quota-room.ts'
import { signedHeader, storeContent, type Body } from './store-content.ts'
import { typeOf } from './upload-faults.ts'
import { uploadActivity } from './upload-activity.ts'

/** The answer to an upload: no body, and the tag, the version and the digest of the content. */
export type PutReply = Reply<200, undefined, Readonly<Record<string, string>>>

/** Writes the body of a request as a version of an object (storage.md 4.4). */
export async function putObject(
  environment: StorageEnvironment,
  body: Body,
  context: CallContext,
): Promise<Transfer<PutReply>> {
  const { access, audit, clock, store } = environment
  const call = allowedCall(context)
  const { bucket, request } = call
  const limits = await limitsOf(environment, call)
  const ifNoneMatch = signedHeader(call, 'if-none-match') === '*'
  // The commit decides whether a version is destroyed, so the refusal is kept until then.
  const overwriteRefusal = await refusalOf(
    access.require(context, 'storage.objects.delete', workspaceScope(bucket.workspace_id)),
  )
  if (ifNoneMatch) await requireFree(store, bucket.id, request.object)
  const id = clock.newId()
  const path = `objects/${id.slice(-2)}/${id}`
  const { digests, size } = await storeContent(environment, call, body, {
    ...limits,
    path,
    arrivalOf: length => ({
      added: { ...nothing, bytes: length, versions: 1 },
      replaced: (reader, current) =>
        replacedBy(reader, current, { ifNoneMatch, name: request.object, now: context.now, overwriteRefusal }),
    }),
    commit(file) {
      const version = { ...versionOf(call, file, path, context), id, ifNoneMatch, overwriteRefusal }
      const activity = uploadActivity(bucket, version.name, context)
      return commitVersion(environment, bucket, version, tx => audit.recordActivity(tx, activity))
    },
  })
  const headers = { etag: `"${digests.md5}"`, [versionHeader]: id, [sha256Header]: digests.sha256 }
  return { reply: { status: 200, headers }, bytes: size }
}

/** Returns what an upload replaces. Throws the errors of `replacedVersion`. */
async function replacedBy(...upload: Parameters<typeof replacedVersion>): Promise<Held> {
  const replaced = (await replacedVersion(...upload))?.value
  return !replaced || replaced.is_delete_marker ? nothing : { ...nothing, bytes: replaced.size, versions: 1 }
}

/** Checks the name and the metadata before the first byte, and returns the limits of the body. */
async function limitsOf({ store }: StorageEnvironment, { bucket, request }: AllowedCall) {
  const invalid = invalidName('object', request.object)
  if (invalid) throw invalid
  typeOf(request.headers)
  requireMetadataSize(customMetadata(request.headers))
  const ofBucket = sizeLimit(bucket, await classOf(store, bucket))
  const { [ownQuery.maxLength]: signedLimit } = request.query
  const ofUrl = signedLimit === undefined ? Number.MAX_SAFE_INTEGER : Number(signedLimit)
  const tooLong = (): ApiError =>
    ofUrl < ofBucket
      ? faultAt(contentTooLong, 'body', `must have at most ${ofUrl} bytes, as the URL is signed`)
      : tooLarge('the body', ofBucket)
  return { maxBytes: Math.min(ofBucket, ofUrl), tooLong }
}

function versionOf(call: AllowedCall, { digests, size }: ReceivedFile, path: string, { now }: CallContext) {
  const { request } = call
  const texts = Object.entries(uploadedMembers).map(([header, member]) => [member, signedHeader(call, header) ?? ''])
  const {
    cache_control = '',
    content_disposition = '',
    content_encoding = '',
    content_language = '',
  } = Object.fromEntries<string>(texts.map(([member = '', text = '']) => [member, text]))
  return {
    name: request.object,
    size,
    contentType: typeOf(request.headers),
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
