import type { OperationError } from '../../ports/procedures.ts'

/** The request for a snapshot. */
export interface SnapshotOrder {
  /** The id of the snapshot, from which the name of its file follows. */
  readonly id: string
  /** The note for people, which stands in the clear header. */
  readonly description: string
  /** Whether the written file is read back and authenticated before it gets its name. */
  readonly verify: boolean
}

/** Writes snapshots of the whole vault into files of this server. */
export interface SnapshotWriter {
  /**
   * Writes a snapshot of the rows that are committed at the start; writers of the store continue. Returns undefined once
   * the file has its name and is on the disk, or the error that ends the operation. A repeated call with the same id
   * replaces the file. Rejects with the reason of `signal` once the signal is aborted; no file then gets its name.
   */
  write(order: SnapshotOrder, signal: AbortSignal): Promise<OperationError | undefined>
}
