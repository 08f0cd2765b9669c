import { join } from 'node:path'
import { compute, type WrapDriver } from '../../domain/compute/area.ts'
import type { Drivers } from '../../domain/compute/environment.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import { computeArea as generated, type ComputeArea } from '../../output/compute/area.ts'
import { area, type AreaModule } from '../area.ts'
import type { AreaHost, HostPlace } from '../area-host.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { diskFiles, remakeDisks } from './disk-checks.ts'
import { DiskFolder } from './disk-folder.ts'
import { inspectMachines } from './qemu/inspect.ts'
import { QemuDriver } from './qemu/qemu-driver.ts'
import { computeSettings } from './settings.ts'

/** The parts of the area, as the server gives them. */
export type ComputeParts = AreaEnvironment<
  ComputeArea,
  'network' | 'topology',
  'observability' | 'registry' | 'storage',
  typeof computeSettings
>

/** Returns the folder of the machines that QEMU runs, which has a folder for each machine. */
export const machinesFolder = (dataDir: string): string => join(dataDir, 'compute')

/** Returns the drivers of the machines of this host. */
export function hostDrivers({ atEnd, clock, dataDir, functions, log }: ComputeParts): Drivers {
  const driver = new QemuDriver({
    folder: machinesFolder(dataDir),
    wires: () => functions.network.wires,
    log,
    now: () => clock.now(),
  })
  atEnd(() => driver.close())
  return { QEMU: driver }
}

/**
 * Returns the area of virtual machines. `wrap` replaces the driver SIMULATED; `hosted` returns the other drivers. Only a
 * store in the data folder has files for the disks of simulated machines: the servers of one database have no folder in
 * common, and each server must be able to change every machine.
 */
export const computeArea = (wrap?: WrapDriver, hosted: (parts: ComputeParts) => Drivers = hostDrivers): AreaModule => {
  const disksOf = ({ dataFolder, log }: ComputeParts) =>
    dataFolder === undefined ? undefined : new DiskFolder(dataFolder, log)
  const domain = compute(wrap, hosted, disksOf)
  return area({
    generated,
    ...domain,
    workers: (parts: ComputeParts) => [...domain.workers(parts), ...diskWorkers(parts)],
    settings: computeSettings,
    host: computeHost,
  })
}

/** Returns the files of disks, which only a store in the data folder has, and the machines that QEMU runs. */
function computeHost({ dataDir, hasStore }: HostPlace): AreaHost {
  const { checks = [], remake } = hasStore ? diskFiles(dataDir) : {}
  return { checks: [...checks, ({ reader }) => inspectMachines(reader, machinesFolder(dataDir))], remake }
}

const dayMs = 24 * 3_600_000

/**
 * Returns the worker that repairs the files of disks at the start of the server and once a day, for example after a
 * restore that was cut off; no worker without a data folder.
 */
const diskWorkers = ({ dataFolder, log, store }: ComputeParts): readonly Worker[] =>
  dataFolder === undefined
    ? []
    : [
        {
          name: 'compute.disks',
          everyMs: dayMs,
          run: () => remakeDisks(store, new DiskFolder(dataFolder, log), dataFolder),
        },
      ]
