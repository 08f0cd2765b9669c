import type { Turn } from '../../ports/workers.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { storeOf, type BucketStore } from '../remote-buckets/bucket-store.ts'
import { isSince } from '../remote-store/clock-difference.ts'
import { unless } from '../remote-store/remote-fault.ts'
import { remoteParts } from '../remote-uploads/find-remote-upload.ts'
import {
  changeUploadRow,
  remoteUploadCollection,
  unended,
  type RemoteUploadRow,
} from '../remote-buckets/remote-upload-rows.ts'
import { writeEnd } from '../uploads/end-upload.ts'
import { uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'
import type { Converging } from './converging.ts'
import type { LeftCalls } from './left-calls.ts'

const active = 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE'

/**
 * Ends an upload whose time is over, in its store and in its row, and writes the end of an upload that the store has
 * ended before its call died. Forgets the upload in the store once its row is gone.
 */
export async function tidyUpload(
  environment: Converging,
  turn: Turn,
  row: RemoteUploadRow,
  { isLeft, isOver }: LeftCalls,
): Promise<void> {
  const { clock, store } = environment
  const upload = (await store.get(uploadCollection, row.id))?.value
  if (!upload) return turn.tx(tx => forget(tx, row.id))
  if (upload.state !== active) return
  const isExpired = Date.parse(upload.expire_time) <= clock.now()
  const isCut = row.ending_time !== '' && (await isLeft(row.owner, row.ending_time))
  if (!isExpired && !isCut) return
  const bucket = (await store.get(bucketCollection, row.bucket_id))?.value
  if (!bucket) return
  const place = await storeOf(environment, bucket)
  const end = isCut ? await endInStore(place, upload, row) : undefined
  if (end) return recordEnd(environment, turn, upload, row, end)
  if (isExpired) return expire(environment, turn, upload, row, place)
  // The request of the dead call does not run in the store any more, and has not ended the upload.
  if (isOver(row.ending_time)) await turn.tx(tx => changeUploadRow(tx, row.id, unended))
}

/** Returns how an upload has ended in its store; undefined for an upload that is still there, or that is lost. */
async function endInStore(
  place: BucketStore,
  upload: StoredUpload,
  row: RemoteUploadRow,
): Promise<'COMPLETED' | 'ABORTED' | undefined> {
  if (await unless(remoteParts(place, upload, row), 'upload', 'object')) return undefined
  const { completing, completing_etag, ending_time, is_aborting } = row
  if (completing !== '') {
    const found = await unless(place.store.read({ bucket: place.name, object: upload.object }), 'object', 'unsupported')
    if (found?.etag === completing_etag) return 'COMPLETED'
    // A store that encrypts has entity tags of its own.
    if (found && !is_aborting && isSince(found, ending_time)) return 'COMPLETED'
  }
  return is_aborting ? 'ABORTED' : undefined
}

/** Writes the end that an upload has had in its store, with its operation. */
const recordEnd = (
  { clock, operations, taxonomy }: Converging,
  turn: Turn,
  { bucket_id, id, object, workspace_id }: StoredUpload,
  { completing }: RemoteUploadRow,
  end: 'COMPLETED' | 'ABORTED',
): Promise<void> =>
  turn.tx(async tx => {
    const scope = workspaceScope(workspace_id)
    await taxonomy.share(tx, scope)
    const stored = await tx.lock(uploadCollection, id)
    if (stored?.value.state !== active) return
    const state = `STORAGE_MULTIPART_UPLOAD_STATE_${end}` as const
    if (end === 'ABORTED') {
      await operations.begin(tx, { type: 'DELETE', resourceType: 'storage.multipartUploads', resourceId: id, scope })
      return writeEnd(tx, stored, { state }, clock.now())
    }
    const resource = { resourceType: 'storage.objects', resourceId: `${bucket_id}/${object}` } as const
    const completing_operation = await operations.begin(tx, { type: 'COMPLETE', ...resource, scope })
    await writeEnd(tx, stored, { state, completed_by: completing, completing_operation }, clock.now())
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
