import type { LifecycleRule, MultipartUpload } from '../../../output/storage/types.ts'
import type { StoredVersion } from '../objects/versions-store.ts'

/** A day of lifecycle rules: 24 hours, in milliseconds. */
export const dayMs = 86_400_000

/** The members of a rule that decide what the rule removes. */
export type Rule = Pick<LifecycleRule, 'action' | 'condition'>

/** Whether a rule removes versions that are not the latest versions of their objects, instead of the latest versions. */
export const removesNoncurrent = ({ action }: Pick<Rule, 'action'>): boolean =>
  action === 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT'

/** Whether a rule ends uploads in parts. */
export const endsUploads = ({ action }: Pick<Rule, 'action'>): boolean =>
  action === 'STORAGE_LIFECYCLE_ACTION_ABORT_INCOMPLETE_MULTIPART_UPLOAD'

/**
 * Whether a rule can remove anything. All members of a condition must hold, and neither the latest version of an object
 * nor an upload has newer versions or a time at which it ceased to be the latest version.
 */
export const canHold = ({ action, condition }: Rule): boolean =>
  removesNoncurrent({ action }) ||
  (condition.num_newer_versions === undefined && condition.noncurrent_age_days === undefined)

/**
 * Whether the members of a condition hold for a version at a time in milliseconds since 1970. The number of newer
 * versions is not checked.
 */
export function isDue(
  rule: Rule,
  version: Pick<StoredVersion, 'create_time' | 'is_latest' | 'name' | 'update_time'>,
  nowMs: number,
): boolean {
  const { age_days = 0, noncurrent_age_days = 0, prefix } = rule.condition
  const { create_time, is_latest, name, update_time } = version
  if (is_latest === removesNoncurrent(rule) || !canHold(rule) || !name.startsWith(prefix)) return false
  if (Date.parse(create_time) + age_days * dayMs > nowMs) return false
  return is_latest || Date.parse(update_time) + noncurrent_age_days * dayMs <= nowMs
}

/** Whether the condition of a rule holds for an active upload at a time in milliseconds since 1970. */
export function isDueUpload(
  rule: Rule,
  { create_time, object, state }: Pick<MultipartUpload, 'create_time' | 'object' | 'state'>,
  nowMs: number,
): boolean {
  if (!endsUploads(rule) || !canHold(rule) || state !== 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE') return false
  const { age_days = 0, prefix } = rule.condition
  return object.startsWith(prefix) && Date.parse(create_time) + age_days * dayMs <= nowMs
}
