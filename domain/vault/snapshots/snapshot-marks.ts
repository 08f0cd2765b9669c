import type { Collection, Transaction } from '../../ports/store.ts'

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
