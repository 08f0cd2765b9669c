import type { FastifyInstance } from 'fastify'
import type { AreaModule } from './area.ts'
import type { OpenAccess } from './access/platform-access.ts'
import { compose } from './compose.ts'
import { outside } from './platform-domain.ts'
import type { Config } from './config.ts'
import { listenForHealth, type HealthListener } from './health/listener/health-listener.ts'
import { Meters } from './meters/meters.ts'
import { closeApp, createApp, mount, type App, type AppOptions } from './http/app.ts'
import { defaultHttpLimits } from './http/limits.ts'
import { Turns } from './http/turns.ts'
import { rulesOf, type OwnSite } from './planes/serve-planes.ts'

/** A listening server. */
export interface RunningServer {
  /** The URL of the server: `http://127.0.0.1:8080`. */
  readonly url: string
  /** The URLs of planes with an address of their own, with their prefixes: `http://10.0.0.1:5000/v2`. */
  readonly planeUrls: readonly string[]
  /** The URL of the separate listener for health and metrics; absent without the setting `health.listen`. */
  readonly healthUrl?: string
  /** The lines that explain to a person how to reach the server and how to sign in. */
  readonly greeting: readonly string[]
  /** Refuses new calls, lets running calls end within the limit, then closes connections and store. */
  close(): Promise<void>
}

/** The time limit of closing the store after the calls have ended, in milliseconds. */
const closeMs = 5000

/**
 * The maximal number of connections that wait in the kernel until the server accepts them; the kernel may set a lower
 * limit. Beyond this number, callers connect again after a second.
 */
const waitingConnections = 4096

/** The number of ports to try after a default port that is taken. */
const portAttempts = 20

/** Starts the whole platform in this process, and returns the listening server. */
export async function serve(
  config: Config,
  areas: readonly AreaModule[],
  openAccess: OpenAccess,
): Promise<RunningServer> {
  const limits = { ...defaultHttpLimits, ...config.http.limits }
  const { logLevel } = config
  const meters = new Meters()
  const turns = new Turns({ patienceMs: limits.waitMs })
  const main = createApp({ outside, limits, logLevel, meters, turns })
  const apps: App[] = [main]
  const { log } = main.app
  const connections = (): number => apps.reduce((sum, { connections }) => sum + connections.size, 0)
  const platform = await compose(config, log, areas, openAccess, { meters, connections }, turns)
  let health: HealthListener | undefined
  try {
    const { sites } = platform
    mount(main, sites.main.dispatch, rulesOf(sites.main.planes))
    const port = await listen(main.app, config.http)
    const url = urlOf(config.http.host, port)
    platform.listensAt(url)
    const planeUrls: string[] = []
    for (const site of sites.own) {
      const made = siteApp(site, { limits, logLevel, meters, turns })
      apps.push(made)
      planeUrls.push(...(await listenAt(made.app, site)))
    }
    if (config.health !== undefined) {
      health = await listenForHealth(config.health, config.metrics?.isPublic ?? false, platform.health, log)
    }
    return {
      url,
      planeUrls,
      ...(health !== undefined && { healthUrl: health.url }),
      greeting: [
        ...greetingOf(config, url, port, platform.signIn(config.baseUrl ?? url)),
        ...planeUrls.map(plane => `also listens on ${plane}`),
        ...(health === undefined ? [] : [`answers health and metrics on ${health.url}`]),
      ],
      async close() {
        const lateMs = performance.now() + limits.drainMs
        const drained = platform.drain()
        health?.report()
        await Promise.race([drained, passed(limits.drainMs)])
        const graceMs = Math.max(0, lateMs - performance.now())
        await Promise.all(apps.map(app => closeApp(app, graceMs)))
        const isClosed = await Promise.race([platform.close().then(() => true), passed(closeMs)])
        await health?.close()
        if (isClosed !== true) log.warn('the store does not answer, and is left as it is; leases run out by themselves')
      },
    }
  } catch (error) {
    await Promise.all(apps.map(app => closeApp(app, 0)))
    await health?.close()
    await platform.close()
    throw error
  }
}

/**
 * Returns an app for planes with an address of their own. Unreadable requests get the error form of a single plane; for
 * several planes, the form of the server.
 */
function siteApp(
  { dispatch, planes }: OwnSite,
  shared: Pick<AppOptions, 'limits' | 'logLevel' | 'meters' | 'turns'>,
): App {
  const [first] = planes
  const only = planes.length === 1 ? first : undefined
  const app = createApp({ outside: only?.domain ?? outside, renderError: only?.renderError, ...shared })
  mount(app, dispatch, rulesOf(planes))
  return app
}

/** Listens at the address of a site, and returns the URLs of its planes. */
async function listenAt(app: FastifyInstance, { address, planes }: OwnSite): Promise<string[]> {
  const port = await listen(app, { ...address, isPortOpen: false })
  const url = urlOf(address.host, port)
  for (const { listensAt } of planes) listensAt?.(url)
  return planes.map(({ prefix }) => url + prefix)
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const passed = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds).unref())

/** Listens on the configured port, or by default on the next free port; returns the port. */
async function listen(app: FastifyInstance, { host, port, isPortOpen }: Config['http']): Promise<number> {
  await app.ready()
  for (let attempt = port; ; attempt += 1) {
    try {
      await app.listen({ host, port: attempt, backlog: waitingConnections })
      const address = app.server.address()
      return typeof address === 'object' && address !== null ? address.port : attempt
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isTaken || !isPortOpen || attempt >= port + portAttempts) throw error
    }
  }
}

function greetingOf(config: Config, url: string, port: number, signIn: readonly string[]): string[] {
  const isMoved = config.http.isPortOpen && port !== config.http.port
  return [`ninefold listens on ${url}${isMoved ? ` (port ${config.http.port} is taken)` : ''}`, ...signIn]
}
