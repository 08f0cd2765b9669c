import { engineCapabilityUnsupported, engineUnavailable } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Reader } from '../../ports/store.ts'
import type { ObjectPlace } from '../../ports/storage.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import { nativeEngine } from '../by-engine.ts'
import type { StorageEnvironment } from '../environment.ts'
import { invalidName } from '../objects/object-name.ts'
import { absentBucket } from '../objects/version-changes.ts'

/**
 * Returns the bucket of a place. Throws BUCKET_NOT_FOUND, also for a bucket of another workspace, and
 * ENGINE_CAPABILITY_UNSUPPORTED for a bucket on an S3 store.
 */
export async function placedBucket(
  reader: Reader,
  { bucket, workspace }: Pick<ObjectPlace, 'bucket' | 'workspace'>,
): Promise<StoredBucket> {
  const value = (await reader.get(bucketCollection, bucket))?.value
  if (value?.workspace_id !== workspace) throw absentBucket(bucket)
  requireNative(value)
  return value
}

/** Throws ENGINE_CAPABILITY_UNSUPPORTED for a bucket on an S3 store, whose content never passes the platform. */
export function requireNative({ engine, id }: Pick<StoredBucket, 'engine' | 'id'>): void {
  if (engine === nativeEngine) return
  const message = `bucket ${id} lies on an S3 store; name a bucket of the engine ${nativeEngine}`
  throw engineCapabilityUnsupported(message, { capability: 'CONTENT_OF_THE_PLATFORM' })
}

/**
 * Throws IAM_PERMISSION_DENIED unless the caller of `context` holds a permission at the workspace of a place, and
 * OBJECT_NAME_INVALID. Without `context`, the platform itself is the caller.
 */
export async function requireCaller(
  { access }: Pick<StorageEnvironment, 'access'>,
  context: CallContext | undefined,
  permission: string,
  { object, workspace }: ObjectPlace,
): Promise<void> {
  if (context) await access.require(context, permission, workspaceScope(workspace))
  const invalid = invalidName('object', object)
  if (invalid) throw invalid
}

/** Throws ENGINE_UNAVAILABLE on a server that does not serve content. */
export async function requireServing({ lease }: Pick<StorageEnvironment, 'lease'>): Promise<void> {
  if (await lease.isServing()) return
  throw engineUnavailable('another server of the platform serves the content', { retryAfterSeconds: 5 })
}
