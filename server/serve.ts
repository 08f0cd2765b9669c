import type { FastifyInstance } from 'fastify'
import type { AreaModule } from './area.ts'
import type { OpenAccess } from './access/platform-access.ts'
import { compose } from './compose.ts'
import { outside } from './outside.ts'
import type { Config } from './config.ts'
import { Meters } from './health/meters.ts'
import { closeApp, createApp, mount } from './http/app.ts'
import { defaultLimits } from './http/limits.ts'

/** A server that listens. */
export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8080`. */
  readonly url: string
  /** What a person wants to know of it, line by line. */
  readonly greeting: readonly string[]
  /** Lets what has begun end within the limit, refusing what comes; then closes connections and store. */
  close(): Promise<void>
}

/** How long an end waits for its store when the calls have ended, milliseconds. */
const closeMs = 5000

/** Ports tried after a default port that is taken. */
const portAttempts = 20

/** Starts the whole platform in this process. */
export async function serve(
  config: Config,
  areas: readonly AreaModule[],
  openAccess: OpenAccess,
): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...config.http.limits }
  const meters = new Meters()
  const { app, connections } = createApp({ outside, limits, meters })
  const platform = await compose(config, app.log, areas, openAccess, { meters, connections: () => connections.size })
  try {
    mount(app, platform.dispatch)
    const port = await listen(app, config.http)
    const url = `http://${config.http.host.includes(':') ? `[${config.http.host}]` : config.http.host}:${port}`
    platform.listensAt(url)
    return {
      url,
      greeting: greetingOf(config, url, port, platform.signIn(config.baseUrl ?? url)),
      async close() {
        const lateMs = performance.now() + limits.drainMs
        await Promise.race([platform.drain(), passed(limits.drainMs)])
        await closeApp({ app, connections }, Math.max(0, lateMs - performance.now()))
        const isClosed = await Promise.race([platform.close().then(() => true), passed(closeMs)])
        if (isClosed !== true)
          app.log.warn('the store does not answer, and is left as it is; leases run out by themselves')
      },
    }
  } catch (error) {
    await platform.close()
    throw error
  }
}

const passed = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds).unref())

/** The port that is listened on: the configured one, or with nothing configured the next that is free. */
async function listen(app: FastifyInstance, { host, port, isPortOpen }: Config['http']): Promise<number> {
  await app.ready()
  for (let attempt = port; ; attempt += 1) {
    try {
      await app.listen({ host, port: attempt })
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
