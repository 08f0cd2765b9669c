import type { Collection, Store } from '../../domain/ports/store.ts'

/** A store with the functions for the server that has opened it. */
export interface ServerStore extends Store {
  /**
   * Returns 32 random bytes of this installation under `name`, created on first use: for example, keys of page tokens.
   * The bytes are equal for all servers on the store.
   */
  secret(name: string): Promise<Uint8Array>
  /**
   * Reclaims a little disk space of deleted rows; returns true if there is more. Absent if the database itself reclaims
   * disk space.
   */
  reclaim?(): Promise<boolean>
  /**
   * Returns the time of the store in milliseconds since 1970. Absent if the store is a local file: the time of this
   * machine then counts.
   */
  time?(): Promise<number>
  /** Whether any process has committed since the last call; costs some microseconds. Absent if the store is no file. */
  changedElsewhere?(): boolean
  /**
   * Opens a store beside a store that is a file, for data that changes often and may be lost in a crash of the machine.
   * Its commits wait neither for the disk nor for writers of the main store. The opened store closes with the main
   * store, and processes share the opened store by its name. Absent if the main store is no file.
   */
  beside?(name: string, collections: readonly Collection<never>[]): Promise<Store>
  /** Waits for pending work, refuses new work, and closes the file or the connections. */
  close(): Promise<void>
}
