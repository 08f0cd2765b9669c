import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, commonReasons } from '../runtime/errors.ts'
import type { Dispatch } from '../runtime/wire.ts'
import type { OpenAccess, PlatformAccess, SignIn } from './access/platform-access.ts'
import type { AreaModule } from './area.ts'
import { outboxAudit } from './audit/outbox.ts'
import { createClock } from './clock.ts'
import { enterDataFolder, type FolderHold } from './backup/folder-hold.ts'
import type { Config } from './config.ts'
import { makeDataFolder } from './data-folder.ts'
import type { Counting } from './meters/counting.ts'
import { Meters } from './meters/meters.ts'
import { MeteredStore } from './meters/store-meter.ts'
import type { HealthReports } from './health/listener/health-listener.ts'
import { Admission } from './http/admission.ts'
import { defaultHttpLimits } from './http/limits.ts'
import { Turns } from './http/turns.ts'
import { type Log } from './log.ts'
import { reclaimers } from './operations/reclaim.ts'
import { dayMs, sweeper } from './operations/sweep.ts'
import { WorkQueue } from './operations/work-queue.ts'
import { recordedCounts } from './audit/recorded-counts.ts'
import { Owner } from './operations/owners.ts'
import { leaseTimes, startWorkers, type Workers } from './operations/workers.ts'
import { type Sites } from './planes/serve-planes.ts'
import { explainedUse, openStore, serverCollections } from './platform-store.ts'
import { requireSoundAreas } from './sound-areas.ts'
import { startTime, type Time } from './store-time.ts'
import { outageOf } from './store/sqlite/errors.ts'
import { assemble, domainsOf, functionsOf, platformResolver, type Assembled } from './assemble.ts'

/** The whole platform without a listener. */
export interface Platform {
  /** The dispatch of the main site: `sites.main`. */
  readonly dispatch: Dispatch
  readonly sites: Sites
  readonly signIn: SignIn
  /** The reports for a separate listener. */
  readonly health: HealthReports
  /** Sets the URL of the listener, which is the base URL unless `base_url` is configured. */
  listensAt(url: string): void
  /**
   * Refuses new calls and starts no work from now on; resolves once running calls and running work have ended, or the
   * leases of the work are released.
   */
  drain(): Promise<void>
  /** Ends the workers and closes the store. All calls must have ended. */
  close(): Promise<void>
}

/**
 * Opens the store of `config`, creates the rows of the first start, and mounts the areas. Throws for faults in the
 * declarations of areas, most of them before anything is created.
 */
export async function compose(
  config: Config,
  log: Log,
  areas: readonly AreaModule[],
  openAccess: OpenAccess,
  counting: Counting = { meters: new Meters(), connections: () => 0 },
  // Without a listener, no connection waits while calls wait.
  turns: Turns = new Turns({ patienceMs: Infinity }),
): Promise<Platform> {
  requireSoundAreas(areas, serverCollections)
  makeDataFolder(config.dataDir)
  const hold = enterDataFolder(config.dataDir)
  try {
    return await whileBusy(log, () => composeIn(hold, config, log, { areas, openAccess, counting, turns }))
  } catch (error) {
    hold.release()
    throw await explainedUse(config, error)
  }
}

/** The maximal wait of a start for a busy store, in milliseconds. */
const busyMs = 60_000

/**
 * Repeats the start while the store is busy: a starting server has no calls to answer yet, so the start can wait. A
 * full disk is no reason to wait, because a person must make room.
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
  readonly turns: Turns
}

/** Composes the platform, which then owns the hold and releases the hold in `close`. */
async function composeIn(
  hold: FolderHold,
  config: Config,
  log: Log,
  { areas, counting, openAccess, turns }: Composition,
): Promise<Platform> {
  const store = await openStore(config, areas)
  let time: Time | undefined
  let access: PlatformAccess | undefined
  let assembled: Assembled | undefined
  try {
    time = await startTime(store, log)
    const clock = createClock(time.now)
    const queue = new WorkQueue()
    const { meters } = counting
    const max = config.http.limits?.maxInFlight ?? defaultHttpLimits.maxInFlight
    const admission = new Admission(max, turns, { clock, log, meters }, domainsOf(areas))
    const metered = new MeteredStore(store, meters.store)
    let address = config.baseUrl ?? ''
    const functions = functionsOf(areas)
    const taxonomy = functions.require('taxonomy')
    const audit = outboxAudit(clock, taxonomy)
    access = await openAccess({
      store: metered,
      secrets: store,
      clock,
      log,
      config,
      meters,
      baseUrl: () => address,
      audit,
      taxonomy,
      scopes: Object.fromEntries(areas.map(({ domain, scopes }) => [domain.name, scopes])),
      resolve: platformResolver(areas),
    })
    functions.provide('iam', access.functions)
    const working = Promise.withResolvers<Workers>()
    const probe = async (): Promise<void> => (await working.promise).probe()
    const owner = new Owner({ store: metered, clock, log }, leaseTimes)
    const foundation = {
      store: metered,
      secrets: store,
      clock,
      log,
      queue,
      admission,
      counting,
      audit,
      access,
      probe,
      processes: owner,
      functions,
      consoleUrl: () => config.consoleUrl ?? address,
      baseUrl: () => address,
    }
    assembled = await assemble(foundation, config, areas)
    const { endAreas, health, opened, sites, workers: areaWorkers } = assembled
    const signIn = await access.begin()
    const notices = opened.flatMap(each => each.notices)
    const { end } = access
    const operations = areas.map(area => area.operations)
    const { operationsKeptDays } = config
    const kept = operationsKeptDays === undefined ? {} : { operationsMs: operationsKeptDays * dayMs }
    const periodic = [sweeper(clock, operations, kept), ...reclaimers(store), ...access.periodic, ...areaWorkers]
    const parts = { store: metered, clock, log, queue, owner, steps: meters.steps }
    const workers = await startWorkers(parts, periodic)
    working.resolve(workers)
    const counts = recordedCounts(audit, metered, log)
    const { stop } = time
    // An unreachable store does not delay the end: other servers take over once the leases have expired.
    const stopWorkers = (): Promise<void> =>
      workers.stop().catch((err: unknown) => log.warn({ err }, 'the leases of this process could not be given back'))
    return {
      dispatch: sites.main.dispatch,
      sites,
      signIn: url => [...notices, ...signIn(url)],
      health,
      listensAt(url) {
        address = config.baseUrl ?? url
        for (const { listensAt } of sites.main.planes) listensAt?.(address)
      },
      drain: async () => void (await Promise.all([admission.drain(), stopWorkers()])),
      close: async () => {
        stop()
        await counts.end()
        await stopWorkers()
        await endAreas()
        await end()
        for (const each of opened) each.close()
        await store.close().finally(() => hold.release())
      },
    }
  } catch (error) {
    time?.stop()
    await assembled?.endAreas()
    await access?.end()
    await store.close()
    throw error
  }
}
