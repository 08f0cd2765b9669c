import type {
  ParsedCreatePresignedDownloadUrlRequest,
  ParsedCreatePresignedUploadUrlRequest,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { findBucket, type BucketPath } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { requireMetadataSize } from '../objects/object-limits.ts'
import { invalidName } from '../objects/object-name.ts'
import { requireUsable } from '../objects/version-changes.ts'

type Signing = Pick<StorageEnvironment, 'access' | 'store' | 'taxonomy'>

/** Returns the bucket of a download that may be signed. Throws OBJECT_NAME_INVALID, BUCKET_NOT_FOUND and WORKSPACE_NOT_ACTIVE. */
export async function bucketOfDownload(
  environment: Signing,
  request: ParsedCreatePresignedDownloadUrlRequest,
): Promise<StoredBucket> {
  requireName(request.body)
  return usableBucket(environment, request)
}

/**
 * Returns the bucket of an upload that may be signed, apart from limits of its engine. Throws as `bucketOfDownload` does,
 * and METADATA_TOO_LARGE, BUCKET_DELETING, and IAM_PERMISSION_DENIED if the upload could destroy a version that the caller
 * may not delete.
 */
export async function bucketOfUpload(
  environment: Signing,
  request: ParsedCreatePresignedUploadUrlRequest,
  context: CallContext,
): Promise<StoredBucket> {
  const { body, workspace } = request
  requireName(body)
  requireMetadataSize(body.custom_metadata)
  const bucket = await usableBucket(environment, request)
  if (mayOverwrite(bucket, body.if_none_match))
    await environment.access.require(context, 'storage.objects.delete', workspaceScope(workspace))
  requireUsable(bucket)
  return bucket
}

/** Whether an upload to a bucket may destroy a version: versioning is not enabled, and the name may be taken. */
export const mayOverwrite = ({ versioning }: Pick<StoredBucket, 'versioning'>, ifNoneMatch: string): boolean =>
  versioning !== 'STORAGE_VERSIONING_ENABLED' && ifNoneMatch !== '*'

/** Returns the bucket of a path, in an active workspace. */
async function usableBucket({ store, taxonomy }: Signing, path: BucketPath): Promise<StoredBucket> {
  const { value } = await findBucket(store, taxonomy, path)
  await taxonomy.checkActive(store, path.workspace)
  return value
}

function requireName({ object }: { readonly object: string }): void {
  const invalid = invalidName('object', object)
  if (invalid) throw invalid
}
