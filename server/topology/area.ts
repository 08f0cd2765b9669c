import { simulatedProbe, type DriverProbes } from '../../domain/topology/probes/driver-probe.ts'
import { topology } from '../../domain/topology/area.ts'
import { topologyArea as generated } from '../../output/topology/area.ts'
import type { AreaModule } from '../area.ts'
import { areaInProgress, records } from '../area-in-progress.ts'
import { qemuProbe } from './qemu-probe.ts'
import { topologySettings } from './settings.ts'

/** The probes of the drivers on this host. */
const hostProbes = (): DriverProbes => ({
  TOPOLOGY_DRIVER_SIMULATED: simulatedProbe,
  TOPOLOGY_DRIVER_QEMU: qemuProbe(),
})

/** Regions, zones and the targets below them. */
export function topologyArea(probes: DriverProbes = hostProbes()): AreaModule {
  const { built, ...declared } = topology(probes)
  return areaInProgress({
    generated,
    ...declared,
    settings: topologySettings,
    built: { ...records(generated.filters), ...built },
  })
}
