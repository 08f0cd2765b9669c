import { engineUnavailable } from '../../../output/shared/errors.ts'
import { ApiError, commonReasons } from '../../../runtime/errors.ts'
import type { Processes } from '../../ports/processes.ts'
import type { Collection, Transaction } from '../../ports/store.ts'
import type { StorageEnvironment } from '../environment.ts'

/**
 * A change of an object that the store may have made, and that has no operation yet. It is written before the request to
 * the store, and deleted with the record of the operation; a worker records what a crash has left.
 */
export interface RemoteChange {
  readonly id: string
  readonly type: 'CREATE' | 'DELETE'
  readonly workspace_id: string
  readonly bucket_id: string
  readonly object: string
  /** The version that is deleted; empty for the object itself, and for a copy. */
  readonly version_id: string
  readonly create_time: string
  /** The process whose call makes the change; empty after a call that has failed. */
  readonly owner: string
}

/** The changes of objects in S3 stores that have no operation yet. */
export const changeCollection: Collection<RemoteChange> = {
  name: 'storage_remote_changes',
  id: 'id',
  columns: { bucket_id: 'STRING' },
  indexes: [['bucket_id']],
}

/** The two halves of a change of an object. */
export interface ChangeHalves<R> {
  /** Sends the request to the store. Throws what the call answers; after ENGINE_UNAVAILABLE, the change may be made. */
  readonly request: () => Promise<unknown>
  /** Records the operation; calls `end` in its transaction. */
  readonly commit: (end: (tx: Transaction) => Promise<void>) => Promise<R>
}

/**
 * Makes a change of an object in the store, and then records its operation. If the call dies between the two, or does not
 * know whether the store has made the change, a worker records the operation in its next run.
 */
export async function makeChange<R>(
  environment: Pick<StorageEnvironment, 'clock' | 'failed' | 'processes' | 'store'>,
  facts: Omit<RemoteChange, 'id' | 'owner'>,
  { commit, request }: ChangeHalves<R>,
): Promise<R> {
  const { clock, failed, processes, store } = environment
  const id = clock.newId()
  await store.tx(async tx => {
    await supersede(tx, processes, facts)
    await tx.insert(changeCollection, { ...facts, id, owner: processes.id })
  })
  // A change that can neither be left nor forgotten is taken over once its call must be dead.
  const settle = (write: (tx: Transaction) => Promise<unknown>): Promise<unknown> =>
    store.tx(write).catch((fault: unknown) => failed(fault, `storage.objects ${facts.bucket_id}`))
  try {
    await request()
  } catch (error) {
    await settle(tx => (isRefusal(error) ? endChange(tx, id) : leaveChange(tx, id)))
    throw error
  }
  let isEnded = false
  try {
    const answer = await commit(async tx => {
      if (!(await endChange(tx, id))) throw takenOver()
      isEnded = true
    })
    // The recorded answer of an equal call ends no change.
    if (!isEnded) await settle(tx => endChange(tx, id))
    return answer
  } catch (error) {
    await settle(tx => leaveChange(tx, id))
    throw error
  }
}

/**
 * Forgets equal changes whose calls have died: this call repeats them, and the object that it has found shows that none of
 * them is made.
 */
async function supersede(
  tx: Transaction,
  processes: Processes,
  { bucket_id, object, type, version_id }: Pick<RemoteChange, 'bucket_id' | 'object' | 'type' | 'version_id'>,
): Promise<void> {
  for await (const { id, value, version } of tx.each(changeCollection, { bucket_id })) {
    const isEqual = value.object === object && value.type === type && value.version_id === version_id
    if (isEqual && !(await processes.living(tx)).has(value.owner)) await tx.delete(changeCollection, id, version)
  }
}

/** Whether an error is the refusal of a request, which the store has not carried out. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.reason !== commonReasons.ENGINE_UNAVAILABLE.reason

const takenOver = () =>
  engineUnavailable('the call took so long that another server has ended it; read the object before a repetition', {
    retryAfterSeconds: 1,
  })

/** Forgets a change whose operation is recorded in the same transaction. Returns whether it was still there. */
export async function endChange(tx: Transaction, id: string): Promise<boolean> {
  const stored = await tx.lock(changeCollection, id)
  if (stored) await tx.delete(changeCollection, id, stored.version)
  return stored !== undefined
}

/** Leaves a change to the next run of the worker. */
async function leaveChange(tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(changeCollection, id)
  if (stored) await tx.update(changeCollection, id, { ...stored.value, owner: '' }, stored.version)
}
