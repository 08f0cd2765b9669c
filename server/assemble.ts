import type { Counting } from './meters/counting.ts'
import type { Clock } from '../domain/ports/clock.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Processes } from '../domain/ports/processes.ts'
import type { Store } from '../domain/ports/store.ts'
import type { Resolve } from '../domain/resources/look-up.ts'
import { dispatcher, type DispatcherOptions } from '../runtime/call.ts'
import { pageTokens, type PageTokens } from '../runtime/page-token.ts'
import type { LogEntry } from '../runtime/outcome.ts'
import type { BoundRoute } from '../runtime/route.ts'
import type { Dispatch } from '../runtime/wire.ts'
import { withKnownStates } from './access/known-states.ts'
import type { PlatformAccess } from './access/platform-access.ts'
import type { AreaModule } from './area.ts'
import type { MountedArea, OpenedArea } from './area-declaration.ts'
import { denials } from './audit/denials.ts'
import type { Config } from './config.ts'
import { Backlog } from './health/backlog.ts'
import { metricsOf, type Metric } from './health/metrics.ts'
import { metricsRoute, sharedText } from './health/metrics-route.ts'
import type { HealthReports } from './health/listener/health-listener.ts'
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
import { nativeOperations, otherEngineRoutes } from './other-engines.ts'
import { outside } from './platform-domain.ts'
import { requireApart, type AreaPlane } from './planes/data-plane.ts'
import { sitesOf, type Sites } from './planes/serve-planes.ts'
import { observabilitySettings } from './observability/settings.ts'
import { PageCallers } from './pages/page-callers.ts'
import { pageRoutes } from './pages/page-routes.ts'
import { referenceRoutes } from './reference/routes.ts'
import { settingsOf } from './settings/values.ts'
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
  /** Returns the address of the page for people, without a slash at its end. */
  readonly consoleUrl: () => string
  /** Returns the public address of the platform, without a slash at its end. */
  readonly baseUrl: () => string
  /** Writes a row to the store. */
  readonly probe: () => Promise<void>
  /** The processes that work on the store. */
  readonly processes: Processes
}

/** Returns the domains of errors, by which an unknown path is assigned to an area. */
export const domainsOf = (areas: readonly AreaModule[]): DispatcherOptions['domains'] => ({
  outside,
  areas: areas.map(({ domain }) => domain),
})

/**
 * The sites to serve, the periodic workers of the areas, and the opened resources of the areas, and the health of
 * the server.
 */
export interface Assembled {
  readonly sites: Sites
  readonly workers: MountedArea['workers']
  readonly opened: readonly OpenedArea[]
  /** Ends the background activity of the areas. Failures are logged. */
  readonly endAreas: () => Promise<void>
  readonly health: HealthReports
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
  new Map(
    mounted.map(({ addedEngines, admit, area, routes }) => [
      area.domain.name,
      {
        engines: [...area.engines, ...addedEngines],
        nativeOperations: nativeOperations(routes),
        ...(admit && { admit }),
      },
    ]),
  )

/**
 * Creates the rows of the first start, mounts and opens the areas, and combines routes, doors and planes. Returns the
 * sites, the periodic workers and the opened resources.
 */
export async function assemble(
  foundation: Foundation,
  config: Config,
  areas: readonly AreaModule[],
): Promise<Assembled> {
  const { admission, audit, baseUrl, clock, consoleUrl, counting, functions, log, probe, queue, secrets, store } =
    foundation
  const { processes } = foundation
  const platform = foundation.access
  const { access, guard } = platform
  await store.tx(async tx => {
    for (const { start } of areas) await start?.(tx, { clock, config })
  })
  const { watch, watchRoute } = denials(store, audit, log)
  const plain = functions.require('taxonomy')
  const taxonomy = guard ? withKnownStates(plain, store, guard.decisions) : plain
  const planes: AreaPlane[] = []
  const metrics: Metric[] = []
  const ends: (() => Promise<void>)[] = []
  const callWatchers: ((entry: LogEntry) => void)[] = []
  const dataFolder = config.storeUrl === undefined ? config.dataDir : undefined
  const shared = { config, store, clock, log, access, audit, queue, taxonomy, functions, baseUrl, consoleUrl, guard }
  const tokens = await pageTokensOf(secrets)
  const sources = {
    ...counting,
    inWork: () => admission.inWork,
    waiting: () => admission.waiting,
    maxInWork: admission.max,
    backlog: new Backlog(store, clock),
    areas: metrics,
  }
  const parts = {
    ...shared,
    processes,
    pageTokens: tokens,
    resolve: platformResolver(areas),
    dataFolder,
    storeUrl: config.storeUrl,
    hooks: [],
    planes,
    metrics,
    serverMetrics: async () => {
      await sources.backlog.refresh()
      return metricsOf(sources)
    },
    callWatchers,
    ends,
  }
  const mounted = areas.map(area => ({ area, ...area.mount(parts) }))
  functions.close()
  const opened = await Promise.all(mounted.flatMap(({ open }) => (open ? [open()] : [])))
  const doors = withEngines(platform.doors, engineChecks(mounted))
  const vitals = new Vitals({
    read: () => store.exists(rememberedKeys, { id: '' }),
    write: probe,
    isDraining: () => admission.isDraining,
    isStale: () => platform.isStale?.() ?? false,
    store: counting.meters.store,
    degradations: () => opened.flatMap(({ degradation }) => degradation() ?? []),
  })
  const metricsText = sharedText(sources)
  const line = requestLine(log)
  const callers = new PageCallers(platform.doors, access)
  const { 'observability.default_engine': defaultEngine } = settingsOf(config, observabilitySettings)
  const prepare = (route: BoundRoute): BoundRoute => watchRoute(withSoundTexts(route))
  const routes = [
    ...platformRoutes(outside, areas, vitals),
    metricsRoute(outside, metricsText, config.metrics?.isPublic ?? false),
    ...referenceRoutes(
      outside,
      areas.map(({ domain }) => domain.name),
      callers,
    ),
    ...pageRoutes({ domain: outside, callers, engine: defaultEngine, baseUrl }).map(watchRoute),
    ...platform.routes,
    ...mounted.flatMap(({ routes }) => [...routes, ...otherEngineRoutes(routes)].map(prepare)),
  ]
  requireApart(planes, routes)
  const answering = {
    clock,
    tokens,
    log(entry: LogEntry) {
      counting.meters.calls.record(entry)
      line(entry)
      for (const watcher of callWatchers) watcher(entry)
    },
  }
  const secrecy = new Map(areas.map(({ domain, isSecret }) => [domain.name, isSecret]))
  const dispatch = dispatcher({
    ...answering,
    doors: watch(doors),
    routes,
    domains: domainsOf(areas),
    noStore({ domain, operationId }) {
      const isSecret = secrecy.get(domain.name) ?? false
      return typeof isSecret === 'boolean' ? isSecret : isSecret.includes(operationId)
    },
  })
  const serving = { ...answering, doors, watch, admission, prepare, behindProxies: proxied(config.http) }
  return {
    sites: sitesOf(planes, dispatch, serving),
    workers: mounted.flatMap(({ workers }) => workers),
    opened,
    endAreas: async () => {
      const failed = (err: unknown): void => log.warn({ err }, 'an area could not end its background activity')
      await Promise.all(ends.map(end => end().catch(failed)))
    },
    health: { readiness: () => vitals.readiness(), metrics: metricsText },
  }
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
