import type { Reader, Transaction } from '../../ports/store.ts'

/** A line that a guest has written to its serial console. */
export interface SerialLine {
  /** The time of the line in milliseconds since 1970. */
  readonly at_ms: number
  readonly text: string
}

/** Serial lines of one machine, the earliest first. */
export interface SerialOutput {
  readonly vm: string
  readonly lines: readonly SerialLine[]
}

/** The size of a machine, which bounds its usage. */
export interface MeasuredVm {
  readonly id: string
  readonly vcpus: number
  readonly memory_mib: number
}

/** The resources that a running machine uses. */
export interface Usage {
  /** The share of all processors of the machine that is busy, from 0 to 1. */
  readonly cpu_utilization: number
  readonly memory_used_mib: number
}

/** The serial consoles and the usage of the machines of a driver. */
export interface DriverTelemetry {
  /**
   * Iterates over the serial lines that guests have written until `now`. Lines are repeated until `forget` receives
   * them. A driver may drop the earliest lines of a machine to bound their number.
   */
  serial(reader: Reader, now: number): AsyncGenerator<SerialOutput, void, undefined>
  /** Forgets serial lines, so that `serial` does not repeat them. */
  forget(tx: Transaction, output: SerialOutput): Promise<void>
  /** Returns the usage of a running machine at `now`; undefined if the driver does not know the usage. */
  usage(vm: MeasuredVm, now: number): Promise<Usage | undefined>
}
