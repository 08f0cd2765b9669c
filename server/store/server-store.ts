import type { Collection, Store } from '../../domain/ports/store.ts'

/** A store as the server that opened it holds it. */
export interface ServerStore extends Store {
  /**
   * 32 random bytes of this installation under `name`, made when they are first asked for: keys of page tokens and
   * the like, the same for all servers on the store.
   */
  secret(name: string): Promise<Uint8Array>
  /**
   * Gives disk space that deleted rows have left back, a little at a time; answers whether there is more. Absent where
   * the database does that by itself.
   */
  reclaim?(): Promise<boolean>
  /**
   * The time of the store in milliseconds since 1970. Absent where the store is a file of this machine, and its time
   * that of this machine.
   */
  time?(): Promise<number>
  /**
   * Whether anybody, another process too, has committed since it was last asked; costs some microseconds. Absent where
   * the store is no file.
   */
  changedElsewhere?(): boolean
  /**
   * A store beside a store that is a file, for what changes often and need not outlive a crash of the machine: its
   * commits wait neither for the disk nor for who writes to the store. It is closed with the store, and of another process
   * that asks for the same name it is the same. Absent where the store is no file.
   */
  beside?(name: string, collections: readonly Collection<never>[]): Promise<Store>
  /** Waits for what is under way, takes nothing new and lets go of the file or the connections. */
  close(): Promise<void>
}
