import type { DataPlane, Pace } from '../../domain/ports/data-planes.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { RenderError } from '../../runtime/status.ts'
import type { RequestRules } from '../http/connections.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** A plane with the error domain of its area. */
export interface AreaPlane extends DataPlane, RequestRules {
  readonly domain: ErrorDomain
  readonly renderError?: RenderError
  readonly pace?: Pace
}

/** A path segment of characters that no URL encodes. */
const prefixForm = /^(?:\/[\w.~-]+)+$/

/**
 * Throws unless every plane has a prefix of the right form, its routes lie below the prefix, and neither another plane
 * nor a route of `others`, the other routes of the server, overlaps with it.
 */
export function requireApart(planes: readonly AreaPlane[], others: readonly BoundRoute[]): void {
  for (const { prefix, routes, domain } of planes) {
    const plane = `the data plane "${prefix}" of ${domain.name}`
    if (!prefixForm.test(prefix)) throw new Error(`${plane} must have a prefix like "/v2", without a slash at its end`)
    const stray = routes.find(({ route }) => !isBelow(route.path[0] ?? '', prefix))?.route
    if (stray !== undefined)
      throw new Error(`${plane} has the route ${stray.operationId}, which is not below its prefix`)
    const other = others.find(({ route }) => isBelow(route.path[0] ?? '', prefix))?.route
    if (other !== undefined) throw new Error(`${plane} hides the route ${other.operationId} of ${other.domain.name}`)
    if (planes.some(plane => plane.routes !== routes && isBelow(plane.prefix, prefix))) {
      throw new Error(`${plane} overlaps another plane; choose prefixes of which none begins with another`)
    }
  }
}

/** Whether a request target, or the beginning of a path, equals a prefix or lies below it. */
export function isBelow(target: string, prefix: string): boolean {
  if (!target.startsWith(prefix)) return false
  const { [prefix.length]: next } = target
  return next === undefined || next === '/' || next === '?'
}
