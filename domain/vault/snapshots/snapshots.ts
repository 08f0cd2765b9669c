import { snapshotInProgress } from '../../../output/vault/errors.ts'
import type { SnapshotsHandlers } from '../../../output/vault/handlers.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { VaultEnvironment } from '../environment.ts'
import { orderSnapshot } from './take-snapshot.ts'
import { snapshotMarks } from './snapshot-marks.ts'

/** The calls of snapshots. */
export const snapshots = ({ clock, operations }: VaultEnvironment): SnapshotsHandlers => ({
  takeSnapshot(request, context) {
    const { description, verify } = request.body
    return operations.mutate(context, request, async tx => {
      const running = await tx.lock(snapshotMarks, 'running')
      if (running) throw inProgress(running.value.snapshot_id)
      const id = clock.newId()
      // Two transactions that find no mark conflict at the insert; the second runs again and finds the mark.
      await tx.insert(snapshotMarks, { id: 'running', snapshot_id: id, create_time: formatMillis(clock.now()) })
      return {
        type: 'TAKE_SNAPSHOT',
        resourceType: 'vault.snapshots',
        resourceId: id,
        scope: { type: 'PLATFORM', id: '' },
        procedure: orderSnapshot({ id, description, verify }),
      }
    })
  },
})

const inProgress = (name: string) =>
  snapshotInProgress(`snapshot ${name} is being taken; wait until its operation has ended`, {
    resource: { type: 'vault.snapshots', name },
  })
