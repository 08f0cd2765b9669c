import { objectRetained } from '../../../output/storage/errors.ts'
import type { Bucket } from '../../../output/storage/types.ts'
import { parseDuration, formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredVersion } from './versions-store.ts'

const nanosecondsPerMs = 1_000_000n

/**
 * Returns until when the policy of a bucket protects a version, in milliseconds since 1970; undefined for a bucket
 * without a policy and for a delete marker. The policy in force counts, whatever policy the version was written under.
 */
export function retainedUntil(
  { retention_policy }: Pick<Bucket, 'retention_policy'>,
  { create_time, is_delete_marker }: Pick<StoredVersion, 'create_time' | 'is_delete_marker'>,
): number | undefined {
  if (retention_policy === undefined || is_delete_marker) return undefined
  const period = parseDuration(retention_policy.retention_period)
  return period === undefined ? undefined : Date.parse(create_time) + Number(period / nanosecondsPerMs)
}

/** Throws OBJECT_RETAINED if the policy of a bucket still protects a version that would be destroyed. */
export function requireUnretained(bucket: Bucket, version: StoredVersion, nowMs: number): void {
  const until = retainedUntil(bucket, version)
  if (until === undefined || until <= nowMs) return
  const retain_until_time = formatMillis(until)
  throw objectRetained(
    `version ${version.version_id} of object ${version.name.slice(0, 80)} is protected until ${retain_until_time}`,
    { retain_until_time },
    {
      precondition: [
        { type: 'RETENTION', subject: version.version_id, description: `protected until ${retain_until_time}` },
      ],
    },
  )
}
