import { bind } from '../../runtime/bind.ts'
import { plainText } from '../../runtime/body.ts'
import { ApiError, commonReasons, stubReason, type ErrorDomain } from '../../runtime/errors.ts'
import type { BoundRoute, Route } from '../../runtime/route.ts'
import type { Exposition } from './exposition.ts'
import { isLoopback } from './loopback.ts'
import type { Sources } from './metrics.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'

/** The headers that proxies add to forwarded requests. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const

/** The forwarding headers of a request. */
type Forwarding = { readonly [Name in (typeof forwardingHeaders)[number]]?: string }

/**
 * Returns the route `/metrics` (conventions §18): the metrics of the server in the text format of Prometheus, for
 * callers on the same machine unless `isPublic`. A forwarded request counts as remote, wherever the proxy runs.
 */
export function metricsRoute(domain: ErrorDomain, text: () => Promise<string>, isPublic: boolean): BoundRoute {
  const route: Route<Forwarding, string> = {
    operationId: 'metrics',
    method: 'GET',
    path: ['/metrics'],
    parameters: forwardingHeaders.map((name): Parameter => ({ name, in: 'header', type: 'string' })),
    success: [{ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', kind: plainText }],
    domain,
    access: { kind: 'public' },
    check: (request): request is Forwarding => typeof request === 'object',
  }
  return bind(route, async (request, { clientAddress }) => {
    const isPassedOn = forwardingHeaders.some(name => request[name] !== undefined)
    if (isPublic || (isLoopback(clientAddress) && !isPassedOn)) return text()
    throw new ApiError(commonReasons.ROUTE_NOT_FOUND, 'metrics are shown on their own machine; see metrics.public')
  })
}

/**
 * Returns a function that formats the metrics. Concurrent requests share one text, so that many requests cost no more
 * than one.
 */
export function sharedText(sources: Sources): () => Promise<string> {
  let exposed: Promise<Exposition> | undefined
  let text: Promise<string> | undefined
  return () => {
    exposed ??= load(sources).catch((error: unknown) => {
      exposed = undefined
      throw error
    })
    text ??= exposed.then(({ text }) => text()).finally(() => (text = undefined))
    return text
  }
}

/** Loads the formatter on the first request, so that an unobserved server starts without it. */
async function load(sources: Sources): Promise<Exposition> {
  const { exposition } = await import('./exposition.ts').catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error
    throw new ApiError(stubReason, 'metrics need the package "prom-client": npm install prom-client')
  })
  return exposition(sources)
}

const isMissingPackage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
