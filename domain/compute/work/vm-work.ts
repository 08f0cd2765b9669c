import type { WorkOrder } from '../../ports/procedures.ts'
import type { VmBootDisk, VmDataDisk } from '../../../output/compute/types.ts'
import type { Verb } from '../vms/transitions.ts'

/** The sizes of the disks of a machine. */
export interface DiskSizes {
  readonly boot_disk: VmBootDisk
  readonly data_disks: readonly VmDataDisk[]
}

/** The input of durable work on a machine. */
export interface VmWork {
  readonly vm: string
  /** For a creation: whether the machine is booted. */
  readonly isStarted?: boolean
  /** For a stop or a restart: the grace period of the guest, in seconds, and its end in milliseconds since 1970. */
  readonly grace?: { readonly seconds: number; readonly endMs: number }
  /** For an update: the disks before the update, which a failure restores. */
  readonly before?: DiskSizes
}

/** The time that a stop or a restart may take beyond the grace period, in milliseconds (compute.md 2). */
const afterGraceMs = 120_000

/** Returns the order for the work of a verb. */
export const orderOf = (verb: Verb | 'update' | 'revive' | 'crashed', input: VmWork): WorkOrder => ({
  kind: `compute.${verb}`,
  input,
  ...(input.grace && { deadlineMs: input.grace.seconds * 1000 + afterGraceMs }),
})

/** Returns the grace period of a call at `now`, a time in milliseconds since 1970. */
export const graceOf = (seconds: number, now: number): NonNullable<VmWork['grace']> => ({
  seconds,
  endMs: now + seconds * 1000,
})
