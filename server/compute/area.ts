import { join } from 'node:path'
import { compute, type WrapDriver } from '../../domain/compute/area.ts'
import type { Drivers } from '../../domain/compute/environment.ts'
import { computeArea as generated, type ComputeArea } from '../../output/compute/area.ts'
import { area, type AreaEnvironment, type AreaModule } from '../area.ts'
import { inspectMachines } from './qemu/inspect.ts'
import { QemuDriver } from './qemu/qemu-driver.ts'
import { computeSettings } from './settings.ts'

/** The parts of the area, as the server gives them. */
export type ComputeParts = AreaEnvironment<ComputeArea, 'network' | 'topology', never, typeof computeSettings>

/** Returns the folder of the machines that QEMU runs, which has a folder for each machine. */
export const machinesFolder = (dataDir: string): string => join(dataDir, 'compute')

/** Returns the drivers of the machines of this host. */
export function hostDrivers({ atEnd, dataDir, functions, log }: ComputeParts): Drivers {
  const driver = new QemuDriver({ folder: machinesFolder(dataDir), wires: () => functions.network.wires, log })
  atEnd(() => driver.close())
  return { QEMU: driver }
}

/** Returns the area of virtual machines. `wrap` replaces the driver SIMULATED; `hosted` returns the other drivers. */
export const computeArea = (wrap?: WrapDriver, hosted: (parts: ComputeParts) => Drivers = hostDrivers): AreaModule =>
  area({
    generated,
    ...compute(wrap, hosted),
    settings: computeSettings,
    inspectHost: ({ reader }, dataDir) => inspectMachines(reader, machinesFolder(dataDir)),
  })
