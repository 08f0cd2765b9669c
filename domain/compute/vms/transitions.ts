import type { VmStatus } from '../../../output/compute/types.ts'
import {
  vmBootFailed,
  vmDeleteFailed,
  vmResumeFailed,
  vmStopFailed,
  vmSuspendFailed,
} from '../../../output/compute/errors.ts'

/** A status without the prefix of its enum. */
export type Status = VmStatus extends `NATIVE_VM_STATUS_${infer Name}` ? Exclude<Name, 'UNSPECIFIED'> : never

/** Returns a status as the interface writes it. */
export const statusOf = <Name extends Status>(name: Name): `NATIVE_VM_STATUS_${Name}` => `NATIVE_VM_STATUS_${name}`

/** Returns a status of the interface without the prefix of its enum. */
export const bareStatus = ({ status }: { readonly status: VmStatus }): Status => {
  const bare = status.replace('NATIVE_VM_STATUS_', '')
  // Every status has this prefix.
  return bare as Status
}

/** Whether a machine is in one of these statuses. */
export const isIn = ({ status }: { readonly status: VmStatus }, ...names: readonly Status[]): boolean =>
  names.some(name => statusOf(name) === status)

/**
 * The capacity that a machine holds in its pool: its disks; its disks and a saved state; its disks, vcpus and memory;
 * or its disks, vcpus, memory and a saved state.
 */
export type Holding = 'DISKS' | 'SAVED' | 'POWERED' | 'POWERED_AND_SAVED'

/** The verbs of the table of statuses. */
export type Verb = 'create' | 'start' | 'stop' | 'suspend' | 'resume' | 'restart' | 'reset' | 'delete'

/** The reason of a failed operation. */
export interface FailureReason {
  readonly reason: string
  readonly code: number
}

/** One row of the table of statuses. */
export interface VerbRow {
  /** The type of the operation. */
  readonly type: 'CREATE' | 'START' | 'STOP' | 'SUSPEND' | 'RESUME' | 'RESTART' | 'RESET' | 'DELETE'
  /** The stable statuses that allow the verb. */
  readonly from: readonly Status[]
  readonly transient: Status
  /** The status after success; undefined: the machine is deleted. */
  readonly success: Status | undefined
  readonly failure: Status
  /** The reason of a failure of the driver, except for the creation of disks (VM_PROVISION_FAILED). */
  readonly reason: FailureReason
  /** The capacity from the request on, after success and after failure; an absent member leaves the capacity as is. */
  readonly holds: {
    readonly transient?: Holding
    readonly success?: Holding
    readonly failure?: Holding
  }
  /** Whether the verb powers a machine on, so that the zone and the pool of the machine must be AVAILABLE. */
  readonly isPowering?: true
  /** Whether success is a boot, a power-off or a suspension, for counters and times. */
  readonly event?: 'BOOT' | 'POWER_OFF' | 'SUSPENSION'
}

/** The verbs of virtual machines (compute.md 2), in the order in which the interface names statuses. */
export const verbRows: Readonly<Record<Verb, VerbRow>> = {
  create: {
    type: 'CREATE',
    from: [],
    transient: 'PROVISIONING',
    success: 'RUNNING',
    failure: 'ERROR',
    reason: vmBootFailed,
    holds: { transient: 'POWERED' },
    event: 'BOOT',
  },
  start: {
    type: 'START',
    from: ['STOPPED', 'ERROR'],
    transient: 'STARTING',
    success: 'RUNNING',
    failure: 'ERROR',
    reason: vmBootFailed,
    holds: { transient: 'POWERED' },
    isPowering: true,
    event: 'BOOT',
  },
  stop: {
    type: 'STOP',
    from: ['RUNNING', 'ERROR', 'SUSPENDED'],
    transient: 'STOPPING',
    success: 'STOPPED',
    failure: 'ERROR',
    reason: vmStopFailed,
    holds: { success: 'DISKS' },
    event: 'POWER_OFF',
  },
  suspend: {
    type: 'SUSPEND',
    from: ['RUNNING'],
    transient: 'SUSPENDING',
    success: 'SUSPENDED',
    failure: 'RUNNING',
    reason: vmSuspendFailed,
    holds: { transient: 'POWERED_AND_SAVED', success: 'SAVED', failure: 'POWERED' },
    event: 'SUSPENSION',
  },
  resume: {
    type: 'RESUME',
    from: ['SUSPENDED'],
    transient: 'RESUMING',
    success: 'RUNNING',
    failure: 'SUSPENDED',
    reason: vmResumeFailed,
    holds: { transient: 'POWERED_AND_SAVED', success: 'POWERED', failure: 'SAVED' },
    isPowering: true,
  },
  restart: {
    type: 'RESTART',
    from: ['RUNNING'],
    transient: 'RESTARTING',
    success: 'RUNNING',
    failure: 'ERROR',
    reason: vmBootFailed,
    holds: {},
    event: 'BOOT',
  },
  reset: {
    type: 'RESET',
    from: ['RUNNING'],
    transient: 'RESETTING',
    success: 'RUNNING',
    failure: 'ERROR',
    reason: vmBootFailed,
    holds: {},
    event: 'BOOT',
  },
  delete: {
    type: 'DELETE',
    from: ['RUNNING', 'STOPPED', 'SUSPENDED', 'ERROR'],
    transient: 'DELETING',
    success: undefined,
    failure: 'ERROR',
    reason: vmDeleteFailed,
    holds: {},
  },
}

/** The statuses without an operation in progress, except for updates of disks. */
export const stableStatuses: readonly Status[] = ['RUNNING', 'STOPPED', 'SUSPENDED', 'ERROR']

/** The states of a machine's logical ports, keyed by status (compute.md 4). An absent status keeps the states. */
export const portStates: Readonly<Partial<Record<Status, 'UP' | 'DOWN'>>> = {
  PROVISIONING: 'DOWN',
  STARTING: 'DOWN',
  RUNNING: 'UP',
  STOPPED: 'DOWN',
  SUSPENDED: 'DOWN',
  RESUMING: 'DOWN',
  DELETING: 'DOWN',
  ERROR: 'DOWN',
}
