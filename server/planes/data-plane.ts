import type { DataPlane, Pace } from '../../domain/ports/data-planes.ts'
import { quoted } from '../../runtime/refusal.ts'
import type { BoundRoute } from '../../runtime/route.ts'
import type { RenderError } from '../../runtime/status.ts'
import { areaFault } from '../area-faults.ts'
import type { RequestRules } from '../http/connections.ts'
import type { ErrorDomain } from '../../runtime/errors.ts'

/** A plane with the error domain of its area. */
export interface AreaPlane extends DataPlane, RequestRules {
  readonly domain: ErrorDomain
  readonly renderError?: RenderError
  readonly pace?: Pace
}

/** Matches a prefix: path segments of characters that no URL encodes. */
const prefixForm = /^(?:\/[\w.~-]+)+$/

/**
 * Throws unless every plane has a prefix of the right form, its routes lie below the prefix and have operation ids of
 * their own, and neither another plane nor a path of `others`, the other routes of the server, lies below its prefix.
 */
export function requireApart(planes: readonly AreaPlane[], others: readonly BoundRoute[]): void {
  for (const plane of planes) {
    const fault = prefixFault(plane) ?? overlap(plane, planes, others) ?? repeated(plane, planes, others)
    if (fault === undefined) continue
    throw new Error(areaFault(plane.domain.name, 'planes', `the data plane ${quoted(String(plane.prefix))} ${fault}`))
  }
}

function prefixFault({ prefix, routes }: AreaPlane): string | undefined {
  if (!prefixForm.test(prefix)) return 'must have a prefix like "/v2", without a slash at its end'
  const stray = routes.find(({ route }) => !isBelow(route.path[0] ?? '', prefix))?.route
  return stray && `has the route ${stray.operationId}, which is not below its prefix; begin its path with the prefix`
}

function overlap(plane: AreaPlane, planes: readonly AreaPlane[], others: readonly BoundRoute[]): string | undefined {
  const hidden = others.find(({ route }) => reaches(route, plane.prefix))?.route
  if (hidden !== undefined)
    return `hides the route ${hidden.operationId} of ${hidden.domain.name}; choose a prefix below which no route has a path`
  const isShared = planes.filter(({ prefix }) => isBelow(prefix, plane.prefix)).length > 1
  return isShared ? 'overlaps another plane; choose prefixes of which none begins with another' : undefined
}

function repeated(plane: AreaPlane, planes: readonly AreaPlane[], others: readonly BoundRoute[]): string | undefined {
  const { name } = plane.domain
  const ofPlanes = planes.filter(({ domain }) => domain.name === name).flatMap(({ routes }) => routes)
  const ids = [...ofPlanes, ...others.filter(({ route }) => route.domain.name === name)].map(
    ({ route }) => route.operationId,
  )
  const twice = plane.routes.find(({ route }) => ids.filter(id => id === route.operationId).length > 1)?.route
  return twice && `has the route ${twice.operationId}, as the area has already; rename it, because metrics name it`
}

/** Whether some path of a route equals a prefix or lies below it. Parameters of the route take any text. */
function reaches({ catchAll, path }: BoundRoute['route'], prefix: string): boolean {
  const template = path.map((part, i) => (i % 2 === 0 ? part : part === catchAll ? '**' : '*')).join('')
  const segments = template.split('/')
  for (const [i, wanted] of prefix.split('/').entries()) {
    const segment = segments[i]
    if (segment === undefined) return false
    const [before = ''] = segment.split('**')
    // A catch-all takes slashes too, so the rest of the prefix may be a part of it.
    if (before !== segment) return wanted.startsWith(before)
    if (!takes(segment, wanted)) return false
  }
  return true
}

/** Whether a segment of a route can be `text`; each `*` takes at least one character. */
function takes(segment: string, text: string): boolean {
  const [first = '', ...rest] = segment.split('*')
  if (rest.length === 0) return first === text
  const last = rest.at(-1) ?? ''
  return text.length > first.length + last.length && text.startsWith(first) && text.endsWith(last)
}

/** Whether a request target, or the beginning of a path, equals a prefix or lies below it. */
export function isBelow(target: string, prefix: string): boolean {
  if (!target.startsWith(prefix)) return false
  const { [prefix.length]: next } = target
  return next === undefined || next === '/' || next === '?'
}
