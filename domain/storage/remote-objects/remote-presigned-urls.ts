import type { PresignedUrlsHandlers } from '../../../output/storage/handlers.ts'
import type {
  ParsedCreatePresignedDownloadUrlRequest,
  ParsedCreatePresignedUploadUrlRequest,
  PresignedUrl,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { StorageEnvironment } from '../environment.ts'
import { maxObjectBytes, tooLarge } from '../objects/object-limits.ts'
import { expirySeconds } from '../presigned/presigned-form.ts'
import { downloadQuery } from '../presigned/presigned-urls.ts'
import { recordSignature } from '../presigned/record-signature.ts'
import { bucketOfDownload, bucketOfUpload } from '../presigned/signable-bucket.ts'
import { uploadHeaders } from '../presigned/upload-headers.ts'
import { contentStoreOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { requireCapability, unsupported } from '../remote-buckets/capabilities.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { isLatestAlone } from './find-remote-version.ts'
import { classedHeaders, signRemote, type SigningTerms } from './sign-remote.ts'

/** The calls that sign URLs for the content of objects in S3 stores, which lead to the stores. */
export function remotePresignedUrls(environment: StorageEnvironment): PresignedUrlsHandlers {
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
  const { versionId, ...query } = downloadQuery(body)
  const isNamed = versionId !== undefined && !isLatestAlone(bucket, versionId)
  const place = await contentStoreOf(environment, bucket)
  const terms = { method: 'GET', object: body.object, headers: {} } as const
  const expiresSeconds = expirySeconds(body.expires_in)
  return signed(
    environment,
    place,
    bucket,
    { ...terms, query: isNamed ? { ...query, versionId } : query, expiresSeconds },
    context,
  )
}

async function signUpload(
  environment: StorageEnvironment,
  request: ParsedCreatePresignedUploadUrlRequest,
  context: CallContext,
): Promise<PresignedUrl> {
  const { store, taxonomy } = environment
  const { body, workspace } = request
  const bucket = await bucketOfUpload(environment, request, context)
  const bytes = body.content_length ?? 0
  if (bytes > maxObjectBytes) throw tooLarge('content_length', maxObjectBytes)
  const place = await contentStoreOf(environment, bucket)
  if (body.max_content_length !== undefined)
    throw unsupported('max_content_length', 'max_content_length cannot be a condition of an upload')
  if (body.if_none_match !== '') requireCapability(place.of, 'CONDITIONAL_PUT')
  if (body.checksum_sha256 !== '') requireCapability(place.of, 'CHECKSUM_SHA256')
  await taxonomy.requireRoom(store, workspace, { quota: 'storage.bytes', amount: Math.max(1, bytes) })
  const headers = classedHeaders(place, uploadHeaders(body))
  const expiresSeconds = expirySeconds(body.expires_in)
  return signed(
    environment,
    place,
    bucket,
    { method: 'PUT', object: body.object, query: {}, headers, expiresSeconds },
    context,
  )
}

/** Signs a URL, and records the signature before the URL is answered. */
async function signed(
  environment: StorageEnvironment,
  place: BucketStore,
  bucket: StoredBucket,
  terms: SigningTerms,
  context: CallContext,
): Promise<PresignedUrl> {
  const url = await signRemote(environment, place, bucket, terms, context)
  const { headers, method, object, query } = terms
  const conditions = [...Object.keys(headers), ...Object.keys(query)]
  await recordSignature(environment, { bucket, conditions, method, object }, context)
  return url
}
