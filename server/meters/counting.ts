import type { Turns } from '../http/turns.ts'
import type { Meters } from './meters.ts'

/** The counts of a server, and the turns of its calls. */
export interface Counting {
  readonly meters: Meters
  /** Returns the number of open connections. */
  readonly connections: () => number
  readonly turns: Turns
}
