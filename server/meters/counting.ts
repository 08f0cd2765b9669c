import type { Meters } from './meters.ts'

/** The sources of a server's counts. */
export interface Counting {
  readonly meters: Meters
  /** Returns the number of open connections. */
  readonly connections: () => number
}
