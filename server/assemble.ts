import type { Counting } from './meters/counting.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Store } from '../domain/ports/store.ts'
import type { Resolve } from '../domain/resources/look-up.ts'
import { dispatcher, type DispatcherOptions } from '../runtime/call.ts'
import { pageTokens, type PageTokens } from '../runtime/page-token.ts'
import type { LogEntry } from '../runtime/outcome.ts'
import type { BoundRoute } from '../runtime/route.ts'
import type { Dispatch } from '../runtime/wire.ts'
import type { PlatformAccess } from './access/platform-access.ts'
import type { AreaModule, MountedArea } from './area.ts'
import { denials } from './audit/denials.ts'
import type { Config } from './config.ts'
import { Backlog } from './health/backlog.ts'
import { metricsRoute } from './health/metrics-route.ts'
import { Vitals } from './health/vitals.ts'
import { withEngines, type EngineCheck } from './engines.ts'
import { FunctionTable } from './functions.ts'
import { hmacSha256 } from './hmac.ts'
import type { Admission } from './http/admission.ts'
import { behindProxies, proxyList } from './http/client-address.ts'
import { platformRoutes } from './http/platform-routes.ts'
import { withSoundTexts } from './http/sound-texts.ts'
import { requestLine, type Log } from './log.ts'
import { rememberedKeys } from './operations/idempotency.ts'
import type { WorkQueue } from './operations/work-queue.ts'
import { otherEngineRoutes } from './other-engines.ts'
import { outside } from './platform-domain.ts'
import { requireApart, type AreaPlane } from './planes/data-plane.ts'
import { sitesOf, type Sites } from './planes/serve-planes.ts'
import { referenceRoutes } from './reference/routes.ts'
import type { ServerStore } from './store/server-store.ts'

/** The parts of a platform before its areas are mounted. */
export interface Foundation {
  readonly store: Store
  readonly secrets: Pick<ServerStore, 'secret'>
  readonly clock: Clock
  readonly log: Log
  readonly queue: WorkQueue
  readonly admission: Admission
  readonly counting: Counting
  readonly audit: Audit
  readonly access: PlatformAccess
  readonly functions: FunctionTable
  /** Writes a row to the store. */
  readonly probe: () => Promise<void>
}

/** Returns the domains of errors, by which an unknown path is assigned to an area. */
export const domainsOf = (areas: readonly AreaModule[]): DispatcherOptions['domains'] => ({
  outside,
  areas: areas.map(({ domain }) => domain),
})

/** The sites to serve, and the periodic workers of the areas. */
export interface Assembled {
  readonly sites: Sites
  readonly workers: MountedArea['workers']
}

/** Returns the functions of areas that need only the store, before any area is mounted. */
export function functionsOf(areas: readonly AreaModule[]): FunctionTable {
  const table = new FunctionTable()
  for (const { domain, functions = {} } of areas) table.provide(domain.name, functions)
  return table
}

/** Returns a function that looks up a resource of any area. A resource type begins with the name of its area. */
export const platformResolver = (areas: readonly AreaModule[]): Resolve => {
  const byArea = new Map(areas.map(({ domain, resolve }) => [domain.name, resolve]))
  return async (reader, type, id) => byArea.get(type.slice(0, type.indexOf('.')))?.(reader, type, id)
}

const engineChecks = (
  mounted: readonly (MountedArea & { readonly area: AreaModule })[],
): ReadonlyMap<string, EngineCheck> =>
  new Map(mounted.map(({ admit, area }) => [area.domain.name, { engines: area.engines, ...(admit && { admit }) }]))

/**
 * Creates the rows of the first start, mounts the areas, and combines routes, doors and planes. Returns the sites and
 * the periodic workers.
 */
export async function assemble(
  { store, secrets, clock, log, queue, admission, counting, audit, probe, functions, access: platform }: Foundation,
  config: Config,
  areas: readonly AreaModule[],
): Promise<Assembled> {
  const { access, guard } = platform
  await store.tx(async tx => {
    for (const { start } of areas) await start?.(tx, { clock, config })
  })
  const { watch, watchRoute } = denials(store, audit, log)
  const taxonomy = functions.require('taxonomy')
  const planes: AreaPlane[] = []
  const dataFolder = config.storeUrl === undefined ? config.dataDir : undefined
  const shared = { store, clock, log, access, audit, queue, taxonomy, functions, guard, dataFolder }
  const parts = { ...shared, config, hooks: [], planes }
  const mounted = areas.map(area => ({ area, ...area.mount(parts) }))
  functions.close()
  const doors = withEngines(platform.doors, engineChecks(mounted))
  const vitals = new Vitals({
    read: () => store.exists(rememberedKeys, { id: '' }),
    write: probe,
    isDraining: () => admission.isDraining,
    store: counting.meters.store,
  })
  const sources = {
    ...counting,
    inWork: () => admission.inWork,
    maxInWork: admission.max,
    backlog: new Backlog(store, clock),
  }
  const line = requestLine(log)
  const prepare = (route: BoundRoute): BoundRoute => watchRoute(withSoundTexts(route))
  const routes = [
    ...platformRoutes(outside, areas, vitals),
    metricsRoute(outside, sources, config.metrics?.isPublic ?? false),
    ...referenceRoutes(
      outside,
      areas.map(({ domain }) => domain.name),
    ),
    ...platform.routes,
    ...mounted.flatMap(({ routes }) => [...routes, ...otherEngineRoutes(routes)].map(prepare)),
  ]
  requireApart(planes, routes)
  const answering = {
    clock,
    tokens: await pageTokensOf(secrets),
    log(entry: LogEntry) {
      counting.meters.calls.record(entry)
      line(entry)
    },
  }
  const secret = new Set(areas.flatMap(({ domain, isSecret }) => (isSecret ? [domain.name] : [])))
  const dispatch = dispatcher({
    ...answering,
    doors: watch(doors),
    routes,
    domains: domainsOf(areas),
    noStore: ({ domain }) => secret.has(domain.name),
  })
  const serving = { ...answering, doors, watch, admission, prepare, behindProxies: proxied(config.http) }
  return { sites: sitesOf(planes, dispatch, serving), workers: mounted.flatMap(({ workers }) => workers) }
}

/**
 * Returns a function that wraps a dispatch: if there are trusted proxies, the dispatch sees the addresses that they
 * report.
 */
function proxied({ trustedProxies }: Config['http']): (dispatch: Dispatch) => Dispatch {
  if (trustedProxies === undefined) return dispatch => dispatch
  const proxies = proxyList(trustedProxies)
  return dispatch => behindProxies(dispatch, proxies)
}

async function pageTokensOf(store: Pick<ServerStore, 'secret'>): Promise<PageTokens> {
  return pageTokens(hmacSha256(await store.secret('page_token')))
}
