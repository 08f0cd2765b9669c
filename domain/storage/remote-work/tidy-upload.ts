import type { Turn } from '../../ports/workers.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { storeOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { remoteParts } from '../remote-uploads/find-remote-upload.ts'
import { remoteUploadCollection, type RemoteUploadRow } from '../remote-buckets/remote-upload-rows.ts'
import { writeEnd } from '../uploads/end-upload.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import type { Converging } from './converging.ts'

const active = 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE'

/**
 * Ends an upload whose time is over, in its store and in its row, and writes the end of an upload that the store has
 * completed before its call died. Forgets the upload in the store once its row is gone.
 */
export async function tidyUpload(
  environment: Converging,
  turn: Turn,
  row: RemoteUploadRow,
  isOld: (time: string) => boolean,
): Promise<void> {
  const { clock, store } = environment
  const upload = (await store.get(uploadCollection, row.id))?.value
  if (!upload) return turn.tx(tx => forget(tx, row.id))
  if (upload.state !== active) return
  const isExpired = Date.parse(upload.expire_time) <= clock.now()
  const isLeft = row.completing !== '' && isOld(row.completing_time)
  if (!isExpired && !isLeft) return
  const bucket = (await store.get(bucketCollection, row.bucket_id))?.value
  if (!bucket) return
  const place = await storeOf(environment, bucket)
  if (isLeft && (await isCompleted(place, upload, row))) return complete(environment, turn, upload, row)
  if (isExpired) await expire(environment, turn, upload, row, place)
}

/** Whether the store has the object of an upload, and the upload no more. */
async function isCompleted(place: BucketStore, upload: StoredUpload, row: RemoteUploadRow): Promise<boolean> {
  if (await unless(remoteParts(place, upload, row), 'upload')) return false
  const name = { bucket: place.name, object: upload.object }
  return (await unless(place.store.read(name), 'object', 'unsupported')) !== undefined
}

const complete = (
  { clock, operations, taxonomy }: Converging,
  turn: Turn,
  { bucket_id, id, object, workspace_id }: StoredUpload,
  { completing }: RemoteUploadRow,
): Promise<void> =>
  turn.tx(async tx => {
    const scope = workspaceScope(workspace_id)
    await taxonomy.share(tx, scope)
    const stored = await tx.lock(uploadCollection, id)
    if (stored?.value.state !== active) return
    const resourceId = `${bucket_id}/${object}`
    const operation = await operations.begin(tx, {
      type: 'COMPLETE',
      resourceType: 'storage.objects',
      resourceId,
      scope,
    })
    const state = 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED'
    await writeEnd(tx, stored, { state, completed_by: completing, completing_operation: operation }, clock.now())
  })

/** Ends an upload; uploads of a workspace that is not ACTIVE wait (storage.md 4.13). */
async function expire(
  { clock, store, taxonomy }: Converging,
  turn: Turn,
  { id, object, workspace_id }: StoredUpload,
  { remote_id }: RemoteUploadRow,
  place: BucketStore,
): Promise<void> {
  const scope = workspaceScope(workspace_id)
  if ((await taxonomy.effectiveState(store, scope))?.state !== 'ACTIVE') return
  await place.store.abortUpload({ bucket: place.name, object }, remote_id)
  await turn.tx(async tx => {
    await taxonomy.share(tx, scope)
    const stored = await tx.lock(uploadCollection, id)
    if (stored?.value.state !== active) return
    await writeEnd(tx, stored, { state: 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED' }, clock.now())
  })
}

async function forget(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(remoteUploadCollection, id)
  if (stored) await tx.delete(remoteUploadCollection, id, stored.version)
}
