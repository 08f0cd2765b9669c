import { fileURLToPath } from 'node:url'
import { bind } from '../../runtime/bind.ts'
import { JsonText } from '../../runtime/json.ts'
import type { BoundRoute, ErrorDomain, Reply, Route } from '../../runtime/route.ts'
import type { AreaModule } from '../area.ts'
import { within } from '../health/within.ts'

/** What readiness is told from. */
export interface Vitals {
  /** Reads something from the store. */
  readonly probe: () => Promise<unknown>
  /** The server is about to end. */
  readonly isDraining: () => boolean
}

/** A store that has not answered by then does not answer. */
const patienceMs = 2000

interface Readiness {
  readonly status: 'ready' | 'degraded' | 'draining'
}

const json = { type: 'application/json', kind: 'json' } as const
const takesNothing = (request: unknown): request is object => typeof request === 'object'

/** A public GET without parameters. */
function publicRoute<Result>(operationId: string, path: string, domain: ErrorDomain): Route<object, Result> {
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

/** What a server answers beside its areas (conventions §18): liveness, readiness, and the specs as they are served. */
export function platformRoutes(
  domain: ErrorDomain,
  areas: readonly AreaModule[],
  vitals: Vitals,
): readonly BoundRoute[] {
  const ready = publicRoute<Reply<200 | 503, Readiness>>('readyz', '/readyz', domain)
  return [
    bind(publicRoute<{ status: 'alive' }>('healthz', '/healthz', domain), async () => ({ status: 'alive' })),
    bind(
      {
        ...ready,
        success: [
          { status: 200, ...json },
          { status: 503, ...json },
        ],
        replies: true,
      },
      () => readiness(vitals),
    ),
    ...areas.map(area => specRoute(area.domain, domain)),
  ]
}

/** 503 only when nothing can be served: the store does not answer, or the server is about to end. */
async function readiness({ probe, isDraining }: Vitals): Promise<Reply<200 | 503, Readiness>> {
  if (isDraining()) return { status: 503, body: { status: 'draining' }, headers: undefined }
  const isReadable =
    (await within(
      probe().then(() => true),
      patienceMs,
    )) ?? false
  return isReadable
    ? { status: 200, body: { status: 'ready' }, headers: undefined }
    : { status: 503, body: { status: 'degraded' }, headers: undefined }
}

/** Bundled when it is first asked for: reading YAML would be felt at every start. */
function specRoute({ name }: ErrorDomain, domain: ErrorDomain): BoundRoute {
  let text: Promise<JsonText<object>> | undefined
  return bind(publicRoute<object>(`${name}Spec`, `/openapi/${name}.json`, domain), () => {
    text ??= bundled(name).catch((error: unknown) => {
      text = undefined
      throw error
    })
    return text
  })
}

async function bundled(area: string): Promise<JsonText<object>> {
  const { bundle } = await import('../specs/bundle.ts')
  const file = fileURLToPath(new URL(`../../specs/${area}.yaml`, import.meta.url))
  return new JsonText(JSON.stringify(bundle(file)))
}
