import type { Disk, Lapse } from '../driver.ts'
import type { SerialLine } from '../telemetry.ts'

/** The row of a simulated machine; times are in milliseconds since 1970. */
export interface Machine {
  readonly id: string
  /** The power before `action`, or the present power without an action. */
  readonly power: Power
  readonly disks: readonly Disk[]
  /** Whether the content of a boot disk from an object is copied. */
  readonly is_filled?: true
  /** The last change. It is in progress until `end_ms`, and is kept afterwards, so that a repeated call finds it. */
  readonly action?: Action
  /** The time at which the running guest goes off without a call, and the cause. */
  readonly lapse?: { readonly cause: Lapse; readonly at_ms: number }
  /** The serial lines that are not forgotten, also of the time to come; `first_ms` is the time of the first line. */
  readonly serial?: { readonly first_ms: number; readonly lines: readonly SerialLine[] }
}

export type Power = 'ABSENT' | 'OFF' | 'ON' | 'SAVED'

/** A change of a simulated machine. */
export interface Action {
  readonly verb: Verb
  /** The id of the operation that wants the change. */
  readonly request: string
  readonly end_ms: number
  /** The power after the end, unless the change fails. `GONE`: the machine is deleted. */
  readonly to: Power | 'GONE'
  /** The reason for a failure, for people; empty for success. */
  readonly failure: string
  /** Whether the guest is powered off at the end because it did not go down in time. */
  readonly is_forced: boolean
}

export type Verb =
  'provision' | 'start' | 'shutdown' | 'powerOff' | 'reset' | 'suspend' | 'resume' | 'resizeDisk' | 'destroy'

/** The state of a machine at a time. */
export interface Phase {
  readonly power: Power | 'GONE'
  /** The time until the change in progress ends, in milliseconds; 0 without a change in progress. */
  readonly leftMs: number
  /** The cause of a power-off that no caller requested; undefined without such a power-off. */
  readonly lapse: Lapse | undefined
}

/** Returns the power that the last change leads to, even if the machine has gone off by itself since. */
export const wantedPower = ({ action, power }: Pick<Machine, 'action' | 'power'>): Power | 'GONE' =>
  action && action.failure === '' ? action.to : power

/** Returns the state of a machine at `now`. */
export function phase(now: number, { action, lapse, power }: Machine): Phase {
  if (action && now < action.end_ms) return { power, leftMs: action.end_ms - now, lapse: undefined }
  const after = wantedPower({ power, ...(action && { action }) })
  if (after === 'ON' && lapse && lapse.at_ms <= now) return { power: 'OFF', leftMs: 0, lapse: lapse.cause }
  return { power: after, leftMs: 0, lapse: undefined }
}
