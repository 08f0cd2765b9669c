import type { LifecycleRule } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { canonical } from '../../../runtime/validation.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { isEarly } from '../objects/delete-object.ts'
import { storeOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { remoteUploadCollection } from '../remote-buckets/remote-upload-rows.ts'
import type { RemoteVersion } from '../remote-store/remote-store.ts'
import { endsUploads, isDueUpload } from '../rules/due.ts'
import { writeEnd } from '../uploads/end-upload.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'
import { isActive } from './active-bucket.ts'
import { dueVersions, isUnchanged } from './remote-versions.ts'
import { nothingRemoved, noteRemoved, type Removed } from './runs-store.ts'
import { uploadsFor } from './scans.ts'

/** The parts that rules of buckets on S3 stores use. */
export type RemoteApplying = Pick<StorageEnvironment, 'clock' | 'removed' | 'store' | 'stores' | 'taxonomy'>

/** The number of versions that are removed at a time. */
const batchSize = 16

/**
 * Removes what a rule of a bucket on an S3 store describes. Removals are noted in the row of the run before their
 * requests, so that a crash leaves no removal without a note. Throws `RemoteFault` and ENGINE_UNAVAILABLE.
 */
export async function applyRemoteRule(
  environment: RemoteApplying,
  turn: Turn,
  bucket: StoredBucket,
  rule: LifecycleRule,
): Promise<void> {
  const ruled = { bucket, place: await storeOf(environment, bucket), rule }
  if (endsUploads(rule)) return endUploads(environment, turn, ruled)
  let batch: RemoteVersion[] = []
  for await (const version of dueVersions(ruled.place, bucket, rule, environment.clock.now())) {
    if (turn.signal.aborted) return
    batch.push(version)
    if (batch.length < batchSize) continue
    if (!(await removeBatch(environment, turn, ruled, batch))) return
    batch = []
  }
  await removeBatch(environment, turn, ruled, batch)
}

interface Ruled {
  readonly bucket: StoredBucket
  readonly place: BucketStore
  readonly rule: LifecycleRule
}

/** Removes versions, as a caller would delete them (storage.md 4.8); returns false if the rule may no longer act. */
async function removeBatch(
  environment: RemoteApplying,
  turn: Turn,
  ruled: Ruled,
  found: readonly RemoteVersion[],
): Promise<boolean> {
  const { bucket, place } = ruled
  const checked = await Promise.all(found.map(async version => ({ version, isDue: await isUnchanged(place, version) })))
  const versions = checked.filter(({ isDue }) => isDue).map(({ version }) => version)
  if (versions.length === 0) return true
  const removed = { ...nothingRemoved }
  for (const version of versions) removed[kindOf(version)] += 1
  const now = environment.clock.now()
  const mayAct = await turn.tx(async tx => {
    if (!(await acts(environment, tx, ruled))) return false
    let is_early = false
    for (const { isDeleteMarker: is_delete_marker, isLatest, modifiedMs } of versions) {
      // An object below a new marker is kept.
      if (isLatest && bucket.versioning === 'STORAGE_VERSIONING_ENABLED') continue
      is_early ||= await isEarly(tx, bucket, { create_time: formatMillis(modifiedMs), is_delete_marker }, now)
    }
    await noteRemoved(tx, { id: bucket.id, workspace_id: bucket.workspace_id, removed, is_early })
    return true
  })
  if (!mayAct) return false
  const ends = await Promise.allSettled(versions.map(version => removeVersion(place, version)))
  const failed = ends.find(end => end.status === 'rejected')
  if (failed) throw failed.reason
  environment.removed.add(removed)
  return true
}

const kindOf = ({ isDeleteMarker, isLatest }: RemoteVersion): keyof Removed =>
  isDeleteMarker ? 'delete_markers' : isLatest ? 'objects' : 'noncurrent_versions'

function removeVersion({ name: bucket, store }: BucketStore, version: RemoteVersion): Promise<void> {
  const { isDeleteMarker, isLatest, name: object, versionId } = version
  return store.remove({ bucket, object, ...((isDeleteMarker || !isLatest) && { versionId }) })
}

/** Ends the due uploads, in the store and then in their rows. An upload that a call is ending is left to the call. */
async function endUploads(environment: RemoteApplying, turn: Turn, ruled: Ruled): Promise<void> {
  const { clock, removed, store } = environment
  const { bucket, place, rule } = ruled
  const { workspace_id } = bucket
  const now = clock.now()
  for await (const uploads of uploadsFor(store, bucket, rule, now)) {
    for (const { id, value } of uploads) {
      if (turn.signal.aborted) return
      const row = (await store.get(remoteUploadCollection, id))?.value
      if (!row || row.ending_time !== '' || !isDueUpload(rule, value, now)) continue
      if (!(await turn.tx(tx => acts(environment, tx, ruled)))) return
      await place.store.abortUpload({ bucket: place.name, object: value.object }, row.remote_id)
      const isEnded = await turn.tx(async tx => {
        if (!(await acts(environment, tx, ruled))) return false
        const stored = await tx.lock(uploadCollection, id)
        if (stored?.value.state !== 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE') return false
        await writeEnd(tx, stored, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED' }, clock.now())
        await noteRemoved(tx, {
          id: bucket.id,
          workspace_id,
          removed: { ...nothingRemoved, uploads: 1 },
          is_early: false,
        })
        return true
      })
      if (isEnded) removed.add({ ...nothingRemoved, uploads: 1 })
    }
  }
}

/** Whether a rule may still act: its bucket is as it was, as far as rules are concerned, and has the same rule. */
async function acts({ taxonomy }: RemoteApplying, tx: Transaction, { bucket, rule }: Ruled): Promise<boolean> {
  await taxonomy.share(tx, workspaceScope(bucket.workspace_id))
  const now = (await tx.share(bucketCollection, bucket.id))?.value
  if (!now || now.versioning !== bucket.versioning || !(await isActive(taxonomy, tx, now))) return false
  return now.lifecycle_rules.some(each => canonical(each) === canonical(rule))
}
