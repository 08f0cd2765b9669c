import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import type { BucketUpdate, StorageCapability } from '../../../output/storage/types.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StoredClass } from '../classes/classes-store.ts'

/** The capabilities of stores by which calls are refused. */
type Capability = 'CONDITIONAL_PUT' | 'CHECKSUM_SHA256' | 'VERSIONING' | 'CORS'

/** Returns ENGINE_CAPABILITY_UNSUPPORTED; `what` is the subject and verb of the message. */
export const unsupported = (capability: string, what: string) =>
  engineCapabilityUnsupported(`${what} on S3 stores`, { capability })

/** Whether the store of a class has a capability. */
export function hasCapability({ s3 }: Pick<StoredClass, 's3'>, capability: Capability): boolean {
  const name: StorageCapability = `STORAGE_CAPABILITY_${capability}`
  return s3?.capabilities.includes(name) === true
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED unless the store of a class has a capability. */
export function requireCapability(of: Pick<StoredClass, 'name' | 's3'>, capability: Capability): void {
  if (hasCapability(of, capability)) return
  const message = `the S3 store of storage class ${of.name} lacks the capability ${capability}`
  throw engineCapabilityUnsupported(message, { capability })
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for settings of a bucket that no S3 store enforces. */
export function requireEnforced(body: BucketUpdate): void {
  const { max_object_size_bytes, quota_bytes = 0, quota_objects = 0, retention_policy } = body
  const given = {
    retention_policy: retention_policy !== undefined,
    max_object_size_bytes: max_object_size_bytes !== undefined,
    quota_bytes: quota_bytes > 0,
    quota_objects: quota_objects > 0,
  }
  for (const [field, isGiven] of Object.entries(given))
    if (isGiven) throw unsupported(field, `${field} cannot be enforced`)
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for settings of a bucket that the store of its class lacks. */
export function requireSettings(
  of: Pick<StoredClass, 'name' | 's3'>,
  { cors_rules, versioning }: Pick<StoredBucket, 'cors_rules' | 'versioning'>,
): void {
  if (versioning !== 'STORAGE_VERSIONING_DISABLED') requireCapability(of, 'VERSIONING')
  if (cors_rules.length > 0) requireCapability(of, 'CORS')
}
