import type { Finding, Inspection } from '../../ports/inspection.ts'
import { snapshotMarks } from './snapshot-marks.ts'
import { snapshotKind } from './take-snapshot.ts'

/** Checks that the mark of a running snapshot belongs to unfinished work, because the mark refuses all other snapshots. */
export async function* inspectSnapshots({
  reader,
  workAt,
}: Pick<Inspection, 'reader' | 'workAt'>): AsyncGenerator<Finding, void, undefined> {
  const running = (await reader.get(snapshotMarks, 'running'))?.value
  if (!running) return
  const orders = await workAt({ type: 'PLATFORM', id: '' })
  const isWritten = ({ input, kind }: (typeof orders)[number]): boolean =>
    kind === snapshotKind && 'id' in input && input.id === running.snapshot_id
  if (orders.some(isWritten)) return
  const message = 'is marked as running, and no work writes it; restart a server, which deletes the mark'
  yield { resourceType: 'vault.snapshots', id: running.snapshot_id, message }
}
