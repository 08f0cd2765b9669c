import { bind } from '../../runtime/bind.ts'
import { plainText } from '../../runtime/body.ts'
import { ApiError, commonReasons, stubReason, type ErrorDomain } from '../../runtime/errors.ts'
import type { BoundRoute, Route } from '../../runtime/route.ts'
import type { Exposition } from './exposition.ts'
import { isLoopback } from './loopback.ts'
import type { Sources } from './metrics.ts'
import type { Parameter } from '../../runtime/parameters/types.ts'

/** Headers that say that somebody passes the request on. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const

/** The header that a request was passed on with, if any, as its parameter. */
type Forwarding = { readonly [Name in (typeof forwardingHeaders)[number]]?: string }

/**
 * `/metrics` (conventions §18): the numbers of the server in the text format of Prometheus, for callers on the same
 * machine unless `isPublic`. What a proxy passes on comes from elsewhere, wherever the proxy runs.
 */
export function metricsRoute(domain: ErrorDomain, sources: Sources, isPublic: boolean): BoundRoute {
  const text = sharedText(sources)
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

/** Who asks while an answer is being made gets the same one: asking often must not cost more than asking. */
function sharedText(sources: Sources): () => Promise<string> {
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

/** What writes the format is loaded when somebody first asks: a server that nobody watches starts without it. */
async function load(sources: Sources): Promise<Exposition> {
  const { exposition } = await import('./exposition.ts').catch((error: unknown) => {
    if (!isMissingPackage(error)) throw error
    throw new ApiError(stubReason, 'metrics need the package "prom-client": npm install prom-client')
  })
  return exposition(sources)
}

const isMissingPackage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
