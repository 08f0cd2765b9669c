import type { ComputeArea } from '../../output/compute/area.ts'
import { computeFilters } from '../../output/compute/filters.ts'
import type { ComputeHandlers } from '../../output/compute/handlers.ts'
import type { Parts } from '../ports/area-parts.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import type { Driver } from './drivers/driver.ts'
import type { DiskFiles } from './drivers/simulated/disk-files.ts'
import { machines } from './drivers/simulated/machines-store.ts'
import { SimulatedDriver, type Simulation } from './drivers/simulated/simulated-driver.ts'
import type { ComputeEnvironment, Drivers } from './environment.ts'
import { catalogueOf } from './images/catalogue.ts'
import type { Image } from './images/image.ts'
import { inspectCompute } from './inspect.ts'
import { vmKind } from './vms/vm-kind.ts'
import { vms } from './calls/vms.ts'
import { watching } from './work/events.ts'
import { reconcile } from './work/lifecycle.ts'
import { vmProcedures } from './work/procedures.ts'
import { disposal, protectionsOf, purgeMachines } from './work/purge.ts'
import { telemetry } from './work/telemetry.ts'

/** The parts of the area, with the values of its settings. */
type SettledParts = Parts<ComputeArea, 'network' | 'topology', 'observability'> & {
  readonly settings: {
    readonly 'compute.images_file': readonly Image[] | undefined
    readonly 'compute.metrics_interval': number
    readonly 'compute.sim_time_scale': number
  }
}

/** Returns the driver that the area uses in place of a driver; tests return drivers that fail. */
export type WrapDriver = (driver: Driver) => Driver

/**
 * Returns the area of virtual machines; the area uses the drivers that `wrap` returns. `disksOf` returns the files for
 * the disks of simulated machines, or undefined on a server that keeps no such files.
 */
export function compute<Host>(
  wrap: WrapDriver = driver => driver,
  disksOf: (host: Host) => DiskFiles | undefined = () => undefined,
) {
  const environmentOf = (parts: SettledParts & Host): ComputeEnvironment => {
    const { 'compute.images_file': images = [], 'compute.sim_time_scale': timeScale } = parts.settings
    const drivers: Drivers = { SIMULATED: wrap(new SimulatedDriver(simulationOf(parts, timeScale))) }
    return { ...parts, images: catalogueOf(images), drivers }
  }
  const simulationOf = (parts: SettledParts & Host, timeScale: number): Simulation => ({
    timeScale,
    disks: disksOf(parts),
    isHeard: () => parts.functions.observability !== undefined,
  })
  return {
    kinds: [vmKind],
    collections: [machines],
    needs: { required: ['network', 'topology'], optional: ['observability'] },
    procedures: (parts: SettledParts & Host) => [...vmProcedures(environmentOf(parts)), disposal(environmentOf(parts))],
    workers: (parts: SettledParts & Host) => [
      watching(environmentOf(parts)),
      telemetry(environmentOf(parts), { intervalMs: parts.settings['compute.metrics_interval'] }),
    ],
    hooks: (parts: SettledParts & Host): Partial<WorkspaceHooks> => {
      const environment = environmentOf(parts)
      return {
        reconcileWorkspace: (workspace, state) => reconcile(environment, workspace, state),
        protections: protectionsOf,
        purgeWorkspace: workspace => purgeMachines(environment, workspace),
      }
    },
    inspect: inspectCompute,
    handlers: (parts: SettledParts & Host): ComputeHandlers => ({
      vms: vms(environmentOf(parts)),
      operations: new OperationRecords(parts),
      filterSchemas: new FilterSchemaRecords(computeFilters),
    }),
  } as const
}
