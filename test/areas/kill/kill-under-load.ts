import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { administrator } from '../../server/access/sign-in.ts'
import { servedPlatform, type ServedPlatform } from '../../server/iam/served-platform.ts'
import { Journal } from '../../server/killed/journal.ts'
import { freePort } from '../../server/killed/processes.ts'
import { signingIn, type Member } from '../members.ts'
import { patient } from '../patient-fetch.ts'
import type { Client } from './client-process.ts'
import { restartsOf, type Restarts } from './restarts.ts'

/**
 * The number of kills in a run, 3 by default. For two hundred kills: `NINEFOLD_KILL_ROUNDS=200 npx vitest run
 * test/domain/network/kill-load.test.ts`
 */
export const killRounds = Number(process.env['NINEFOLD_KILL_ROUNDS'] ?? 3)

/**
 * The time limit of a test with `killRounds` kills, in milliseconds. On a busy machine, a restart of one of two servers
 * takes more than half a minute.
 */
export const killTimeout = 300_000 + killRounds * 90_000

/**
 * The maximal number of answered calls between two kills. Unlike a time, a number of calls does not depend on the speed
 * of the machine.
 */
const mostCalls = 40

/**
 * The maximal delay of a kill after the last counted response, in milliseconds; the kill can interrupt any later call.
 */
const latestMs = 30

/** The maximal wait for the responses between two kills, in milliseconds. */
const silentMs = 300_000

/** The interval of new tokens in milliseconds: a token is valid for 15 minutes, and hundreds of kills take longer. */
const tokenMs = 5 * 60_000

/** Servers of one store, each in a process of its own; a restarted server keeps its port. */
export interface Served {
  readonly addresses: readonly string[]
  readonly servers: readonly ServedPlatform[]
  /**
   * Kills and restarts the server with the index `at`; returns the milliseconds from the new start until the server
   * listens.
   */
  restart(at: number): Promise<number>
}

/** The options of `serve`. */
export interface ServeOptions {
  /** The path of a program that serves instead of `ninefold serve`. */
  readonly program?: string
  /** Settings of the servers, keyed by the names of environment variables. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts `count` server processes over a place. The processes are killed at the end of the running test. */
export async function serve(
  place: StorePlace,
  count: number,
  { program, settings: given = {} }: ServeOptions = {},
): Promise<Served> {
  const start = async (port: number): Promise<ServedPlatform> => {
    const settings = {
      ...given,
      NINEFOLD_DATA_DIR: place.dataDir,
      NINEFOLD_HTTP_PORT: String(port),
      ...(place.storeUrl !== undefined && { NINEFOLD_STORE_URL: place.storeUrl }),
    }
    return patientAt(await servedPlatform(settings, onTestFinished, program))
  }
  const ports: number[] = []
  const servers: ServedPlatform[] = []
  for (let i = 0; i < count; i += 1) {
    const port = await freePort()
    ports.push(port)
    servers.push(await start(port))
  }
  return {
    addresses: ports.map(port => `http://127.0.0.1:${port}`),
    servers,
    async restart(at) {
      await servers[at]?.kill()
      const since = performance.now()
      servers[at] = await start(ports[at] ?? 0)
      return performance.now() - since
    },
  }
}

/**
 * Returns a server whose clients repeat the calls that the server refuses with 503: a new server may be full of the
 * calls of a load, or may have to read the latest changes of rights.
 */
function patientAt(server: ServedPlatform): ServedPlatform {
  const options = { baseUrl: server.url, retries: 0, fetch: patient(fetch) }
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ ...options, ...(token !== undefined && { token }) }))
  const signedIn = signingIn(as)
  const admin = (): Promise<Member> => signedIn(administrator.email, administrator.password)
  return { ...server, as, signedIn, admin }
}

/** The result of a load under kills: the journal of the clients, and the times of the restarts. */
export interface Killed {
  readonly journal: Journal
  readonly restarts: Restarts
}

/**
 * Kills the servers by turns under a load, each time after a random number of responses, and kills the process of the
 * clients once, half-way. `startClients` starts a client process that prefixes the names of its resources with `name`;
 * `token` is an access token of the administrator. Returns the journal and the times of the restarts.
 */
export async function killUnderLoad(
  { restart, servers }: Served,
  rounds: number,
  startClients: (name: string, journal: Journal, token: string) => Client,
): Promise<Killed> {
  const journal = new Journal()
  const startsMs: number[] = []
  let token = await newToken(servers[0])
  let until = 0
  let clients = startClients('early', journal, token)
  for (let round = 0; round < rounds; round += 1) {
    if (round === Math.floor(rounds / 2)) {
      await clients.kill()
      clients = startClients('late', journal, token)
    }
    await answers(journal, Math.ceil(Math.random() * mostCalls), clients)
    await sleep(Math.random() * latestMs)
    const at = round % servers.length
    startsMs.push(await restart(at))
    if (performance.now() < until) continue
    token = await newToken(servers[at])
    clients.renew(token)
    until = performance.now() + tokenMs
  }
  await clients.finish()
  return { journal, restarts: restartsOf(startsMs) }
}

async function newToken(server: ServedPlatform | undefined): Promise<string> {
  if (server === undefined) throw new Error('there is no server')
  return (await server.admin()).token
}

/**
 * Waits until `count` further calls have an outcome in the journal; throws after `silentMs`, and if the clients have
 * failed.
 */
async function answers({ outcomes }: Journal, count: number, clients: Client): Promise<void> {
  const enough = outcomes.size + count
  const until = performance.now() + silentMs
  while (outcomes.size < enough) {
    clients.requireRunning()
    if (performance.now() > until) throw new Error(`${enough - outcomes.size} of ${count} calls are not answered`)
    await sleep(5)
  }
}
