/**
 * The error of a file that is no snapshot, or that cannot be restored here. The message continues the name of the file:
 * the fault, then the remedy.
 */
export class SnapshotFault extends Error {
  override readonly name = 'SnapshotFault'
}

/** Returns the fault of a file whose bytes are not those that were written. */
export const damaged = (damage: string): SnapshotFault =>
  new SnapshotFault(`is damaged (${damage}); take another copy of it, or another snapshot`)
