import { computeRoutes } from '../../../output/compute/routes.ts'
import { iamRoutes } from '../../../output/iam/routes.ts'
import { networkRoutes } from '../../../output/network/routes.ts'
import { observabilityRoutes } from '../../../output/observability/routes.ts'
import { registryRoutes } from '../../../output/registry/routes.ts'
import { storageRoutes } from '../../../output/storage/routes.ts'
import { taxonomyRoutes } from '../../../output/taxonomy/routes.ts'
import { topologyRoutes } from '../../../output/topology/routes.ts'
import { vaultRoutes } from '../../../output/vault/routes.ts'
import type { Route } from '../../../runtime/route.ts'

/** Stands in for every handler and for every member of a handler; these tests call no handler. */
const none = new Proxy({}, { get: () => none }) as never

/** Returns the routes of the nine areas. */
export const allRoutes = (): readonly Route<unknown, unknown>[] =>
  [
    computeRoutes,
    iamRoutes,
    networkRoutes,
    observabilityRoutes,
    registryRoutes,
    storageRoutes,
    taxonomyRoutes,
    topologyRoutes,
    vaultRoutes,
  ].flatMap(routes => routes(none).map(({ route }) => route))
