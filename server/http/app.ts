import Fastify, { LogController, type FastifyInstance } from 'fastify'
import { answerClientError, nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import type { ErrorDomain } from '../../runtime/route.ts'
import type { Dispatch } from '../../runtime/wire.ts'
import { logOptions } from '../log.ts'

/** How long callers may take; a connection that exceeds one of them is closed, with 408 where that can be said. */
const timeouts = { headersMs: 15_000, requestMs: 120_000, idleConnectionMs: 125_000, keepAliveMs: 65_000 } as const

/** In-flight calls have this long to end before their connections are cut. */
const closeGraceMs = 10_000

/**
 * Fastify with its own answers out of the way: it parses, routes and refuses nothing, since it would decode paths
 * before `:verb` suffixes are seen and answer broken URLs, odd content types and unknown methods in its own form.
 * `outside` is the domain of what could not be read as a request.
 */
export function createApp(outside: ErrorDomain): FastifyInstance {
  return Fastify({
    logger: logOptions,
    logController: new LogController({ disableRequestLogging: true }),
    rewriteUrl: () => '/',
    clientErrorHandler: (error, socket) => answerClientError(error, socket, outside),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleConnectionMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: { ...serverOptions, headersTimeout: timeouts.headersMs, connectionsCheckingInterval: 5000 },
  })
}

/** Hands every request, whatever its method and path, to `dispatch` as it came in. */
export function mount(app: FastifyInstance, dispatch: Dispatch): void {
  const host = nodeHost(dispatch)
  // Node answers an unknown `Expect` by itself, without a word of ours; the call says all that is to say.
  app.server.on('checkExpectation', host)
  app.addHook('onRequest', async (request, reply) => {
    reply.hijack()
    request.raw.url = request.originalUrl
    host(request.raw, reply.raw)
  })
}

/** Takes no new connection, lets calls end within ten seconds, then cuts what is left. */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), closeGraceMs)
  // A connection whose call has ended stays open for the next one, which a closing server does not want.
  const release = setInterval(() => app.server.closeIdleConnections(), 20)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(release)
  }
}
