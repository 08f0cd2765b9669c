import type { BoundRoute } from '../runtime/route.ts'
import { nativeEngine } from './engines.ts'

const literal = `/engines/${nativeEngine}`

/**
 * Returns a route with the parameter `engine` for each route whose path names the engine as a literal, so that the check
 * of the engine answers ENGINE_NOT_FOUND for any other name. The routes with the literal take precedence.
 */
export const otherEngineRoutes = (routes: readonly BoundRoute[]): readonly BoundRoute[] =>
  routes.flatMap(bound => {
    const path = withParameter(bound.route.path)
    if (path === undefined) return []
    const parameters = [...(bound.route.parameters ?? []), { name: 'engine', in: 'path', type: 'string' } as const]
    return [{ ...bound, route: { ...bound.route, path, parameters } }]
  })

/** Returns the operations whose paths name the engine as a literal: no other engine serves them. */
export const nativeOperations = (routes: readonly BoundRoute[]): ReadonlySet<string> =>
  new Set(
    routes.flatMap(({ route: { operationId, path } }) => (withParameter(path) === undefined ? [] : [operationId])),
  )

/** Literals and parameters of a path take turns; undefined if no literal names the engine. */
function withParameter(path: readonly string[]): readonly string[] | undefined {
  const at = path.findIndex((part, i) => i % 2 === 0 && /\/engines\/native(?:\/|$)/.test(part))
  const part = path[at]
  if (part === undefined) return undefined
  const start = part.indexOf(literal) + literal.length
  const before = part.slice(0, start - nativeEngine.length)
  return [...path.slice(0, at), before, 'engine', part.slice(start), ...path.slice(at + 1)]
}
