import Fastify, { LogController, type FastifyInstance } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerClientError, nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { Dispatch } from '../../runtime/wire.ts'
import { createClock } from '../clock.ts'
import type { Meters, Refusal } from '../meters/meters.ts'
import { logOptions, type LogLevel } from '../log.ts'
import { inParts } from './answer-parts.ts'
import { Connections, type RequestRules } from './connections.ts'
import type { HttpLimits } from './limits.ts'
import { identified } from './refusals.ts'
import type { Turns } from './turns.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** The time after the longest time limit of a connection, in milliseconds, after which an idle connection is closed. */
const idleMarginMs = 5000

/** The maximal interval between checks for late requests, in milliseconds. */
const lateCheckMs = 5000

/** The parts of an app. */
export interface AppOptions {
  /** The error domain of unreadable requests, and their error form if it differs. */
  readonly outside: ErrorDomain
  readonly renderError?: RenderError | undefined
  readonly limits: HttpLimits
  /** The level of the log; absent: info. */
  readonly logLevel?: LogLevel | undefined
  readonly meters: Meters
  /** The turns of the calls of the app. */
  readonly turns: Pick<Turns, 'accepted'>
}

/** An app and its open connections. */
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

/**
 * The time in milliseconds after which the connection of an unreadable request is destroyed, because its caller may
 * continue to send.
 */
const farewellMs = 2000

/**
 * Returns a Fastify app whose own answers are disabled. Fastify would decode paths before `:verb` suffixes are seen,
 * and answer malformed URLs, unknown content types and unknown methods in its own form; here Fastify neither parses nor
 * routes.
 */
export function createApp({ outside, renderError, limits, logLevel = 'info', meters, turns }: AppOptions): App {
  const { headersMs, keepAliveMs, maxConnections, requestMs, writeMs } = limits
  const clock = createClock()
  const app = Fastify({
    logger: { ...logOptions, level: logLevel },
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
    // The connections below apply the time limits of bodies.
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
  // Node.js would drop headers beyond a number without an error; their bytes are limited.
  app.server.maxHeadersCount = 0
  app.server.on('connection', () => turns.accepted())
  app.server.on('drop', () => {
    turns.accepted()
    meters.refused('connections')
  })
  return { app, connections }
}

/**
 * The causes of requests that node:http could not read, keyed by error code; any other code means a malformed request.
 */
const causes: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}

/** Returns the rules of a request by its target; undefined for the rules of the server. */
export type RulesOf = (target: string) => RequestRules | undefined

/** Passes every request unchanged to `dispatch`, whatever its method and path, and sends long answers in parts. */
export function mount({ app, connections }: App, dispatch: Dispatch, rulesOf: RulesOf = () => undefined): void {
  const serve = nodeHost(inParts(dispatch))
  const host = inTurn((request, response, proceed) => {
    connections.begin(request, response, rulesOf(request.url ?? ''))
    serve(request, response, proceed)
  })
  // Without this listener, Node.js would answer an unknown `Expect` in its own form.
  app.server.on('checkExpectation', (request, response) => host(request, response))
  // A caller with `Expect: 100-continue` is asked for its body only when the body is read, so that a refusal comes
  // before.
  app.server.on('checkContinue', (request, response) => host(request, response, () => response.writeContinue()))
  // Fastify's own listener would make a request, a reply and a logger for each request, which stay in memory as long as
  // the request waits for its turn.
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => host(request, response))
  // The host `localhost` may have two addresses, and Fastify makes a server of its own for the second address.
  app.addHook('onRequest', async (request, reply) => {
    reply.hijack()
    request.raw.url = request.originalUrl
    host(request.raw, reply.raw)
  })
}

/**
 * Returns a host that begins a request once the earlier requests of its connection are answered and their answers were
 * taken. Node.js would begin all pipelined requests concurrently, even a thousand of a caller that never reads.
 */
function inTurn(host: Host): Host {
  return (request, response, proceed) => {
    if (response.socket === null) response.once('socket', () => host(request, response, proceed))
    else host(request, response, proceed)
  }
}

type Host = (request: IncomingMessage, response: ServerResponse, proceed?: () => void) => void

/** Accepts no new connection, lets running requests end within `graceMs`, then closes the remaining connections. */
export async function closeApp({ app, connections }: App, graceMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs)
  // Idle connections stay open for further requests, so a closing server must close them.
  const sinceMs = performance.now()
  const release = setInterval(() => {
    app.server.closeIdleConnections()
    connections.closeUnused(sinceMs)
  }, 20)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(release)
  }
}
