import type { PresignedUrlsHandlers } from '../../../output/storage/handlers.ts'
import type {
  ParsedCreatePresignedDownloadUrlRequest,
  ParsedCreatePresignedUploadUrlRequest,
  PresignedUrl,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { defaultLimits } from '../../../runtime/media.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { expirySeconds } from './presigned-form.ts'
import { recordSignature } from './record-signature.ts'
import { bucketOfDownload, bucketOfUpload } from './signable-bucket.ts'
import { ownQuery, signUrl } from './sign-url.ts'
import { uploadHeaders } from './upload-headers.ts'

/** The calls that sign URLs for the content of objects. */
export function presignedUrls(environment: StorageEnvironment): PresignedUrlsHandlers {
  return {
    createPresignedDownloadUrl: (request, context) => signDownload(environment, request, context),
    createPresignedUploadUrl: (request, context) => signUpload(environment, request, context),
  }
}

async function signDownload(
  environment: StorageEnvironment,
  request: ParsedCreatePresignedDownloadUrlRequest,
  context: CallContext,
): Promise<PresignedUrl> {
  const { body } = request
  const bucket = await bucketOfDownload(environment, request)
  const terms = { method: 'GET', object: body.object, query: downloadQuery(body), headers: {} } as const
  return signed(environment, bucket, { ...terms, expiresSeconds: expirySeconds(body.expires_in) }, context)
}

async function signUpload(
  environment: StorageEnvironment,
  request: ParsedCreatePresignedUploadUrlRequest,
  context: CallContext,
): Promise<PresignedUrl> {
  const { body } = request
  const bucket = await bucketOfUpload(environment, request, context)
  const limit = sizeLimit(bucket, await classOf(environment.store, bucket))
  if ((body.content_length ?? 0) > limit) throw tooLarge('content_length', limit)
  const { max_content_length: most } = body
  const query = most === undefined ? {} : { [ownQuery.maxLength]: String(most) }
  const terms = { method: 'PUT', object: body.object, query, headers: uploadHeaders(body) } as const
  return signed(environment, bucket, { ...terms, expiresSeconds: expirySeconds(body.expires_in) }, context)
}

interface Terms {
  readonly method: 'GET' | 'PUT'
  readonly object: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly expiresSeconds: number
}

/** Signs a URL, and records the signature before the URL is answered. */
async function signed(
  environment: StorageEnvironment,
  bucket: StoredBucket,
  terms: Terms,
  context: CallContext,
): Promise<PresignedUrl> {
  const { id, engine } = bucket
  const principal = context.principal?.id ?? ''
  const url = await signUrl(environment, { ...terms, engine, bucket: id, principal, now: context.now })
  requireUsableLength(url)
  const { headers, method, object, query } = terms
  const conditions = [...Object.keys(headers), ...Object.keys(query)]
  await recordSignature(environment, { bucket, conditions, method, object }, context)
  return url
}

/**
 * Throws FIELD_INVALID for a URL that is longer than the server accepts. Only the names of custom metadata, which the URL
 * lists, can make a URL as long.
 */
function requireUsableLength({ url }: PresignedUrl): void {
  const bytes = url.length - new URL(url).origin.length
  if (bytes <= defaultLimits.urlBytes) return
  const description = `has too many keys: the URL would have ${bytes} bytes, of which ${defaultLimits.urlBytes} are accepted`
  throw fieldInvalid([{ field: 'custom_metadata', description }])
}

/** Returns the parameters of a download, by the names of S3. */
export function downloadQuery(body: ParsedCreatePresignedDownloadUrlRequest['body']): Readonly<Record<string, string>> {
  const query = {
    versionId: body.version_id,
    'response-content-type': body.response_content_type,
    'response-content-disposition': body.response_content_disposition,
    'response-cache-control': body.response_cache_control,
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}
