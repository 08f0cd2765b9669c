import { engineCapabilityUnsupported } from '../../../output/shared/errors.ts'
import { bucketNotFound, objectNotFound, sourcePreconditionFailed } from '../../../output/storage/errors.ts'
import type { ParsedCopyObjectRequest } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import { platform } from '../../ports/access.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { nativeEngine } from '../by-engine.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { findVersion } from '../objects/find-version.ts'
import type { StoredVersion } from '../objects/versions-store.ts'

/**
 * Returns the bucket of the source of a copy, if it exists. Throws IAM_PERMISSION_DENIED unless the caller may download
 * from the bucket. The permission for an absent bucket is asked at PLATFORM, so that no other caller learns that a bucket
 * does not exist.
 */
export async function sourceBucket(
  { access, store }: Pick<StorageEnvironment, 'access' | 'store'>,
  { body, bucket, workspace }: ParsedCopyObjectRequest,
  context: CallContext,
): Promise<StoredBucket | undefined> {
  const { source_bucket_id: id = bucket } = body
  const found = (await store.get(bucketCollection, id))?.value
  const isHere = id === bucket || found?.workspace_id === workspace
  const scope = isHere ? workspaceScope(workspace) : found ? workspaceScope(found.workspace_id) : platform
  await access.require(context, 'storage.objects.download', scope, isHere ? scope : platform)
  return found
}

/**
 * Returns the bucket of the source, of the engine of the copy or of an engine of the same kind. Throws BUCKET_NOT_FOUND for
 * an absent bucket, and ENGINE_CAPABILITY_UNSUPPORTED for a bucket of an engine of another kind.
 */
export function requireSource(
  source: StoredBucket | undefined,
  { body, bucket, engine }: ParsedCopyObjectRequest,
): StoredBucket {
  if (source && (source.engine === nativeEngine) === (engine === nativeEngine)) return source
  if (source) {
    const message = 'a copy between the native engine and an S3 store is not made; download the object and upload it'
    throw engineCapabilityUnsupported(message, { capability: 'COPY_BETWEEN_ENGINES' })
  }
  const { source_bucket_id: name = bucket } = body
  const message = `engine ${engine} has no bucket ${name}`
  throw atField(bucketNotFound(message, { resource: { type: 'storage.buckets', name } }), 'source_bucket_id')
}

/** Returns the version that is copied. Throws OBJECT_NOT_FOUND, OBJECT_VERSION_NOT_FOUND and SOURCE_PRECONDITION_FAILED. */
export async function sourceVersion(
  tx: Transaction,
  bucket: string,
  { source_if_match: etag, source_object: object, source_version_id: versionId }: ParsedCopyObjectRequest['body'],
): Promise<StoredVersion> {
  const version = await findVersion(tx, { bucket, object, versionId }).catch((error: unknown) => {
    throw error instanceof ApiError ? atField(error, versionId === '' ? 'source_object' : 'source_version_id') : error
  })
  const { value } = version
  if (value.is_delete_marker) {
    const resource = { type: 'storage.objects', name: `${bucket}/${object}` }
    throw atField(objectNotFound('names a delete marker, which has no content', { resource }), 'source_version_id')
  }
  if (etag !== '' && etag !== '*' && etag.replaceAll('"', '') !== value.etag)
    throw sourcePreconditionFailed(`the source has the etag ${value.etag}, not ${etag.slice(0, 80)}`, {
      precondition: [{ type: 'ETAG', subject: value.version_id, description: `the etag is ${value.etag}` }],
    })
  return value
}
