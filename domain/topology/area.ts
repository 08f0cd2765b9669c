import type { TopologyArea } from '../../output/topology/area.ts'
import { topologyFilters } from '../../output/topology/filters.ts'
import type { TopologyHandlers } from '../../output/topology/handlers.ts'
import type { Parts } from '../ports/area-parts.ts'
import { FilterSchemaRecords } from '../resources/filter-schemas.ts'
import { OperationRecords } from '../resources/operation-records.ts'
import { bootstrap, bootstraps } from './bootstrap.ts'
import { inspectTopology } from './inspect.ts'
import type { DriverProbes } from './probes/driver-probe.ts'
import { locationFunctions } from './location-functions.ts'
import { allocations } from './pools/allocations-store.ts'
import { capacityFacts } from './pools/facts.ts'
import { capacityFunctions } from './pools/functions.ts'
import { poolForm } from './pools/pool-form.ts'
import { poolKind } from './pools/pool-kind.ts'
import { poolsOfTarget } from './pools/pool-target-use.ts'
import { purgeAllocations } from './pools/purge-allocations.ts'
import { resourcePools } from './pools/pools.ts'
import { dropZoneLedger, zoneLedgers } from './pools/zone-ledger.ts'
import { ZonePools } from './pools/zone-pools.ts'
import { probing } from './probes/probing.ts'
import { siteFunctions } from './sites/functions.ts'
import { locationKind, multiRegionKind, regionKind, targetKind, zoneKind } from './sites/kinds.ts'
import { locations } from './sites/locations.ts'
import { multiRegions } from './sites/multi-regions.ts'
import { regions } from './sites/regions.ts'
import { zones } from './sites/zones.ts'
import { targets } from './targets/targets.ts'

/** Returns the topology area; `probes` are the probes of the drivers. */
export const topology = (probes: DriverProbes) =>
  ({
    kinds: [multiRegionKind, poolKind, zoneKind, targetKind, regionKind, locationKind],
    collections: [bootstraps, zoneLedgers, allocations],
    provides: () => ({ topology: { ...siteFunctions, ...locationFunctions, ...capacityFunctions(new ZonePools()) } }),
    hooks: ({ store }: Parts<TopologyArea>) => ({
      purgeWorkspace: (workspace: string) => purgeAllocations(store, workspace),
    }),
    workers: (parts: Parts<TopologyArea>) => [probing(parts, probes, poolsOfTarget)],
    start: bootstrap,
    inspect: inspectTopology,
    forms: () => ({ createResourcePool: poolForm, updateResourcePool: poolForm }),
    facts: { topology: capacityFacts },
    handlers: (parts: Parts<TopologyArea>): TopologyHandlers => ({
      deploymentTargets: targets(parts, probes, poolsOfTarget),
      locations: locations(parts),
      regions: regions(parts),
      multiRegions: multiRegions(parts),
      zones: zones(parts, dropZoneLedger),
      resourcePools: resourcePools(parts),
      operations: new OperationRecords(parts),
      filterSchemas: new FilterSchemaRecords(topologyFilters),
    }),
  }) as const
