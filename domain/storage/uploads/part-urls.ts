import type { ParsedCreatePartUrlsRequest, PartUrlsResponse, PartUrl } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { expirySeconds } from '../presigned/presigned-form.ts'
import { recordSignature } from '../presigned/record-signature.ts'
import { signUrl } from '../presigned/sign-url.ts'
import { sha256Header } from '../presigned/upload-headers.ts'
import { findUpload, requireActiveUpload } from './find-upload.ts'
import type { StoredUpload } from './uploads-store.ts'

/** The query parameters that name a part. */
export const partQuery = { upload: 'uploadId', number: 'partNumber' } as const

/** Signs a URL for each of the parts that a caller names. */
export async function createPartUrls(
  environment: StorageEnvironment,
  request: ParsedCreatePartUrlsRequest,
  context: CallContext,
): Promise<PartUrlsResponse> {
  const { body, upload_id } = request
  const { bucket, upload } = await uploadOfParts(environment, request, context)
  const limit = sizeLimit(bucket, await classOf(environment.store, bucket))
  const large = body.parts.findIndex(({ content_length = 0 }) => content_length > limit)
  if (large !== -1) throw tooLarge(`parts[${large}].content_length`, limit)
  const part_urls: PartUrl[] = []
  for (const part of body.parts) {
    const { part_number } = part
    const url = await signUrl(environment, {
      method: 'PUT',
      engine: bucket.engine,
      bucket: bucket.id,
      object: upload.object,
      principal: context.principal?.id ?? '',
      query: { [partQuery.upload]: upload_id, [partQuery.number]: String(part_number) },
      headers: partHeaders(part),
      expiresSeconds: expirySeconds(body.expires_in),
      now: context.now,
    })
    part_urls.push({ ...url, part_number })
  }
  const conditions = [partQuery.upload, partQuery.number]
  await recordSignature(environment, { bucket, conditions, method: 'PUT', object: upload.object }, context)
  return { part_urls }
}

/** Returns the upload whose parts may be signed. Throws as `createPartUrls` of the API does, apart from limits of the engine. */
export async function uploadOfParts(
  { store, taxonomy }: Pick<StorageEnvironment, 'store' | 'taxonomy'>,
  request: ParsedCreatePartUrlsRequest,
  { now }: Pick<CallContext, 'now'>,
): Promise<{ readonly bucket: StoredBucket; readonly upload: StoredUpload }> {
  const { value: bucket } = await findBucket(store, taxonomy, request)
  const { value: upload } = await findUpload(store, bucket.id, request.upload_id)
  await taxonomy.checkActive(store, request.workspace)
  requireUsable(bucket)
  requireActiveUpload(upload, now)
  return { bucket, upload }
}

/** Returns the headers that the upload of a part must send, keyed by lower-case name. */
export const partHeaders = ({
  checksum_sha256,
  content_length,
}: ParsedCreatePartUrlsRequest['body']['parts'][number]): Readonly<Record<string, string>> => ({
  ...(content_length !== undefined && { 'content-length': String(content_length) }),
  ...(checksum_sha256 !== '' && { [sha256Header]: checksum_sha256 }),
})
