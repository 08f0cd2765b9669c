import { createHmac } from 'node:crypto'
import type { Clock } from '../domain/ports/clock.ts'
import type { Store } from '../domain/ports/store.ts'
import { taxonomyFunctions } from '../domain/taxonomy/functions.ts'
import { dispatcher, type DispatcherOptions } from '../runtime/call.ts'
import { pageTokens, type PageTokens } from '../runtime/page-token.ts'
import type { ErrorDomain } from '../runtime/route.ts'
import type { Dispatch } from '../runtime/wire.ts'
import { bootstrapAccess, bootstrapPrincipals } from './access/bootstrap.ts'
import { bootstrapToken } from './access/token-file.ts'
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
import { Admission } from './http/admission.ts'
import { defaultLimits } from './http/limits.ts'
import { platformRoutes } from './http/platform-routes.ts'
import { requestLine, type Log } from './log.ts'
import { reclaimers } from './operations/reclaim.ts'
import { dayMs, sweeper } from './operations/sweep.ts'
import { WorkQueue } from './operations/work-queue.ts'
import { startWorkers } from './operations/workers.ts'
import { openStore } from './platform-store.ts'
import { referenceRoutes } from './reference/routes.ts'
import { startTime, type Time } from './store-time.ts'
import type { ServerStore } from './store/server-store.ts'

/** Whose errors those outside every area are (conventions §7). */
export const outside: ErrorDomain = { name: 'ninefold', base: 0 }

/** Areas whose answers no cache may keep (conventions §1). */
const secretAreas: ReadonlySet<string> = new Set(['iam', 'vault'])

/** The whole platform without a listener. */
export interface Platform {
  readonly dispatch: Dispatch
  /** Where the token of the bootstrap administrator lies. */
  readonly tokenFile: string
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
  counting: Counting = { meters: new Meters(), connections: () => 0 },
): Promise<Platform> {
  makeDataFolder(config.dataDir)
  const hold = enterDataFolder(config.dataDir)
  try {
    return await composeIn(hold, config, log, areas, counting)
  } catch (error) {
    hold.release()
    throw error
  }
}

/** The hold goes with the platform that is made. */
async function composeIn(
  hold: FolderHold,
  config: Config,
  log: Log,
  areas: readonly AreaModule[],
  counting: Counting,
): Promise<Platform> {
  const store = await openStore(config, areas)
  let time: Time | undefined
  try {
    time = await startTime(store, log)
    const clock = createClock(time.now)
    const { token, file: tokenFile, wasExposed } = await bootstrapToken(config.dataDir)
    if (wasExposed)
      log.warn({ file: tokenFile }, 'others could read the bootstrap token; its file is closed to them now')
    const queue = new WorkQueue()
    const { meters } = counting
    const max = config.http.limits?.maxInFlight ?? defaultLimits.maxInFlight
    const admission = new Admission(max, { clock, log, meters }, domainsOf(areas))
    const metered = new MeteredStore(store, meters.store)
    const foundation = { store: metered, secrets: store, clock, log, queue, admission, counting }
    const dispatch = await assemble(foundation, config, token, areas)
    const operations = areas.map(area => area.operations)
    const { operationsKeptDays } = config
    const kept = operationsKeptDays === undefined ? {} : { operationsMs: operationsKeptDays * dayMs }
    const periodic = [sweeper(clock, operations, kept), ...reclaimers(store)]
    const parts = { store: metered, clock, log, queue, steps: meters.steps }
    const workers = await startWorkers(parts, periodic)
    const { stop } = time
    // A store that is away keeps nobody from ending: others take over what is left once its leases have run out.
    const stopWorkers = (): Promise<void> =>
      workers.stop().catch((err: unknown) => log.warn({ err }, 'the leases of this process could not be given back'))
    return {
      dispatch,
      tokenFile,
      drain: async () => void (await Promise.all([admission.drain(), stopWorkers()])),
      close: async () => {
        stop()
        await stopWorkers()
        await store.close().finally(() => hold.release())
      },
    }
  } catch (error) {
    time?.stop()
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
}

const domainsOf = (areas: readonly AreaModule[]): DispatcherOptions['domains'] => ({
  outside,
  areas: areas.map(({ domain }) => domain),
})

async function assemble(
  { store, secrets, clock, log, queue, admission, counting }: Foundation,
  config: Config,
  token: string,
  areas: readonly AreaModule[],
): Promise<Dispatch> {
  const { doors, access, principals } = await bootstrapAccess(store, clock, token)
  await store.tx(async tx => {
    for (const { start } of areas) await start?.(tx, clock.now())
  })
  const audit = outboxAudit(clock, taxonomyFunctions)
  const { watch, watchRoute } = denials(store, audit, log)
  const parts = { store, clock, log, access, principals, audit, queue, taxonomy: taxonomyFunctions, hooks: [] }
  const vitals = { probe: () => store.count(bootstrapPrincipals), isDraining: () => admission.isDraining }
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
      ...areas.flatMap(area => area.mount(parts).map(watchRoute)),
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
  return admission.admit(dispatch)
}

async function pageTokensOf(store: Pick<ServerStore, 'secret'>): Promise<PageTokens> {
  const key = await store.secret('page_token')
  return pageTokens(text => createHmac('sha256', key).update(text).digest())
}
