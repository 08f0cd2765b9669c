import type { Driver } from '../../../output/topology/types.ts'

/** The result of a probe: the state of a driver, and the size of its host. */
export interface DriverFacts {
  readonly isRunning: boolean
  /** The description of the driver, or the reason why the driver does not run, for `state_message`; may be empty. */
  readonly message: string
  /** The processors and the memory of the host; absent if the driver does not use the host. */
  readonly host?: { readonly vcpus: number; readonly memoryMib: number }
}

/** Probes a driver. A probe is bounded in time and never throws, and concurrent calls share one run. */
export type DriverProbe = () => Promise<DriverFacts>

/** The probes of all drivers, keyed by driver. */
export type DriverProbes = Readonly<Record<Exclude<Driver, 'TOPOLOGY_DRIVER_UNSPECIFIED'>, DriverProbe>>

/** The probe of the simulation, which always passes. */
export const simulatedProbe: DriverProbe = async () => ({ isRunning: true, message: '' })

/** Returns the probe of the driver of a stored target. */
export const probeOf = (probes: DriverProbes, driver: Driver): DriverProbe =>
  driver === 'TOPOLOGY_DRIVER_QEMU' ? probes.TOPOLOGY_DRIVER_QEMU : probes.TOPOLOGY_DRIVER_SIMULATED
