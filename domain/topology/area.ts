import type { TopologyArea } from '../../output/topology/area.ts'
import type { Parts } from '../ports/area-parts.ts'
import { bootstrap, bootstraps } from './bootstrap.ts'
import { inspectTopology } from './inspect.ts'
import type { DriverProbes } from './probes/driver-probe.ts'
import { poolKind } from './pools/pool-kind.ts'
import { probing } from './probes/probing.ts'
import { siteFunctions } from './sites/functions.ts'
import { locationKind, multiRegionKind, regionKind, targetKind, zoneKind } from './sites/kinds.ts'
import { locations } from './sites/locations.ts'
import { multiRegions } from './sites/multi-regions.ts'
import { regions } from './sites/regions.ts'
import type { TargetUse } from './sites/target-use.ts'
import { zones } from './sites/zones.ts'
import { targets } from './targets/targets.ts'

/** Without resource pools nothing holds the capacity of a target. */
const targetUse: TargetUse = { requireRoom: async () => {}, probed: async () => {} }

/** The built part of the area: everything but resource pools. */
export const topology = (probes: DriverProbes) =>
  ({
    kinds: [multiRegionKind, poolKind, zoneKind, targetKind, regionKind, locationKind],
    collections: [bootstraps],
    functions: { topology: siteFunctions },
    workers: (parts: Parts<TopologyArea>) => [probing(parts, probes, targetUse)],
    start: bootstrap,
    inspect: inspectTopology,
    built: {
      deploymentTargets: (parts: Parts<TopologyArea>) => targets(parts, probes, targetUse),
      locations,
      regions,
      multiRegions,
      zones,
    },
  }) as const
