import type { VaultEnvironment } from '../../../domain/vault/environment.ts'
import { deleteMark, deleteStaleMark, snapshotMarks } from '../../../domain/vault/snapshots/snapshot-marks.ts'
import { doOverdue, type AgendaHandlers } from '../../../domain/vault/work/agenda.ts'
import type { Log } from '../../log.ts'
import type { SnapshotFolder } from './snapshot-folder.ts'
import type { SnapshotMeter } from './snapshot-meter.ts'

/** The parts of a server that its start needs for snapshots. */
interface Opening extends Pick<VaultEnvironment, 'clock' | 'operations' | 'scrub' | 'store'> {
  readonly snapshotFolder: SnapshotFolder
  readonly snapshotMeter: SnapshotMeter
}

/**
 * Prepares a start: on a restored vault, does the overdue destructions and expiries before the server serves, and deletes
 * the mark of a lost snapshot and the unfinished files of killed servers. A folder that cannot be used is logged, because only snapshots need the folder.
 */
export async function openSnapshots(opening: Opening, handlers: AgendaHandlers, log: Log): Promise<void> {
  await endOverdue(opening, handlers, log)
  const { operations, snapshotFolder, snapshotMeter, store } = opening
  const stale = await deleteStaleMark(store, operations.collection)
  if (stale !== undefined) log.warn({ snapshot: stale }, 'a snapshot was marked as running without an operation')
  try {
    const running = await store.get(snapshotMarks, 'running')
    const removed = await snapshotFolder.sweep(running?.value.snapshot_id)
    if (removed.length > 0) log.info({ removed }, 'unfinished snapshots of the vault were deleted')
    const newest = await snapshotFolder.newest()
    if (newest !== undefined) snapshotMeter.found(newest)
  } catch (err) {
    log.warn({ err }, 'the folder of the snapshots of the vault cannot be read; see vault.snapshots.dir')
  }
}

async function endOverdue({ clock, scrub, store }: Opening, handlers: AgendaHandlers, log: Log): Promise<void> {
  const restored = await store.get(snapshotMarks, 'restored')
  if (restored === undefined) return
  const failed = (err: unknown, { id }: { readonly id: string }): void =>
    log.error({ err, entry: id }, 'overdue work of the restored vault failed; it is tried again')
  const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
  await doOverdue({ store, now: clock.now, handlers, failed }, turn)
  await store.tx(tx => deleteMark(tx, 'restored', restored.value.snapshot_id))
  await scrub()
}
