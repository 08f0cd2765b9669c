import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Collection, Transaction } from '../../ports/store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { uploadCollection } from '../uploads/uploads-store.ts'

/** The row of an upload in an S3 store, beside the row of the upload itself. */
export interface RemoteUploadRow {
  /** The id of the upload. */
  readonly id: string
  readonly bucket_id: string
  /** The id of the upload in the store. */
  readonly remote_id: string
  /**
   * Whether the parts are signed with a SHA-256, which a store must know at the begin of an upload; empty before the first
   * part is signed.
   */
  readonly checksums: '' | 'NONE' | 'SHA256'
  /**
   * The SHA-256 of the body of a completion in hex, written before the store completes the upload; empty before that. It
   * tells after a crash that an upload which the store no longer has was completed.
   */
  readonly completing: string
  /** The entity tag that the object of that completion gets; empty before a completion. */
  readonly completing_etag: string
  /** Whether a call has begun to end the upload in the store without an object. */
  readonly is_aborting: boolean
  /** The time at which a call began to end the upload in the store; empty before that, and after a refusal. */
  readonly ending_time: string
  /** The process of that call; empty after a call that has failed. */
  readonly owner: string
}

/** The uploads in S3 stores. */
export const remoteUploadCollection: Collection<RemoteUploadRow> = {
  name: 'storage_remote_uploads',
  id: 'id',
  columns: { bucket_id: 'STRING', completing: 'STRING' },
  indexes: [['bucket_id']],
}

/** What a call has begun to do with an upload. */
export type Ending = Pick<RemoteUploadRow, 'completing' | 'completing_etag'> | Pick<RemoteUploadRow, 'is_aborting'>

/** The members of the row of an upload that no call has begun to end, or whose end the store has refused. */
export const unended = {
  completing: '',
  completing_etag: '',
  is_aborting: false,
  ending_time: '',
  owner: '',
} as const

/** Records that a call is about to end an upload in its store. */
export const beginEnding = (
  { clock, processes, store }: Pick<StorageEnvironment, 'clock' | 'processes' | 'store'>,
  id: string,
  ending: Ending,
): Promise<void> =>
  store.tx(tx => changeUploadRow(tx, id, { ...ending, ending_time: formatMillis(clock.now()), owner: processes.id }))

/** Changes members of the row of an upload in a store, if there is one. */
export async function changeUploadRow(tx: Transaction, id: string, members: Partial<RemoteUploadRow>): Promise<void> {
  const stored = await tx.lock(remoteUploadCollection, id)
  if (stored) await tx.update(remoteUploadCollection, id, { ...stored.value, ...members }, stored.version)
}

/** Deletes the rows of the uploads of a bucket that is deleted. */
export async function forgetUploads(tx: Transaction, bucket_id: string): Promise<void> {
  for await (const { id, version } of tx.each(remoteUploadCollection, { bucket_id }))
    await tx.delete(remoteUploadCollection, id, version)
  for await (const { id, version } of tx.each(uploadCollection, { bucket_id }))
    await tx.delete(uploadCollection, id, version)
}
