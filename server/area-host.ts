import type { Inspect } from '../domain/ports/inspection.ts'
import type { Reader } from '../domain/ports/store.ts'
import type { Log } from './log.ts'
import type { GivenSettings } from './settings/values.ts'

/** The place of the store and of the data of a server. */
export interface HostPlace {
  /** The folder for all data of the server. */
  readonly dataDir: string
  /** Whether the store lies in the folder; otherwise it is a database, which servers of many hosts share. */
  readonly hasStore: boolean
  /** The given values of the settings of areas; absent: none. */
  readonly given?: GivenSettings
}

/** The files and processes of an area on a host, beside the store. */
export interface AreaHost {
  /**
   * The checkers, which compare files and processes with the rows, or ask servers of others whether they serve. A failed
   * checker does not prevent the others.
   */
  readonly checks: readonly Inspect[]
  /**
   * Makes the files that the rows of a restored store need, and deletes the files that belong to no row. Absent if the
   * area has no such files.
   */
  readonly remake?: ((reader: Reader, log: Pick<Log, 'warn'>) => Promise<void>) | undefined
}
