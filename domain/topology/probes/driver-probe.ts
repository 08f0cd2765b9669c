import type { Driver } from '../../../output/topology/types.ts'

/** The findings of a driver about itself and its host. */
export interface DriverFacts {
  readonly isRunning: boolean
  /** For `state_message`: what the driver is, or why it does not run; may be empty. */
  readonly message: string
  /** What the host has, where the driver uses the host. */
  readonly host?: { readonly vcpus: number; readonly memoryMib: number }
}

/** Looks whether a driver runs. It is bounded in time, never throws, and runs once for calls at the same time. */
export type DriverProbe = () => Promise<DriverFacts>

/** The probes of all drivers. */
export type DriverProbes = Readonly<Record<Exclude<Driver, 'TOPOLOGY_DRIVER_UNSPECIFIED'>, DriverProbe>>

/** The probe of the simulation, which always passes. */
export const simulatedProbe: DriverProbe = async () => ({ isRunning: true, message: '' })

/** Finds the probe of a stored target's driver. */
export const probeOf = (probes: DriverProbes, driver: Driver): DriverProbe =>
  driver === 'TOPOLOGY_DRIVER_QEMU' ? probes.TOPOLOGY_DRIVER_QEMU : probes.TOPOLOGY_DRIVER_SIMULATED
