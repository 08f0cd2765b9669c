import { again, done, failed, type Procedure, type WorkOrder } from '../../ports/procedures.ts'
import type { VaultEnvironment } from '../environment.ts'
import { deleteMark } from './snapshot-marks.ts'
import type { SnapshotOrder } from './snapshot-writer.ts'

/** The time between two attempts while the vault is sealed, in milliseconds. */
const sealedMs = 5000

/** The time limit of a snapshot, in milliseconds: six hours, for vaults of many gigabytes. */
const deadlineMs = 6 * 3_600_000

/** The kind of the work that writes a snapshot. */
export const snapshotKind = 'vault.takeSnapshot'

/** Returns the order to write a snapshot. */
export const orderSnapshot = (input: SnapshotOrder): WorkOrder => ({ kind: snapshotKind, input })

/**
 * Writes a snapshot after the answer. A repeated step, after a crash or on another server, writes the whole file again
 * under the same name.
 */
export const takeSnapshot = ({ keyring, snapshots }: VaultEnvironment): Procedure<SnapshotOrder> => ({
  kind: snapshotKind,
  deadlineMs,
  steps: [
    {
      name: 'write',
      async run({ input, signal }) {
        if (keyring.isSealed) return again(sealedMs)
        const error = await snapshots.write(input, signal)
        return error === undefined ? done(tx => deleteMark(tx, 'running', input.id)) : failed(error)
      },
    },
  ],
  failed: (tx, { input }) => deleteMark(tx, 'running', input.id),
})
