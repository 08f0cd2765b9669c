import { retentionPolicyLocked, versioningTransitionInvalid } from '../../../output/storage/errors.ts'
import type { BucketUpdate, ParsedBucket, RetentionPolicy } from '../../../output/storage/types.ts'
import { durationMs } from '../../resources/durations.ts'
import type { StoredBucket } from './buckets-store.ts'

const disabled = 'STORAGE_VERSIONING_DISABLED'

/**
 * Returns the members of an update that the body does not have. Throws VERSIONING_TRANSITION_INVALID and
 * RETENTION_POLICY_LOCKED.
 */
export function changeBucket(before: StoredBucket, after: StoredBucket, now: string): Partial<StoredBucket> {
  if (before.versioning !== disabled && after.versioning === disabled)
    throw versioningTransitionInvalid(`versioning of bucket ${after.id} can be suspended, but not disabled`, {
      precondition: [{ type: 'VERSIONING', subject: after.id, description: 'versioning was never enabled' }],
    })
  const { retention_policy: policy } = after
  requireUnlocked(before, policy)
  if (!policy) return {}
  const known = before.retention_policy
  const effective_time = known?.retention_period === policy.retention_period ? known.effective_time : now
  return { retention_policy: { ...policy, effective_time } }
}

/** Throws RETENTION_POLICY_LOCKED if a locked policy would be removed, unlocked or shortened. */
function requireUnlocked({ id, retention_policy: before }: StoredBucket, after: RetentionPolicy | undefined): void {
  if (!before?.is_locked) return
  const isShorter = !after || durationMs(after.retention_period) < durationMs(before.retention_period)
  if (!isShorter && after.is_locked) return
  throw retentionPolicyLocked(`the retention policy of bucket ${id} is locked; its period can only be lengthened`, {
    precondition: [
      { type: 'RETENTION_POLICY', subject: id, description: `is_locked, and at least ${before.retention_period}` },
    ],
  })
}

/** Returns the rules of a body with their defaults filled, so that the same rules are no change. */
export function filledRules<Body extends Pick<BucketUpdate, 'lifecycle_rules' | 'cors_rules'>>(
  body: Body,
): Omit<Body, 'lifecycle_rules' | 'cors_rules'> & Partial<Pick<ParsedBucket, 'lifecycle_rules' | 'cors_rules'>> {
  const { cors_rules, lifecycle_rules, ...others } = body
  return {
    ...others,
    ...(lifecycle_rules && {
      lifecycle_rules: lifecycle_rules.map(rule => ({ ...rule, condition: { prefix: '', ...rule.condition } })),
    }),
    ...(cors_rules && {
      cors_rules: cors_rules.map(rule => ({
        allowed_headers: [],
        expose_headers: [],
        max_age_seconds: 0,
        ...rule,
      })),
    }),
  }
}
