import type { CalledResource } from '../../domain/iam/interfaces/decisions.ts'
import type { PathParameters } from '../../runtime/doors.ts'
import type { Route } from '../../runtime/route.ts'

/** What the path of a route says of the thing it is about, found once: parameters with the kinds they name. */
interface Named {
  readonly parameter: string
  readonly type: string
}

/** The scopes and engines of paths are no things in a workspace. */
const notThings: ReadonlySet<string> = new Set(['organisation', 'workspace', 'engine', 'scope_type', 'scope_id'])

/** The thing that calls of a route are about, as policies match it (iam.md 4.1). */
export interface ResourceOf {
  /** Whether calls make a new thing, whose name stands in the body. */
  readonly isCreate: boolean
  /** Undefined for calls about a collection. `name` is that of what is created. */
  of(path: PathParameters, name?: string): CalledResource | undefined
}

/** Reads the path of a route that needs the permission `key`. */
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
      const [thing, ...rest] = above
      return thing && { ...thing, above: rest }
    },
  }
}

/** The nearest first. The last of a path is of the kind that the permission is about, others are named by their segment. */
function thingsOf(
  { domain, path }: Pick<Route<unknown, unknown>, 'domain' | 'path'>,
  type: string | undefined,
): readonly Named[] {
  const named: Named[] = []
  for (let i = 1; i < path.length; i += 2) {
    const parameter = path[i] ?? ''
    if (notThings.has(parameter)) continue
    const collection = path[i - 1]?.split('/').findLast(Boolean) ?? ''
    const after = path[i + 1] ?? ''
    const isLast = i >= path.length - 2 && !after.startsWith('/')
    named.unshift({ parameter, type: isLast && type ? type : `${domain.name}.${camel(collection)}` })
  }
  return named
}

const camel = (segment: string): string => segment.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
