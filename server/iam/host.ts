import { existsSync } from 'node:fs'
import type { AccountServices } from '../../domain/iam/service-accounts/account-keys.ts'
import type { AdministratorServices } from '../../domain/iam/users/administrator-account.ts'
import { LiveFeed } from '../../domain/iam/feed/live-feed.ts'
import { passwordsOf } from '../../domain/iam/credentials/stored-passwords.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { iam } from '../../output/iam/errors.ts'
import { operationsList } from '../../output/iam/filters.ts'
import { checkIamOperation } from '../../output/iam/validators.ts'
import type { AreaModule } from '../area.ts'
import { outboxAudit } from '../audit/outbox.ts'
import { enterDataFolder, type FolderHold } from '../backup/folder-hold.ts'
import { createClock } from '../clock.ts'
import type { ServerConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { operationsOf } from '../operations/operations.ts'
import { WorkQueue } from '../operations/work-queue.ts'
import { explainedUse, openStore, placeName, storeFile } from '../platform-store.ts'
import { startTime } from '../store-time.ts'
import { hashedAtOnce } from './hashing-room.ts'
import { leasePlace } from './lease-place.ts'

/** The parts of host commands. */
export type HostServices = AccountServices & AdministratorServices

/**
 * Runs `work` on the store of a platform for a command on its machine, also while servers run, and returns the result.
 * Servers apply the changes as they apply the changes of other servers (iam.md 4.3). Throws if the data folder has no
 * store.
 */
export async function asHost<R>(
  config: ServerConfig,
  areas: readonly AreaModule[],
  work: (parts: HostServices) => Promise<R>,
): Promise<R> {
  const isFile = config.storeUrl === undefined
  if (isFile && !existsSync(storeFile(config.dataDir))) {
    throw new Error(`there is no store at ${placeName(config)}; "ninefold serve" makes one`)
  }
  // The hold prevents a restore over the file while the command writes to it.
  const hold: FolderHold | undefined = isFile ? enterDataFolder(config.dataDir) : undefined
  try {
    const store = await openStore(config, areas)
    const time = await startTime(store, said)
    try {
      const clock = createClock(time.now)
      const audit = outboxAudit(clock, taxonomyFunctions)
      const sources = { store, clock, audit, queue: new WorkQueue() }
      // The command answers no calls, so it has no lease and applies no changes. The feed only publishes the changes of
      // the command and waits for the servers.
      const feed = new LiveFeed({ store, clock, listeners: [], leases: await leasePlace(store) })
      const result = await work({
        store,
        clock,
        operations: operationsOf(sources, { domain: iam, list: operationsList, check: checkIamOperation }),
        taxonomy: taxonomyFunctions,
        feed,
        passwords: passwordsOf({ atOnce: hashedAtOnce() }),
        settings: settingsOf(config),
      })
      if (feed.lastMade !== undefined && !(await feed.settled(feed.lastMade))) {
        said.warn({}, 'it is written, but a server that runs has not followed yet')
      }
      return result
    } finally {
      time.stop()
      await store.close()
    }
  } catch (error) {
    throw await explainedUse(config, error)
  } finally {
    hold?.release()
  }
}

/**
 * Returns the URLs of the platform. Without a configured URL, the platform is assumed to listen at its configured port.
 */
function settingsOf({ baseUrl, consoleUrl, http }: ServerConfig): HostServices['settings'] {
  const host = http.host.includes(':') ? `[${http.host}]` : http.host
  const reached = baseUrl ?? `http://${host}:${http.port}`
  return { baseUrl: reached, consoleUrl: consoleUrl ?? reached }
}

const ignore = (): void => {}

/** The log of a command, which prints warnings and errors only. */
const said: Log = {
  debug: ignore,
  info: ignore,
  warn: (_, message) => console.error(`ninefold: ${message}`),
  error: (_, message) => console.error(`ninefold: ${message}`),
}
