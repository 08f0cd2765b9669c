import type { DeleteObjectRequest, StorageOperation } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { refusalOf } from '../../resources/refusal.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { findBucket, type BucketPath } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { early, isEarly, requireEtag } from '../objects/delete-object.ts'
import { invalidName } from '../objects/object-name.ts'
import { requireUsable } from '../objects/version-changes.ts'
import { contentStoreOf } from '../remote-buckets/bucket-store.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { rehearse } from '../remote-store/rehearse.ts'
import { makeChange } from './changes-store.ts'
import { findRemoteVersion, isLatestAlone, type FoundVersion } from './find-remote-version.ts'

/** A bucket whose objects a call wants to change, and the refusal of the change by the states of its surroundings. */
export interface Checked {
  readonly bucket: StoredBucket
  readonly refusal: ApiError | undefined
}

/** Deletes a version, or the object: the store removes it, or puts a delete marker on top (storage.md 4.8). */
export async function deleteRemoteObject(
  environment: StorageEnvironment,
  request: DeleteObjectRequest,
  context: CallContext,
): Promise<JsonText<StorageOperation>> {
  const { operations, taxonomy } = environment
  const { bucket: bucket_id, etag, object, version_id: versionId = '', workspace } = request
  const invalid = invalidName('object', object)
  if (invalid) throw invalid
  const scope = workspaceScope(workspace)
  const checked = await rehearse<Checked, JsonText<StorageOperation>>(end =>
    operations.mutate(context, request, async tx => {
      await taxonomy.share(tx, scope)
      return end(await checkedBucket(environment, tx, request))
    }),
  )
  if (checked.kind === 'recorded') return checked.answer
  const { bucket, refusal } = checked.result
  const place = await contentStoreOf(environment, bucket)
  const found = factsOf(await findRemoteVersion(place, bucket, { object, versionId }))
  requireEtag(found, etag)
  if (refusal) throw refusal
  const sent = isLatestAlone(bucket, versionId) ? '' : versionId
  const isKept = versionId === '' && bucket.versioning === 'STORAGE_VERSIONING_ENABLED'
  const change = { type: 'DELETE', workspace_id: workspace, bucket_id, object, version_id: versionId } as const
  return makeChange(
    environment,
    { ...change, create_time: formatMillis(context.now) },
    {
      request: () => answered(place.store.remove({ bucket: place.name, object, versionId: sent })),
      commit: end =>
        operations.mutate(context, request, async tx => {
          await taxonomy.share(tx, scope)
          await end(tx)
          const warnings = !isKept && (await isEarly(tx, bucket, found, context.now)) ? [early] : []
          const resourceId = `${bucket_id}/${object}`
          return { type: 'DELETE', resourceType: 'storage.objects', resourceId, scope, warnings }
        }),
    },
  )
}

/** Returns the bucket of a path. Throws WORKSPACE_NOT_FOUND and BUCKET_NOT_FOUND. */
export async function checkedBucket(
  { taxonomy }: Pick<StorageEnvironment, 'taxonomy'>,
  tx: Transaction,
  path: BucketPath,
): Promise<Checked> {
  const { value: bucket } = await findBucket(tx, taxonomy, path)
  const refusal = await refusalOf(
    (async () => {
      await taxonomy.requireActive(tx, path.workspace)
      requireUsable(bucket)
    })(),
  )
  return { bucket, refusal }
}

const factsOf = (found: FoundVersion) =>
  found.kind === 'marker'
    ? { etag: '', is_delete_marker: true, create_time: formatMillis(found.version.modifiedMs) }
    : { etag: found.object.etag, is_delete_marker: false, create_time: formatMillis(found.object.modifiedMs) }
