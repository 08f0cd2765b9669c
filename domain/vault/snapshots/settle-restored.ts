import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { endCapsule } from '../capsules/capsule-end.ts'
import { capsuleCollection, capsuleState } from '../capsules/capsules-store.ts'
import { keyVersionCollection, versionState } from '../keys/key-versions-store.ts'
import { snapshotMarks } from './snapshot-marks.ts'

/** The reason of capsules that a restore has revoked. */
export const restoredReason = 'RESTORED'

/**
 * Changes the rows that must not rise as the snapshot has them: a capsule may have been redeemed since, so active
 * capsules are revoked and their payloads erased; and no operation generates the material of pending versions any more.
 * Marks the store, so that the next start does the overdue work before it serves.
 */
export async function settleRestored(tx: Transaction, snapshot_id: string, now: number): Promise<void> {
  const time = formatMillis(now)
  const revoked = { revoke_time: time, revoke_reason: restoredReason }
  for await (const capsule of tx.each(capsuleCollection, { state: capsuleState('ACTIVE') }))
    await endCapsule(tx, capsule, 'REVOKED', now, revoked)
  const pending = versionState('PENDING_GENERATION')
  for await (const { id, value, version } of tx.each(keyVersionCollection, { state: pending })) {
    const state = versionState('GENERATION_FAILED')
    const members = { state, operation_id: '', etag: nextEtag(value.etag), update_time: time }
    await tx.update(keyVersionCollection, id, { ...value, ...members }, version)
  }
  const mark = await tx.get(snapshotMarks, 'restored')
  if (mark) await tx.delete(snapshotMarks, 'restored', mark.version)
  await tx.insert(snapshotMarks, { id: 'restored', snapshot_id, create_time: time })
}
