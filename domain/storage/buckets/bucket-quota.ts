import { quotaExceeded } from '../../../output/shared/errors.ts'
import type { BucketUsage } from '../../../output/storage/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { StoredBucket } from './buckets-store.ts'

/**
 * Throws QUOTA_EXCEEDED if a usage that has grown is above a limit of the bucket itself (storage.md 4.11); a limit of 0
 * is none.
 */
export function requireBucketQuota(bucket: StoredBucket, after: BucketUsage): void {
  const { quota_bytes, quota_objects, usage: before } = bucket
  requireWithin(bucket, 'storage.bucketBytes', quota_bytes, heldBytes(before), heldBytes(after))
  requireWithin(bucket, 'storage.bucketObjects', quota_objects, before.version_count, after.version_count)
}

/** Returns the bytes of all versions and uploaded parts. */
const heldBytes = ({ bytes, incomplete_upload_bytes }: BucketUsage): number => bytes + incomplete_upload_bytes

function requireWithin(
  { id, workspace_id }: StoredBucket,
  quota: string,
  limit: number,
  before: number,
  after: number,
) {
  if (limit === 0 || after <= limit || after <= before) return
  const used = `${before} of ${limit} are used, ${after - before} more were requested`
  const { code, details, message, metadata, reason, rpc } = quotaExceeded(
    `quota ${quota} of bucket ${id} is used up: ${used}; delete objects, or raise the limit of the bucket`,
    {
      quota,
      limit: String(limit),
      usage: String(before),
      requested: String(after - before),
      scope_type: 'WORKSPACE',
      scope_id: workspace_id,
    },
    { quota: [{ subject: id, description: `${quota}: ${used}` }] },
  )
  throw new ApiError({ reason, rpc, code }, message, { ...metadata, bucket_id: id }, details)
}
