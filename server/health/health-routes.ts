import { bind } from '../../runtime/bind.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'
import type { BoundRoute, Reply, Route } from '../../runtime/route.ts'
import type { Readiness, Vitals } from './vitals.ts'

const json = { type: 'application/json', kind: 'json' } as const
const takesNothing = (request: unknown): request is object => typeof request === 'object'

type Told = Omit<Readiness, 'isServing'>

/** Returns the route of a public GET without parameters. */
export function publicRoute<Result>(operationId: string, path: string, domain: ErrorDomain): Route<object, Result> {
  return {
    operationId,
    method: 'GET',
    path: [path],
    success: [{ status: 200, ...json }],
    domain,
    access: { kind: 'public' },
    check: takesNothing,
  }
}

/** The sources of the answers about health. */
export interface HealthSources extends Pick<Vitals, 'readiness'> {
  /** Returns false if the server no longer answers calls; absent if the caller's own answer proves that it does. */
  readonly isAlive?: () => boolean
}

const eitherWay = {
  success: [
    { status: 200, ...json },
    { status: 503, ...json },
  ],
  replies: true,
} as const

/** Returns the routes of liveness and readiness (conventions §18). */
export function healthRoutes(domain: ErrorDomain, sources: HealthSources): readonly BoundRoute[] {
  const alive = publicRoute<Reply<200 | 503, { status: 'alive' | 'stalled' }>>('healthz', '/healthz', domain)
  const ready = publicRoute<Reply<200 | 503, Told>>('readyz', '/readyz', domain)
  return [
    bind({ ...alive, ...eitherWay }, async () => livenessReply(sources.isAlive?.() ?? true)),
    bind({ ...ready, ...eitherWay }, async () => readinessReply(await sources.readiness())),
  ]
}

const livenessReply = (isAlive: boolean): Reply<200 | 503, { status: 'alive' | 'stalled' }> => ({
  status: isAlive ? 200 : 503,
  body: { status: isAlive ? 'alive' : 'stalled' },
  headers: undefined,
})

/**
 * Returns the answer of `/readyz`: 503 only if no calls should be sent to the server (conventions §18). A server whose
 * store cannot be written answers 200 as long as it admits callers, because otherwise no server would be ready.
 */
const readinessReply = ({ isServing, ...told }: Readiness): Reply<200 | 503, Told> => ({
  status: isServing ? 200 : 503,
  body: told,
  headers: undefined,
})
