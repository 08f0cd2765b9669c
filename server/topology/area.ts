import { simulatedProbe, type DriverProbes } from '../../domain/topology/probes/driver-probe.ts'
import { topology } from '../../domain/topology/area.ts'
import { topologyArea as generated } from '../../output/topology/area.ts'
import { area, type AreaModule } from '../area.ts'
import { qemuProbe } from './qemu-probe.ts'
import { topologySettings } from './settings.ts'

/** Returns the probes of the drivers on this host. */
const hostProbes = (): DriverProbes => ({
  TOPOLOGY_DRIVER_SIMULATED: simulatedProbe,
  TOPOLOGY_DRIVER_QEMU: qemuProbe(),
})

/** Returns the area of deployment targets, locations, regions, multi-regions, zones and resource pools. */
export const topologyArea = (probes: DriverProbes = hostProbes()): AreaModule =>
  area({ generated, ...topology(probes), settings: topologySettings })
