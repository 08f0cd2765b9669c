import { snapshotMarks } from '../../../../domain/vault/snapshots/snapshot-marks.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import type { World } from '../../world.ts'

/** Sets or deletes the mark of a snapshot that is being taken. */
const mark = (isRunning: boolean, { store }: World): Promise<void> =>
  store.tx(async tx => {
    const found = await tx.lock(snapshotMarks, 'running')
    if (found) await tx.delete(snapshotMarks, 'running', found.version)
    const snapshot_id = '01890000-0000-7000-8000-000000000009'
    if (isRunning)
      await tx.insert(snapshotMarks, { id: 'running', snapshot_id, create_time: '2026-01-01T00:00:00.000Z' })
  })

/** Another snapshot is being taken. */
const running: Fault = {
  reason: 'SNAPSHOT_IN_PROGRESS',
  async apply(aim, world) {
    await mark(true, world)
    return aim
  },
}

/** The recipes of snapshots. */
export const snapshotRecipes: AreaRecipes = {
  operations: {
    takeSnapshot: {
      async aim(world) {
        // The call before may still be written.
        await mark(false, world)
        return { path: {}, body: { verify: false } }
      },
      faults: { state: running },
      unmade: { seal: 'the vault of the test is unsealed; test/domain/vault/snapshots takes a snapshot while sealed' },
    },
  },
}
