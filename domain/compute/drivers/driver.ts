import type { Reader, Transaction } from '../../ports/store.ts'
import type { DriverTelemetry } from './telemetry.ts'

/** The part of an image that drivers need. */
export interface BootImage {
  readonly name: string
  /** The time that a guest of the image takes to boot, in milliseconds. */
  readonly boot_ms: number
  /** The path of the image on the host of a driver that needs one; an image has a file or an address, or neither. */
  readonly file?: string
  /** The address from which a driver fetches the image; `sha256` is then the digest of the image in hex. */
  readonly url?: string
  readonly sha256?: string
}

/** The bytes of a content. */
export type BootBytes = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>

/** The content of a boot disk that is made from an object, in place of an image. The content never changes. */
export interface BootContent {
  /**
   * Returns the bytes. The first `next` of the generator opens the content; the end of the bytes, a failure and `return`
   * close the content. The generator throws `BootContentFault`, which the driver passes on to its caller.
   */
  read(): BootBytes
}

/** A disk of a virtual machine. The boot disk has an empty name; data disks have the names of the machine. */
export interface Disk {
  readonly name: string
  readonly size_gib: number
}

/** A NUMA node of a guest. */
export interface GuestNode {
  readonly vcpus: number
  readonly memory_mib: number
  /** The number of the host node to which the guest node is pinned; absent unless the machine is powered. */
  readonly host_node?: number
}

/** A network interface of a guest. */
export interface GuestInterface {
  /** The name of the interface: `nic0`. */
  readonly name: string
  /** The id of the logical port. */
  readonly port_id: string
  /** The MAC address in lower-case hexadecimal, with colons. */
  readonly mac_address: string
}

/** The part of a virtual machine that drivers need. */
export interface DriverVm {
  readonly id: string
  /** The host name of the guest. */
  readonly name: string
  readonly vcpus: number
  readonly cores_per_socket: number
  readonly threads_per_core: number
  readonly memory_mib: number
  /** The NUMA nodes of the guest; empty for a guest without a NUMA topology. */
  readonly numa: readonly GuestNode[]
  /** The network interfaces in their order; the first is primary. */
  readonly interfaces: readonly GuestInterface[]
  /** The image of the boot disk; absent if the catalogue has it no longer. */
  readonly image?: BootImage | undefined
  /** The boot disk first. */
  readonly disks: readonly Disk[]
  readonly metadata: Readonly<Record<string, string>>
}

/** One call of a driver. */
export interface DriverCall {
  readonly vm: DriverVm
  /** The content of the boot disk; absent for a boot disk from an image. */
  readonly content?: BootContent | undefined
  /** The id of the operation. A call that is repeated with the same id continues the same change. */
  readonly request: string
  /** The time of the call, in milliseconds since 1970. */
  readonly now: number
  /** Aborted if the caller has lost its right to change the machine. */
  readonly signal: AbortSignal
  /** Runs a transaction if the caller holds the lease of the work; otherwise throws. */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
}

/** The answer of a driver. */
export type DriverAnswer =
  /** The change is over. `isForced`: the guest did not shut down in time and was powered off. */
  | { readonly kind: 'done'; readonly isForced?: boolean }
  /** The change is in progress: the caller repeats the call after `afterMs` milliseconds. */
  | { readonly kind: 'waiting'; readonly afterMs: number }
  /** The change has failed. `message` is the cause for the owner of the machine, and names nothing of the host. */
  | { readonly kind: 'failed'; readonly message: string }

/**
 * The power of a machine: ABSENT has no disks, and SAVED has its memory on disk. `lapse` is the cause if the machine
 * went off without a call of the driver.
 */
export interface MachineState {
  readonly power: 'ABSENT' | 'OFF' | 'ON' | 'SAVED'
  readonly lapse?: Lapse | undefined
}

/** The cause of a power-off that no caller requested. */
export type Lapse = 'GUEST_SHUTDOWN' | 'CRASH'

/** A machine that went off without a call of the driver. */
export interface MachineEvent {
  readonly vm: string
  readonly lapse: Lapse
}

/**
 * Runs virtual machines (compute.md 6). Every call is idempotent by the id of the machine: a machine that is already in
 * the wanted state is not changed. No call waits for the end of a change; the answer has the remaining time. A call
 * with another `request` replaces a change in progress.
 */
export interface Driver {
  /** The serial consoles and the usage of the machines; absent for a driver that knows neither. */
  readonly telemetry?: DriverTelemetry
  /** Creates the disks that the machine lacks, and copies the content of a new boot disk. */
  provision(call: DriverCall): Promise<DriverAnswer>
  /** Boots a machine that is off. */
  start(call: DriverCall): Promise<DriverAnswer>
  /**
   * Presses the power button of a running machine. A guest that still runs at `graceEndMs`, a time in milliseconds
   * since 1970, is powered off.
   */
  shutdown(call: DriverCall, graceEndMs: number): Promise<DriverAnswer>
  /** Powers a machine off at once, and discards a saved state. */
  powerOff(call: DriverCall): Promise<DriverAnswer>
  /** Boots a running machine anew, without a shutdown of its guest. */
  reset(call: DriverCall): Promise<DriverAnswer>
  /** Saves the state of a running machine to disk. */
  suspend(call: DriverCall): Promise<DriverAnswer>
  /** Continues a machine from its saved state. After a failure, the saved state is kept. */
  resume(call: DriverCall): Promise<DriverAnswer>
  /** Creates or grows the disk of this name; a size of 0 deletes a data disk. */
  resizeDisk(call: DriverCall, disk: Disk): Promise<DriverAnswer>
  /** Powers the machine off, and deletes its disks and its saved state. */
  destroy(call: DriverCall): Promise<DriverAnswer>
  /** Returns the state of a machine at `now`. */
  probe(reader: Reader, vm: string, now: number): Promise<MachineState>
  /**
   * Iterates over the machines that have gone off without a call of the driver. An event is repeated until a call
   * changes its machine.
   */
  events(reader: Reader, now: number): AsyncGenerator<MachineEvent, void, undefined>
}
