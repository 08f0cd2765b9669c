import { taxonomyScopes } from '../domain/taxonomy/access-scopes.ts'
import { startTaxonomy, taxonomyCollections, taxonomyHandlers, taxonomyProcedures } from '../domain/taxonomy/area.ts'
import { taxonomyFunctions } from '../domain/taxonomy/functions.ts'
import { inspectTaxonomy } from '../domain/taxonomy/inspect.ts'
import { followTimes, type FollowTimes } from '../domain/taxonomy/cascade/reconcile.ts'
import { usageFacts } from '../domain/taxonomy/quotas/usage.ts'
import { resolveTaxonomy } from '../domain/taxonomy/tree/resolve.ts'
import { taxonomyArea as generatedTaxonomy } from '../output/taxonomy/area.ts'
import { area, type AreaModule } from './area.ts'
import { computeArea } from './compute/area.ts'
import { iamArea } from './iam/area.ts'
import { networkArea } from './network/area.ts'
import { observabilityArea } from './observability/area.ts'
import { registryArea } from './registry/area.ts'
import { storageArea } from './storage/area.ts'
import { topologyArea } from './topology/area.ts'
import { vaultArea } from './vault/area.ts'

/** Returns the area of organisations, groups, workspaces and quotas. `times` sets the durations of its procedures. */
export const taxonomyArea = (times: FollowTimes = followTimes): AreaModule =>
  area({
    generated: generatedTaxonomy,
    handlers: taxonomyHandlers,
    collections: taxonomyCollections,
    facts: { taxonomy: usageFacts },
    functions: { taxonomy: taxonomyFunctions },
    needs: { required: ['iam'] },
    scopes: taxonomyScopes,
    resolve: resolveTaxonomy,
    procedures: parts => taxonomyProcedures(parts, times),
    start: startTaxonomy,
    inspect: inspectTaxonomy,
  })

/** The areas of a server, in the order in which they create the rows of the first start. */
export const areas: readonly AreaModule[] = [
  iamArea,
  taxonomyArea(),
  topologyArea(),
  computeArea(),
  networkArea(),
  observabilityArea(),
  registryArea(),
  storageArea(),
  vaultArea(),
]
