import { fileURLToPath } from 'node:url'
import { bind } from '../../runtime/bind.ts'
import { JsonText } from '../../runtime/json.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { AreaModule } from '../area.ts'
import { healthRoutes, publicRoute } from '../health/health-routes.ts'
import type { Vitals } from '../health/vitals.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/**
 * Returns the routes of the server in addition to the routes of its areas (conventions §18): liveness, readiness, and
 * the specs in their served form.
 */
export function platformRoutes(
  domain: ErrorDomain,
  areas: readonly AreaModule[],
  vitals: Pick<Vitals, 'readiness'>,
): readonly BoundRoute[] {
  return [...healthRoutes(domain, vitals), ...areas.map(area => specRoute(area.domain, domain))]
}

/**
 * Returns the route of an area's document. The document is bundled on first use, because reading YAML would delay every
 * start.
 */
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
