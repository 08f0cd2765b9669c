import { taxonomyScopes } from '../domain/taxonomy/access-scopes.ts'
import { startTaxonomy, taxonomy, taxonomyCollections, taxonomyProcedures } from '../domain/taxonomy/area.ts'
import { inspectTaxonomy } from '../domain/taxonomy/inspect.ts'
import { followTimes, type FollowTimes } from '../domain/taxonomy/reconcile.ts'
import { compute } from '../output/compute/errors.ts'
import { computeFilters, operationsList as computeOperationsList } from '../output/compute/filters.ts'
import { computeRoutes } from '../output/compute/routes.ts'
import { checkComputeOperation } from '../output/compute/validators.ts'
import { network } from '../output/network/errors.ts'
import { networkFilters, operationsList as networkOperationsList } from '../output/network/filters.ts'
import { networkRoutes } from '../output/network/routes.ts'
import { checkNetworkOperation } from '../output/network/validators.ts'
import { observability } from '../output/observability/errors.ts'
import { observabilityFilters, operationsList as observabilityOperationsList } from '../output/observability/filters.ts'
import { observabilityRoutes } from '../output/observability/routes.ts'
import { checkObservabilityOperation } from '../output/observability/validators.ts'
import { registry } from '../output/registry/errors.ts'
import { registryFilters, operationsList as registryOperationsList } from '../output/registry/filters.ts'
import { registryRoutes } from '../output/registry/routes.ts'
import { checkRegistryOperation } from '../output/registry/validators.ts'
import { storage } from '../output/storage/errors.ts'
import { storageFilters, operationsList as storageOperationsList } from '../output/storage/filters.ts'
import { storageRoutes } from '../output/storage/routes.ts'
import { checkStorageOperation } from '../output/storage/validators.ts'
import { taxonomy as taxonomyDomain } from '../output/taxonomy/errors.ts'
import { operationsList } from '../output/taxonomy/filters.ts'
import { checkTaxonomyOperation } from '../output/taxonomy/validators.ts'
import { topology } from '../output/topology/errors.ts'
import { operationsList as topologyOperationsList, topologyFilters } from '../output/topology/filters.ts'
import { topologyRoutes } from '../output/topology/routes.ts'
import { checkTopologyOperation } from '../output/topology/validators.ts'
import { vault } from '../output/vault/errors.ts'
import { vaultFilters, operationsList as vaultOperationsList } from '../output/vault/filters.ts'
import { vaultRoutes } from '../output/vault/routes.ts'
import { checkVaultOperation } from '../output/vault/validators.ts'
import { area, type AreaModule } from './area.ts'
import { iamArea } from './iam/area.ts'
import { areaInProgress, records } from './unbuilt.ts'

/** Organisations, groups, workspaces and quotas. */
export const taxonomyArea = (times: FollowTimes = followTimes): AreaModule =>
  area({
    domain: taxonomyDomain,
    collections: taxonomyCollections,
    operations: { list: operationsList, check: checkTaxonomyOperation },
    routes: taxonomy,
    scopes: taxonomyScopes,
    procedures: parts => taxonomyProcedures(parts, times),
    start: startTaxonomy,
    inspect: inspectTaxonomy,
  })

/** The areas that a server mounts, in the order in which they make what exists from the first start. */
export const areas: readonly AreaModule[] = [
  iamArea,
  taxonomyArea(),
  areaInProgress({
    domain: compute,
    operations: { list: computeOperationsList, check: checkComputeOperation },
    routes: computeRoutes,
    built: records(computeFilters),
  }),
  areaInProgress({
    domain: network,
    operations: { list: networkOperationsList, check: checkNetworkOperation },
    routes: networkRoutes,
    built: records(networkFilters),
  }),
  areaInProgress({
    domain: observability,
    operations: { list: observabilityOperationsList, check: checkObservabilityOperation },
    routes: observabilityRoutes,
    built: records(observabilityFilters),
  }),
  areaInProgress({
    domain: registry,
    operations: { list: registryOperationsList, check: checkRegistryOperation },
    routes: registryRoutes,
    built: records(registryFilters),
  }),
  areaInProgress({
    domain: storage,
    operations: { list: storageOperationsList, check: checkStorageOperation },
    routes: storageRoutes,
    built: records(storageFilters),
  }),
  areaInProgress({
    domain: topology,
    operations: { list: topologyOperationsList, check: checkTopologyOperation },
    routes: topologyRoutes,
    built: records(topologyFilters),
  }),
  areaInProgress({
    domain: vault,
    operations: { list: vaultOperationsList, check: checkVaultOperation },
    routes: vaultRoutes,
    built: records(vaultFilters),
  }),
]
