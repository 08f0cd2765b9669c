import type { BucketUpdate, LifecycleRuleInput } from '../../../output/storage/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { placeFaults } from '../../resources/place-form.ts'
import { durationMs } from '../../resources/durations.ts'

/** The longest time for which a policy protects versions, in milliseconds: 100 years. */
const maxRetentionMs = 3_155_760_000_000

const rule = rulesOf<BucketUpdate>()

/** The rules for the bodies of buckets beyond their schemas (step 5). */
export const bucketForm: readonly FormRule[] = [
  rule(['region', 'multi_region'], placeFaults),
  rule(['retention_policy'], retentionFaults),
  rule(['lifecycle_rules'], lifecycleFaults),
]

function* retentionFaults({ retention_policy }: BucketUpdate): Generator<FieldViolation> {
  const period = retention_policy?.retention_period
  if (period !== undefined && !(durationMs(period) <= maxRetentionMs))
    yield { field: 'retention_policy.retention_period', description: 'must be from 1s to 3155760000s' }
}

function* lifecycleFaults({ lifecycle_rules = [] }: BucketUpdate): Generator<FieldViolation> {
  const first = new Map<string, number>()
  for (const [i, { action, condition, id }] of lifecycle_rules.entries()) {
    const at = `lifecycle_rules[${i}]`
    const other = first.get(id)
    if (other === undefined) first.set(id, i)
    else yield { field: `${at}.id`, description: `must be unique, but is the id of lifecycle_rules[${other}] too` }
    yield* conditionFaults(action, condition, `${at}.condition`)
  }
}

function* conditionFaults(
  action: LifecycleRuleInput['action'],
  { age_days, noncurrent_age_days, num_newer_versions }: LifecycleRuleInput['condition'],
  field: string,
): Generator<FieldViolation> {
  if (action !== 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT') {
    if (age_days === undefined) yield { field: `${field}.age_days`, description: `is required for ${action}` }
  } else if (noncurrent_age_days === undefined && num_newer_versions === undefined) {
    yield { field, description: `must have num_newer_versions or noncurrent_age_days for ${action}` }
  }
}
