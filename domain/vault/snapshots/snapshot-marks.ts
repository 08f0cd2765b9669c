import type { VaultArea } from '../../../output/vault/area.ts'
import type { Collection, Store, Transaction } from '../../ports/store.ts'

/** A mark of the vault about its snapshots. Marks belong to a store, so snapshots leave them out. */
export interface SnapshotMark {
  /** `running` while a snapshot is being taken; `restored` until the first start after a restore. */
  readonly id: 'running' | 'restored'
  /** The id of the snapshot. */
  readonly snapshot_id: string
  readonly create_time: string
}

/** The marks: at most one snapshot is taken at a time. */
export const snapshotMarks: Collection<SnapshotMark> = { name: 'vault_snapshot_marks', id: 'id' }

/** Deletes a mark if it is of this snapshot; does nothing otherwise. */
export async function deleteMark(tx: Transaction, id: SnapshotMark['id'], snapshot: string): Promise<void> {
  const mark = await tx.lock(snapshotMarks, id)
  if (mark?.value.snapshot_id === snapshot) await tx.delete(snapshotMarks, id, mark.version)
}

/**
 * Deletes the mark of a running snapshot whose operation has ended or does not exist, such as after the rows of operations
 * were lost: the mark would refuse all further snapshots. Returns the id of that snapshot; undefined for none.
 */
export const deleteStaleMark = (
  store: Pick<Store, 'tx'>,
  operations: Collection<VaultArea['record']>,
): Promise<string | undefined> =>
  store.tx(async tx => {
    const mark = await tx.lock(snapshotMarks, 'running')
    if (!mark) return undefined
    const status = ['VAULT_OPERATION_STATUS_PENDING', 'VAULT_OPERATION_STATUS_RUNNING']
    if (await tx.exists(operations, { resource_id: mark.value.snapshot_id, status })) return undefined
    await tx.delete(snapshotMarks, 'running', mark.version)
    return mark.value.snapshot_id
  })
