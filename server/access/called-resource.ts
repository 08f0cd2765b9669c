import type { CalledResource } from '../../domain/iam/interfaces/decisions.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import type { Route } from '../../runtime/route.ts'
import { catalogue } from './catalogue.ts'

/** A parameter of a path that names a resource, with the type of the resource. */
interface Named {
  readonly parameter: string
  readonly type: string
}

/** The path parameters that name a scope or an engine instead of a resource in a workspace. */
const notResources: ReadonlySet<string> = new Set(['organisation', 'workspace', 'engine', 'scope_type', 'scope_id'])

/** Finds the resource of a route's calls, against which policies are matched (iam.md 4.1). */
export interface ResourceOf {
  /** Whether calls create a resource, whose name is in the body. */
  readonly isCreate: boolean
  /**
   * Returns the resource that a call names or creates, or undefined for a call without a resource, such as a list.
   * `name` is the name of a new resource.
   */
  of(path: PathParameters, name?: string): CalledResource | undefined
}

/**
 * Returns the finder of the resources in calls of a route that needs the permission `key`. Reads the path of the route
 * once.
 */
export function resourceOf(route: Pick<Route<unknown, unknown>, 'domain' | 'path'>, key: string): ResourceOf {
  const type = key.split('.').slice(0, 2).join('.')
  const verb = key.split('.')[2]
  const isCreate = verb === 'create'
  const named = thingsOf(route, isCreate ? undefined : type)
  return {
    isCreate,
    of(path, name) {
      if (verb === 'list') return undefined
      const above = named.flatMap(({ parameter, type: kind }) => {
        const id = path.get(parameter)
        return id === undefined ? [] : [{ type: kind, id }]
      })
      if (isCreate) return { type, name, above }
      const [innermost, ...rest] = above
      return innermost && { ...innermost, above: rest }
    },
  }
}

/**
 * Returns the parameters of a route's path that name resources, the last parameter first. A parameter has the kind of
 * its segment. The last parameter of a path has the kind of the permission if its segment names no kind, as in
 * `/secrets/{secret}/versions/{id}`; the policy of `/firewall-policies/{firewall_policy}:updateRule` stays a policy.
 */
function thingsOf(
  { domain, path }: Pick<Route<unknown, unknown>, 'domain' | 'path'>,
  type: string | undefined,
): readonly Named[] {
  const named: Named[] = []
  for (let i = 1; i < path.length; i += 2) {
    const parameter = path[i] ?? ''
    if (notResources.has(parameter)) continue
    const collection = path[i - 1]?.split('/').findLast(Boolean) ?? ''
    const after = path[i + 1] ?? ''
    const isLast = i >= path.length - 2 && !after.startsWith('/')
    const ofSegment = `${domain.name}.${camel(collection)}`
    const isOfPermission = isLast && type !== undefined && !catalogue.resourceTypes.has(ofSegment)
    named.unshift({ parameter, type: isOfPermission ? type : ofSegment })
  }
  return named
}

const camel = (segment: string): string => segment.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
