import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { StorePlace } from '../../../server/platform-store.ts'
import { servedPlatform, type ServedPlatform } from '../../server/iam/served-platform.ts'
import { Journal } from '../../server/killed/journal.ts'
import { freePort } from '../../server/killed/processes.ts'
import type { Client } from './client-process.ts'
import { restartsOf, type Restarts } from './restarts.ts'

/** Two hundred kills: `NINEFOLD_KILL_ROUNDS=200 npx vitest run test/domain/network/kill-load.test.ts` */
export const killRounds = Number(process.env['NINEFOLD_KILL_ROUNDS'] ?? 3)

/** How long a test of so many kills may take, in milliseconds. */
export const killTimeout = 120_000 + killRounds * 20_000

/** Calls that are answered between two kills, at most: how long they take depends on the machine. */
const mostCalls = 40

/** A kill follows the last of these calls within so many milliseconds, so that it may cut any of the next calls. */
const latestMs = 30

/** How long the answers between two kills are waited for. */
const silentMs = 60_000

/** A token of the administrator lasts 15 minutes, and a run of hundreds of kills longer. */
const tokenMs = 5 * 60_000

/** Servers of one store, each in a process of its own, which keep their ports over restarts. */
export interface Served {
  readonly addresses: readonly string[]
  readonly servers: readonly ServedPlatform[]
  /** Kills a server and starts it anew; answers the milliseconds from its start until it listens. */
  restart(at: number): Promise<number>
}

/** The options of `serve`. */
export interface ServeOptions {
  /** The path of a program that serves in place of `ninefold serve`. */
  readonly program?: string
  /** Settings of the servers, by the names of their variables. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts so many servers over a place, each in a process; they are killed with the running test. */
export async function serve(
  place: StorePlace,
  count: number,
  { program, settings: given = {} }: ServeOptions = {},
): Promise<Served> {
  const start = (port: number): Promise<ServedPlatform> => {
    const settings = {
      ...given,
      NINEFOLD_DATA_DIR: place.dataDir,
      NINEFOLD_HTTP_PORT: String(port),
      ...(place.storeUrl !== undefined && { NINEFOLD_STORE_URL: place.storeUrl }),
    }
    return servedPlatform(settings, onTestFinished, program)
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

/** The result of a load. */
export interface Killed {
  readonly journal: Journal
  readonly restarts: Restarts
}

/**
 * Kills the servers in turn under a load, each when some calls were answered since the last kill, and the process of
 * the clients once, half-way. `startClients` starts one whose things have names that begin with the name it is given, and
 * that calls with a token of the administrator until it is given a newer one.
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
    await answers(journal, Math.ceil(Math.random() * mostCalls))
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

/** Resolves when so many further calls were answered. */
async function answers({ outcomes }: Journal, count: number): Promise<void> {
  const enough = outcomes.size + count
  const until = performance.now() + silentMs
  while (outcomes.size < enough) {
    if (performance.now() > until) throw new Error(`${enough - outcomes.size} of ${count} calls are not answered`)
    await sleep(5)
  }
}
