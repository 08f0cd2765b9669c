import Fastify, { LogController, type FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerClientError, nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { Dispatch } from '../../runtime/wire.ts'
import { createClock } from '../clock.ts'
import type { Meters, Refusal } from '../meters/meters.ts'
import { logOptions } from '../log.ts'
import { Connections, type RequestRules } from './connections.ts'
import type { HttpLimits } from './limits.ts'
import { identified } from './refusals.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** A connection on which nothing happens is closed so long after the last request could have arrived. */
const idleMarginMs = 5000

/** Requests that are late are looked for at least this often. */
const lateCheckMs = 5000

/** What an app is made with. */
export interface AppParts {
  /** The domain of what could not be read as a request, and the form of its errors where it has one. */
  readonly outside: ErrorDomain
  readonly renderError?: RenderError | undefined
  readonly limits: HttpLimits
  readonly meters: Meters
}

/** An app, and the connections that callers have to it. */
export interface App {
  readonly app: FastifyInstance
  readonly connections: Connections
}

/** A request whose body took too long, as node:http would report it. */
class LateBody extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
  readonly rules: RequestRules | undefined

  constructor(rules: RequestRules | undefined) {
    super('the body of a request did not arrive in time')
    this.rules = rules
  }
}

/** Whoever goes on sending after such an answer is cut off. */
const farewellMs = 2000

/**
 * Fastify with its own answers out of the way: it parses, routes and refuses nothing, since it would decode paths
 * before `:verb` suffixes are seen and answer broken URLs, odd content types and unknown methods in its own form.
 */
export function createApp({ outside, renderError, limits, meters }: AppParts): App {
  const { headersMs, keepAliveMs, maxConnections, requestMs, writeMs } = limits
  const clock = createClock()
  const app = Fastify({
    logger: logOptions,
    logController: new LogController({ disableRequestLogging: true }),
    rewriteUrl: () => '/',
    clientErrorHandler: (error, socket) => {
      const rules = (error instanceof LateBody ? error.rules : undefined) ?? { domain: outside, renderError }
      answerClientError(error, socket, rules.domain, (answer, told) => {
        const rendered = rules.renderError?.(answer, told) ?? answer
        return identified(rendered, told, causes[error.code] ?? 'malformed', { clock, log: app.log, meters })
      })
      setTimeout(() => socket.destroy(), farewellMs).unref()
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Bodies are waited for by the connections below.
    requestTimeout: 0,
    connectionTimeout: Math.max(requestMs, keepAliveMs, writeMs) + idleMarginMs,
    keepAliveTimeout: keepAliveMs,
    http: {
      ...serverOptions,
      requestTimeout: 0,
      headersTimeout: Math.min(headersMs, requestMs),
      connectionsCheckingInterval: Math.min(lateCheckMs, headersMs, requestMs),
    },
  })
  const connections = new Connections(
    { requestMs, writeMs },
    {
      onUnread() {
        meters.refused('unread')
        app.log.info({ cause: 'unread' }, 'connection cut')
      },
      onLate: (socket, rules) => void app.server.emit('clientError', new LateBody(rules), socket),
    },
  )
  connections.watch(app.server)
  app.server.maxConnections = maxConnections
  app.server.on('drop', () => meters.refused('connections'))
  return { app, connections }
}

/** What node:http could not read as a request, by its code; anything else is malformed. */
const causes: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}

/** The rules of a request by its target; undefined where those of the server hold. */
export type RulesOf = (target: string) => RequestRules | undefined

/** Hands every request, whatever its method and path, to `dispatch` as it came in. */
export function mount({ app, connections }: App, dispatch: Dispatch, rulesOf: RulesOf = () => undefined): void {
  const serve = nodeHost(dispatch)
  const host = inTurn((request, response, proceed) => {
    connections.expectBody(request, rulesOf(request.url ?? ''))
    serve(request, response, proceed)
  })
  // Node answers an unknown `Expect` by itself, without a word of ours; the call says all that is to say.
  app.server.on('checkExpectation', (request, response) => host(request, response))
  // A caller that waits to be asked for its body is asked when it is read, so that a refusal comes before.
  app.server.on('checkContinue', (request, response) => host(request, response, () => response.writeContinue()))
  app.addHook('onRequest', async (request, reply) => {
    reply.hijack()
    request.raw.url = request.originalUrl
    host(request.raw, reply.raw)
  })
}

/**
 * Begins a request when those before it on its connection are answered and their answers taken: node:http would begin
 * everything at once that arrives together, a thousand requests of a caller who never reads.
 */
function inTurn(host: Host): Host {
  return (request, response, proceed) => {
    if (response.socket === null) response.once('socket', () => host(request, response, proceed))
    else host(request, response, proceed)
  }
}

type Host = (request: IncomingMessage, response: ServerResponse, proceed?: () => void) => void

/** Takes no new connection, lets what is under way end within `graceMs`, then cuts what is left. */
export async function closeApp({ app, connections }: App, graceMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs)
  // A connection whose call has ended stays open for the next one, which a closing server does not want.
  const release = setInterval(() => {
    app.server.closeIdleConnections()
    connections.closeUnused()
  }, 20)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(release)
  }
}
