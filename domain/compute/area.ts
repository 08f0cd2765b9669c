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
import { bootSources } from './images/boot-sources-store.ts'
import { catalogueOf } from './images/catalogue.ts'
import type { Image } from './images/image.ts'
import { inspectCompute } from './inspect.ts'
import { vmForms } from './vms/vm-form.ts'
import { vmKind } from './vms/vm-kind.ts'
import { vms } from './calls/vms.ts'
import { watching } from './work/events.ts'
import { reconcile } from './work/lifecycle.ts'
import { vmProcedures } from './work/procedures.ts'
import { disposal, protectionsOf, purgeMachines } from './work/purge.ts'
import { telemetry } from './work/telemetry.ts'

/** The parts of the area, with the values of its settings. */
type SettledParts = Parts<ComputeArea, 'network' | 'topology', 'observability' | 'registry' | 'storage'> & {
  readonly settings: {
    readonly 'compute.images_file': readonly Image[] | undefined
    readonly 'compute.metrics_interval': number
    readonly 'compute.sim_time_scale': number
  }
}

/** Returns the driver that the area uses in place of a driver; tests return drivers that fail. */
export type WrapDriver = (driver: Driver) => Driver

/**
 * Returns the area of virtual machines; `wrap` replaces the driver SIMULATED. `hosted` returns the drivers of the host,
 * and runs once for each server that mounts the area. `disksOf` returns the files for the disks of simulated machines, or
 * undefined on a server that keeps none.
 */
export function compute<P extends SettledParts = SettledParts>(
  wrap: WrapDriver = driver => driver,
  hosted: (parts: P) => Drivers = () => ({}),
  disksOf: (parts: P) => DiskFiles | undefined = () => undefined,
) {
  const environments = new WeakMap<P, ComputeEnvironment>()
  const environmentOf = (parts: P): ComputeEnvironment => {
    const known = environments.get(parts)
    if (known) return known
    const { 'compute.images_file': images = [], 'compute.sim_time_scale': timeScale } = parts.settings
    const simulated = wrap(new SimulatedDriver(simulationOf(parts, timeScale)))
    const environment = { ...parts, images: catalogueOf(images), drivers: { ...hosted(parts), SIMULATED: simulated } }
    environments.set(parts, environment)
    return environment
  }
  const simulationOf = (parts: P, timeScale: number): Simulation => ({
    timeScale,
    disks: disksOf(parts),
    isHeard: () => parts.functions.observability !== undefined,
  })
  return {
    kinds: [vmKind],
    collections: [machines, bootSources],
    needs: { required: ['network', 'topology'], optional: ['observability', 'registry', 'storage'] },
    procedures: (parts: P) => [...vmProcedures(environmentOf(parts)), disposal(environmentOf(parts))],
    workers: (parts: P) => [
      watching(environmentOf(parts)),
      telemetry(environmentOf(parts), { intervalMs: parts.settings['compute.metrics_interval'] }),
    ],
    hooks: (parts: P): Partial<WorkspaceHooks> => {
      const environment = environmentOf(parts)
      return {
        reconcileWorkspace: (workspace, state) => reconcile(environment, workspace, state),
        protections: protectionsOf,
        purgeWorkspace: workspace => purgeMachines(environment, workspace),
      }
    },
    inspect: inspectCompute,
    forms: () => vmForms,
    handlers: (parts: P): ComputeHandlers => ({
      vms: vms(environmentOf(parts)),
      operations: new OperationRecords(parts),
      filterSchemas: new FilterSchemaRecords(computeFilters),
    }),
  } as const
}
