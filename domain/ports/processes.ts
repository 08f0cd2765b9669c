import type { Reader } from './store.ts'

/**
 * The processes that work on a store. A row can name the process whose call has written it; when that process is dead,
 * another process goes on with what the call has begun.
 */
export interface Processes {
  /** The id of this process. */
  readonly id: string
  /**
   * Returns the ids of the live processes. A process counts as dead 15 seconds after its last heartbeat, or as soon as a
   * process of the same host sees that it has ended. A process that was only slow can go on, so its later commits must
   * check their rows. Code reads a row first and then the live processes, because a process may be newer than the answer.
   */
  living(reader: Reader): Promise<ReadonlySet<string>>
}
