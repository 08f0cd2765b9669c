import { fileURLToPath } from 'node:url'
import { bind } from '../../runtime/bind.ts'
import { JsonText } from '../../runtime/json.ts'
import type { BoundRoute, ErrorDomain, Reply, Route } from '../../runtime/route.ts'
import type { AreaModule } from '../area.ts'

type Probe = () => Promise<unknown>

interface Readiness {
  readonly status: 'ready' | 'degraded'
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
export function platformRoutes(domain: ErrorDomain, areas: readonly AreaModule[], probe: Probe): readonly BoundRoute[] {
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
      () => readiness(probe),
    ),
    ...areas.map(area => specRoute(area.domain, domain)),
  ]
}

/** 503 only when nothing can be served: the store does not answer. */
async function readiness(probe: Probe): Promise<Reply<200 | 503, Readiness>> {
  const isReadable = await probe().then(
    () => true,
    () => false,
  )
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
