import { createHmac } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import type { Clock } from '../domain/ports/clock.ts'
import { taxonomyFunctions } from '../domain/taxonomy/functions.ts'
import { dispatcher } from '../runtime/call.ts'
import { pageTokens, type PageTokens } from '../runtime/page-token.ts'
import type { ErrorDomain } from '../runtime/route.ts'
import type { Dispatch } from '../runtime/wire.ts'
import { bootstrapAccess, bootstrapPrincipals } from './access/bootstrap.ts'
import { bootstrapToken } from './access/token-file.ts'
import type { AreaModule } from './area.ts'
import { denials } from './audit/denials.ts'
import { outboxAudit } from './audit/outbox.ts'
import { createClock } from './clock.ts'
import type { Config } from './config.ts'
import { platformRoutes } from './http/platform-routes.ts'
import { requestLine, type Log } from './log.ts'
import { sweeper } from './operations/sweep.ts'
import { WorkQueue } from './operations/work-queue.ts'
import { startWorkers } from './operations/workers.ts'
import { storeCollections, storeFile } from './platform-store.ts'
import { referenceRoutes } from './reference/routes.ts'
import { openSqlite, type SqliteStore } from './store/sqlite.ts'

/** Whose errors those outside every area are (conventions §7). */
export const outside: ErrorDomain = { name: 'ninefold', base: 0 }

/** Areas whose answers no cache may keep (conventions §1). */
const secretAreas: ReadonlySet<string> = new Set(['iam', 'vault'])

/** The whole platform without a listener. */
export interface Platform {
  readonly dispatch: Dispatch
  /** Where the token of the bootstrap administrator lies. */
  readonly tokenFile: string
  /** Ends the workers and closes the store. Calls that are being answered must have ended. */
  close(): Promise<void>
}

/** Opens the store under `config.dataDir`, makes what exists from the first start, and mounts the areas. */
export async function compose(config: Config, log: Log, areas: readonly AreaModule[]): Promise<Platform> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const { token, file: tokenFile, wasExposed } = await bootstrapToken(config.dataDir)
  if (wasExposed) log.warn({ file: tokenFile }, 'others could read the bootstrap token; its file is closed to them now')
  const store = await openStore(config.dataDir, areas)
  const clock = createClock()
  try {
    const queue = new WorkQueue()
    const dispatch = await assemble({ store, clock, log, queue }, token, areas)
    const operations = areas.map(area => area.operations)
    const workers = await startWorkers({ store, clock, log, queue }, [sweeper(clock, operations)])
    const close = (): Promise<void> => workers.stop().finally(() => store.close())
    return { dispatch, tokenFile, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Foundation {
  readonly store: SqliteStore
  readonly clock: Clock
  readonly log: Log
  readonly queue: WorkQueue
}

async function assemble(
  { store, clock, log, queue }: Foundation,
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
  const probe = (): Promise<unknown> => store.count(bootstrapPrincipals)
  return dispatcher({
    routes: [
      ...platformRoutes(outside, areas, probe),
      ...referenceRoutes(
        outside,
        areas.map(({ domain }) => domain.name),
      ),
      ...areas.flatMap(area => area.mount(parts).map(watchRoute)),
    ],
    doors: watch(doors),
    clock,
    tokens: await pageTokensOf(store),
    domains: { outside, areas: areas.map(({ domain }) => domain) },
    log: requestLine(log),
    noStore: ({ domain }) => secretAreas.has(domain.name),
  })
}

/** The file holds keys, so it belongs to its owner alone; SQLite gives its log files the same rights. */
async function openStore(dataDir: string, areas: readonly AreaModule[]): Promise<SqliteStore> {
  const file = storeFile(dataDir)
  await (await open(file, 'a', 0o600)).close()
  return openSqlite({ file, collections: storeCollections(areas) })
}

async function pageTokensOf(store: SqliteStore): Promise<PageTokens> {
  const key = await store.secret('page_token')
  return pageTokens(text => createHmac('sha256', key).update(text).digest())
}
