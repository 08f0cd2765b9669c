import { etagMismatch } from '../../../output/shared/errors.ts'
import { earlyDelete } from '../../../output/storage/errors.ts'
import type { DeleteObjectRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { Warning } from '../../ports/warning.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { findVersion } from './find-version.ts'
import { classOf } from './object-limits.ts'
import { invalidName } from './object-name.ts'
import { requireUnretained } from './retention.ts'
import { VersionChanges } from './version-changes.ts'
import { nullVersion, type StoredVersion } from './versions-store.ts'

/** Deletes a version, or puts a delete marker on top of the versions of an object (storage.md 4.8). */
export async function deleteObject(
  environment: StorageEnvironment,
  request: DeleteObjectRequest,
  context: CallContext,
): Promise<Answer<StorageOperation>> {
  const { clock, operations, taxonomy } = environment
  const { bucket: id, etag, object, version_id: versionId = '', workspace } = request
  const invalid = invalidName('object', object)
  if (invalid) throw invalid
  const markerId = clock.newId()
  return operations.mutate(context, request, async tx => {
    const scope = workspaceScope(workspace)
    await taxonomy.share(tx, scope)
    await findBucket(tx, taxonomy, request)
    const deletion = { versionId, markerId, etag, now: context.now, principalId: context.principal?.id ?? '' }
    const warnings = await deleteVersion(taxonomy, tx, { workspace, bucket: id, object }, deletion)
    return { type: 'DELETE', resourceType: 'storage.objects', resourceId: `${id}/${object}`, scope, warnings }
  })
}

/** A deletion of a version, or of the object if `versionId` is empty. */
export interface Deletion {
  readonly versionId: string
  /** The id of the delete marker, if the deletion makes a delete marker. */
  readonly markerId: string
  /** The content ETag that the version must have; absent or empty: any. */
  readonly etag?: string | undefined
  readonly now: number
  readonly principalId: string
}

/**
 * Deletes a version in a transaction that has shared the tree of the workspace. Returns the warnings of the deletion.
 * Throws BUCKET_NOT_FOUND, OBJECT_NOT_FOUND, OBJECT_VERSION_NOT_FOUND, ETAG_MISMATCH, WORKSPACE_NOT_ACTIVE,
 * BUCKET_DELETING and OBJECT_RETAINED.
 */
export async function deleteVersion(
  taxonomy: StorageEnvironment['taxonomy'],
  tx: Transaction,
  { bucket, object, workspace }: { readonly workspace: string; readonly bucket: string; readonly object: string },
  deletion: Deletion,
): Promise<readonly Warning[]> {
  const changes = await VersionChanges.lock(tx, bucket, deletion.now)
  const found = await findVersion(tx, { bucket, object, versionId: deletion.versionId })
  requireEtag(found.value, deletion.etag)
  await taxonomy.requireActive(tx, workspace)
  changes.requireUsable()
  const warnings = await remove(tx, changes, found, deletion)
  await changes.end(taxonomy)
  return warnings
}

/**
 * Deletes a version of the changed bucket, or puts a delete marker on top of the latest version. Returns the warnings of
 * the deletion. Throws OBJECT_RETAINED.
 */
export async function remove(
  tx: Transaction,
  changes: VersionChanges,
  found: Stored<StoredVersion>,
  { markerId, now, principalId, versionId }: Deletion,
): Promise<readonly Warning[]> {
  const { bucket } = changes
  const { name } = found.value
  const isMarked = versionId === '' && bucket.versioning !== 'STORAGE_VERSIONING_DISABLED'
  const isKept = bucket.versioning === 'STORAGE_VERSIONING_ENABLED'
  const destroyed = !isMarked ? found : isKept ? undefined : await nullVersion(tx, { bucket_id: bucket.id, name })
  if (destroyed) {
    requireUnretained(bucket, destroyed.value, now)
    await changes.remove(destroyed, { isReplaced: isMarked })
  }
  if (isMarked) await changes.put(markerOf(bucket, name, { markerId, now, principalId }))
  return destroyed && (await isEarly(tx, bucket, destroyed.value, now)) ? [early] : []
}

/** Throws ETAG_MISMATCH unless the content has the given etag; `*` fits every content. */
export function requireEtag(
  { etag: current, is_delete_marker }: Pick<StoredVersion, 'etag' | 'is_delete_marker'>,
  etag: string | undefined,
): void {
  if (etag === undefined || etag === '' || (etag === '*' && !is_delete_marker) || etag === current) return
  throw etagMismatch(`the content has the etag ${current}, not ${etag.slice(0, 80)}; read the object again`)
}

function markerOf(
  bucket: StoredBucket,
  name: string,
  { markerId, now, principalId }: Pick<Deletion, 'markerId' | 'now' | 'principalId'>,
) {
  const time = formatMillis(now)
  return {
    workspace_id: bucket.workspace_id,
    bucket_id: bucket.id,
    name,
    version_id: markerId,
    is_delete_marker: true,
    size: 0,
    content_type: '',
    etag: '',
    storage_class: bucket.storage_class,
    create_time: time,
    update_time: time,
    uploader_principal_id: principalId,
    slot: bucket.versioning === 'STORAGE_VERSIONING_ENABLED' ? 'KEPT' : 'NULL',
    content_id: '',
  } as const
}

/** The warning of a deletion before the minimum storage duration. */
export const early: Warning = {
  code: earlyDelete.code,
  description: 'the object was deleted before the minimum storage duration of its class',
}

/** Whether a version is younger than the minimum storage duration of its class. */
export async function isEarly(
  reader: Reader,
  bucket: StoredBucket,
  { create_time, is_delete_marker }: Pick<StoredVersion, 'create_time' | 'is_delete_marker'>,
  now: number,
): Promise<boolean> {
  if (is_delete_marker) return false
  const { min_storage_duration } = await classOf(reader, bucket)
  const minimal = durationMs(min_storage_duration)
  return !Number.isNaN(minimal) && Date.parse(create_time) + minimal > now
}
