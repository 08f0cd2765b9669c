import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../domain/ports/clock.ts'
import type { Audit } from '../domain/ports/audit.ts'
import type { Store } from '../domain/ports/store.ts'
import { taxonomyFunctions } from '../domain/taxonomy/functions.ts'
import { dispatcher, type DispatcherOptions } from '../runtime/call.ts'
import { ApiError, commonReasons } from '../runtime/errors.ts'
import { pageTokens, type PageTokens } from '../runtime/page-token.ts'
import type { Dispatch } from '../runtime/wire.ts'
import type { OpenAccess, PlatformAccess, SignIn } from './access/platform-access.ts'
import type { AreaModule } from './area.ts'
import { denials } from './audit/denials.ts'
import { outboxAudit } from './audit/outbox.ts'
import { createClock } from './clock.ts'
import { enterDataFolder, type FolderHold } from './backup/folder-hold.ts'
import type { Config } from './config.ts'
import { makeDataFolder } from './data-folder.ts'
import { Backlog } from './health/backlog.ts'
import { Meters } from './health/meters.ts'
import { metricsRoute } from './health/metrics-route.ts'
import { MeteredStore } from './health/store-meter.ts'
import { Vitals } from './health/vitals.ts'
import { hmacSha256 } from './hmac.ts'
import { Admission } from './http/admission.ts'
import { behindProxies, proxyList } from './http/client-address.ts'
import { defaultLimits } from './http/limits.ts'
import { platformRoutes } from './http/platform-routes.ts'
import { withSoundTexts } from './http/sound-texts.ts'
import { requestLine, type Log } from './log.ts'
import { reclaimers } from './operations/reclaim.ts'
import { rememberedKeys } from './operations/idempotency.ts'
import { dayMs, sweeper } from './operations/sweep.ts'
import { WorkQueue } from './operations/work-queue.ts'
import { startWorkers, type Workers } from './operations/workers.ts'
import { outside } from './outside.ts'
import { explainedUse, openStore } from './platform-store.ts'
import { referenceRoutes } from './reference/routes.ts'
import { startTime, type Time } from './store-time.ts'
import type { ServerStore } from './store/server-store.ts'
import { outageOf } from './store/sqlite/errors.ts'

/** Areas whose answers no cache may keep (conventions §1). */
const secretAreas: ReadonlySet<string> = new Set(['iam', 'vault'])

/** The whole platform without a listener. */
export interface Platform {
  readonly dispatch: Dispatch
  readonly signIn: SignIn
  /** Tells where the server listens, which is where callers reach it unless `base_url` says otherwise. */
  listensAt(url: string): void
  /** Refuses calls and takes up no work from now on; resolves when what has begun has ended, or was given back. */
  drain(): Promise<void>
  /** Ends the workers and closes the store. Calls that are being answered must have ended. */
  close(): Promise<void>
}

/** Where the numbers of a server are kept. */
export interface Counting {
  readonly meters: Meters
  /** How many connections callers have open. */
  readonly connections: () => number
}

/** Opens the store under `config.dataDir`, makes what exists from the first start, and mounts the areas. */
export async function compose(
  config: Config,
  log: Log,
  areas: readonly AreaModule[],
  openAccess: OpenAccess,
  counting: Counting = { meters: new Meters(), connections: () => 0 },
): Promise<Platform> {
  makeDataFolder(config.dataDir)
  const hold = enterDataFolder(config.dataDir)
  try {
    return await whileBusy(log, () => composeIn(hold, config, log, { areas, openAccess, counting }))
  } catch (error) {
    hold.release()
    throw await explainedUse(config, error)
  }
}

/** How long a start waits for a store that others keep busy. */
const busyMs = 60_000

/**
 * A server that starts among others has no calls to answer yet: it rather waits its turn than gives up. For room on a
 * disk whoever starts it has to see.
 */
async function whileBusy<R>(log: Log, start: () => Promise<R>): Promise<R> {
  const until = performance.now() + busyMs
  for (;;) {
    try {
      return await start()
    } catch (err) {
      const isUnavailable = err instanceof ApiError && err.reason === commonReasons.ENGINE_UNAVAILABLE.reason
      if (!isUnavailable || outageOf(err.cause) !== undefined || performance.now() > until) throw err
      log.warn({ err }, 'the store is busy; the start is tried again')
      await sleep(1000)
    }
  }
}

interface Composition {
  readonly areas: readonly AreaModule[]
  readonly openAccess: OpenAccess
  readonly counting: Counting
}

/** The hold goes with the platform that is made. */
async function composeIn(
  hold: FolderHold,
  config: Config,
  log: Log,
  { areas, counting, openAccess }: Composition,
): Promise<Platform> {
  const store = await openStore(config, areas)
  let time: Time | undefined
  let access: PlatformAccess | undefined
  try {
    time = await startTime(store, log)
    const clock = createClock(time.now)
    const queue = new WorkQueue()
    const { meters } = counting
    const max = config.http.limits?.maxInFlight ?? defaultLimits.maxInFlight
    const admission = new Admission(max, { clock, log, meters }, domainsOf(areas))
    const metered = new MeteredStore(store, meters.store)
    let address = config.baseUrl ?? ''
    const audit = outboxAudit(clock, taxonomyFunctions)
    access = await openAccess({
      store: metered,
      secrets: store,
      clock,
      log,
      config,
      baseUrl: () => address,
      audit,
      taxonomy: taxonomyFunctions,
      scopes: Object.fromEntries(areas.map(({ domain, scopes }) => [domain.name, scopes])),
    })
    const working = Promise.withResolvers<Workers>()
    const probe = async (): Promise<void> => (await working.promise).probe()
    const foundation = { store: metered, secrets: store, clock, log, queue, admission, counting, audit, access, probe }
    const dispatch = await assemble(foundation, config, areas)
    const signIn = await access.begin()
    const { end } = access
    const operations = areas.map(area => area.operations)
    const { operationsKeptDays } = config
    const kept = operationsKeptDays === undefined ? {} : { operationsMs: operationsKeptDays * dayMs }
    const periodic = [sweeper(clock, operations, kept), ...reclaimers(store), ...access.periodic]
    const parts = { store: metered, clock, log, queue, steps: meters.steps }
    const workers = await startWorkers(parts, periodic)
    working.resolve(workers)
    const { stop } = time
    // A store that is away keeps nobody from ending: others take over what is left once its leases have run out.
    const stopWorkers = (): Promise<void> =>
      workers.stop().catch((err: unknown) => log.warn({ err }, 'the leases of this process could not be given back'))
    return {
      dispatch,
      signIn,
      listensAt: url => void (address = config.baseUrl ?? url),
      drain: async () => void (await Promise.all([admission.drain(), stopWorkers()])),
      close: async () => {
        stop()
        await stopWorkers()
        await end()
        await store.close().finally(() => hold.release())
      },
    }
  } catch (error) {
    time?.stop()
    await access?.end()
    await store.close()
    throw error
  }
}

interface Foundation {
  readonly store: Store
  readonly secrets: Pick<ServerStore, 'secret'>
  readonly clock: Clock
  readonly log: Log
  readonly queue: WorkQueue
  readonly admission: Admission
  readonly counting: Counting
  readonly audit: Audit
  readonly access: PlatformAccess
  /** Writes something into the store. */
  readonly probe: () => Promise<void>
}

const domainsOf = (areas: readonly AreaModule[]): DispatcherOptions['domains'] => ({
  outside,
  areas: areas.map(({ domain }) => domain),
})

async function assemble(
  { store, secrets, clock, log, queue, admission, counting, audit, probe, access: platform }: Foundation,
  config: Config,
  areas: readonly AreaModule[],
): Promise<Dispatch> {
  const { access, doors, iam, principals, tree } = platform
  await store.tx(async tx => {
    for (const { start } of areas) await start?.(tx, clock.now())
  })
  const { watch, watchRoute } = denials(store, audit, log)
  const shared = { store, clock, log, access, principals, audit, queue, taxonomy: taxonomyFunctions }
  const parts = { ...shared, tree, iam, hooks: [] }
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
  const dispatch = dispatcher({
    routes: [
      ...platformRoutes(outside, areas, vitals),
      metricsRoute(outside, sources, config.metrics?.isPublic ?? false),
      ...referenceRoutes(
        outside,
        areas.map(({ domain }) => domain.name),
      ),
      ...platform.routes,
      ...areas.flatMap(area => area.mount(parts).map(withSoundTexts).map(watchRoute)),
    ],
    doors: watch(doors),
    clock,
    tokens: await pageTokensOf(secrets),
    domains: domainsOf(areas),
    log: entry => {
      counting.meters.calls.record(entry)
      line(entry)
    },
    noStore: ({ domain }) => secretAreas.has(domain.name),
  })
  const admitted = admission.admit(dispatch)
  const { trustedProxies } = config.http
  return trustedProxies === undefined ? admitted : behindProxies(admitted, proxyList(trustedProxies))
}

async function pageTokensOf(store: Pick<ServerStore, 'secret'>): Promise<PageTokens> {
  return pageTokens(hmacSha256(await store.secret('page_token')))
}
