import type { Meters } from './meters.ts'

/** Where the numbers of a server are kept. */
export interface Counting {
  readonly meters: Meters
  /** How many connections callers have open. */
  readonly connections: () => number
}
