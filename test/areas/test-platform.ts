import { inspect } from 'node:util'
import { onTestFinished } from 'vitest'
import { Ninefold } from '../../output/client.ts'
import type { OpenAccess } from '../../server/access/platform-access.ts'
import type { AreaModule } from '../../server/area.ts'
import { areas as allAreas } from '../../server/areas.ts'
import type { Config } from '../../server/config.ts'
import type { Log } from '../../server/log.ts'
import { storeCollections, type StorePlace } from '../../server/platform-store.ts'
import { administrator, administratorFile } from '../server/access/sign-in.ts'
import { openQuickIam } from '../server/iam/quick-iam.ts'
import { testFolder, testStoreUrl, type Later } from '../server/store/harness.ts'
import { signingIn, type Clients, type Member } from './members.ts'
import { openPlatform, type OpenedPlatform } from './open-platform.ts'

/** The options of `testPlatform`. */
export interface TestPlatformOptions {
  /** The mounted areas; by default all areas of the server. */
  readonly areas?: readonly AreaModule[]
  /** The guard; by default iam, as `ninefold serve` opens it, with cheap password hashes. */
  readonly openAccess?: OpenAccess
  /**
   * Settings that differ from the defaults of tests; `dataDir` and `storeUrl` can name the place of another platform.
   */
  readonly config?: Partial<Config>
  /** Registers the function that closes the platform; by default the platform closes at the end of the running test. */
  readonly later?: Later
  /** Replaces the log whose lines the platform records. */
  readonly log?: Log | undefined
}

/** A platform in this process for tests, with its log and its clients. */
export interface TestPlatform extends OpenedPlatform, Clients {
  /** The lines of the log; empty if the option `log` replaces the log. */
  readonly lines: readonly string[]
  /** Makes clients of all areas, whose calls are not retried. */
  as(token?: string, clientAddress?: string): Ninefold
  /** Signs in the administrator, a user with every permission; returns the administrator with tokens and a client. */
  admin(): Promise<Member>
}

/** Makes a place for a store of the test project, with the empty tables of the areas on PostgreSQL. */
export const areaPlace = async (areas: readonly AreaModule[], later: Later): Promise<StorePlace> => ({
  dataDir: testFolder(later),
  ...(await testStoreUrl(later, storeCollections(areas))),
})

/**
 * Starts a platform in this process without a socket, over an empty store of the test project unless `config` names a
 * place.
 */
export async function testPlatform(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { areas = allAreas, config: given = {}, later = onTestFinished, openAccess = openQuickIam } = options
  const dataDir = given.dataDir ?? testFolder(later)
  const config = {
    dataDir,
    bootstrap: { adminPasswordFile: administratorFile(dataDir) },
    ...(given.storeUrl === undefined && (await testStoreUrl(later, storeCollections(areas)))),
    ...given,
  }
  const lines: string[] = []
  const platform = await openPlatform({ config, areas, openAccess, log: options.log ?? logTo(lines) })
  later(() => platform.close())
  const as = (token?: string, clientAddress = '192.0.2.7'): Ninefold =>
    new Ninefold(platform.transport(token, { retries: 0, fetch: platform.from(clientAddress) }))
  const signedIn = signingIn(as)
  return { ...platform, lines, as, signedIn, admin: () => signedIn(administrator.email, administrator.password) }
}

/** Options by which the log shows errors with all their members. */
const whole = { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity }

function logTo(lines: string[]): Log {
  const line = (fields: object, message: string): void => void lines.push(`${message} ${inspect(fields, whole)}`)
  return { debug: line, info: line, warn: line, error: line }
}
