import { createServer } from 'node:http'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { dispatcher } from '../../../runtime/call.ts'
import { answerClientError, nodeHost, serverOptions } from '../../../runtime/hosts/node.ts'
import { createClock } from '../../clock.ts'
import { outside } from '../../platform-domain.ts'
import { healthRoutes } from '../health-routes.ts'
import { metricsRoute } from '../metrics-route.ts'
import { LastReports } from './last-reports.ts'
import type { FromThread, ThreadSettings, ToThread } from './messages.ts'

/** This program answers requests about health and metrics in a thread of the server, from the server's reports. */

/** The time limit of a request in milliseconds, and the maximal number of connections. */
const requestMs = 10_000
const maxConnections = 1000

if (parentPort === null) throw new Error('this file is a thread of the server')
listen(parentPort, workerData)

function listen(port: MessagePort, settings: ThreadSettings): void {
  const post = (message: FromThread): void => port.postMessage(message)
  const reports = new LastReports(() => post({ kind: 'metrics' }))
  port.on('message', (message: ToThread) => reports.take(message))
  const dispatch = dispatcher({
    routes: [...healthRoutes(outside, reports), metricsRoute(outside, () => reports.metrics(), settings.isPublic)],
    doors: { authenticate: async () => undefined, authorize: async () => {} },
    clock: createClock(),
    domains: { outside },
    // Probes have no line in the log of the server either.
    log: () => {},
  })
  const limits = { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 }
  const server = createServer({ ...serverOptions, ...limits }, nodeHost(dispatch))
  server.maxConnections = maxConnections
  // The bytes of the headers are limited, as on the main listener. A header beyond a number, such as X-Forwarded-For, must
  // not be dropped.
  server.maxHeadersCount = 0
  server.on('clientError', (error, socket) => answerClientError(error, socket, outside))
  server.once('error', error => {
    post({ kind: 'failed', message: error.message, code: 'code' in error ? String(error.code) : '' })
  })
  server.listen(settings.port, settings.host, () => {
    const address = server.address()
    const listening = typeof address === 'object' && address !== null ? address.port : settings.port
    const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
    post({ kind: 'listening', url: `http://${host}:${listening}` })
  })
}
