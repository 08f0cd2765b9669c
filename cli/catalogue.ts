import { unimplemented } from '../runtime/errors.ts'
import { didYouMean, quoted } from '../runtime/refusal.ts'
import type { BoundRoute, ClientRoute, Route } from '../runtime/route.ts'
import { pathTemplate } from '../runtime/routing.ts'
import { isRecord } from '../runtime/validation.ts'
import { CommandError } from './exit-codes.ts'

/** An operation that `ninefold api` can call. */
export interface CallableOperation {
  readonly area: string
  /** The generated client route. */
  readonly client: ClientRoute<object, unknown>
  /**
   * Checks a request by the rules of the server, adds a fault for each broken rule, and returns true if no rule is
   * broken.
   */
  readonly check: Route<unknown, unknown>['check']
  /** The member of the answer that holds the rows of a list; absent if the specification declares none. */
  readonly rows?: string | undefined
}

interface Area {
  readonly constants: object
  readonly bound: readonly BoundRoute[]
}

/**
 * The functions that import the generated routes of an area, keyed by the name of the area. A module is imported only
 * when a command needs its area.
 */
const areas: Readonly<Record<string, () => Promise<Area>>> = {
  compute: () => import('../output/compute/routes.ts').then(area => areaOf(area, area.computeRoutes(noHandlers()))),
  iam: () => import('../output/iam/routes.ts').then(area => areaOf(area, area.iamRoutes(noHandlers()))),
  network: () => import('../output/network/routes.ts').then(area => areaOf(area, area.networkRoutes(noHandlers()))),
  observability: () =>
    import('../output/observability/routes.ts').then(area => areaOf(area, area.observabilityRoutes(noHandlers()))),
  registry: () => import('../output/registry/routes.ts').then(area => areaOf(area, area.registryRoutes(noHandlers()))),
  storage: () => import('../output/storage/routes.ts').then(area => areaOf(area, area.storageRoutes(noHandlers()))),
  taxonomy: () => import('../output/taxonomy/routes.ts').then(area => areaOf(area, area.taxonomyRoutes(noHandlers()))),
  topology: () => import('../output/topology/routes.ts').then(area => areaOf(area, area.topologyRoutes(noHandlers()))),
  vault: () => import('../output/vault/routes.ts').then(area => areaOf(area, area.vaultRoutes(noHandlers()))),
}

/**
 * Returns the operations of one area, in the order of its document, or the operations of all areas. Throws
 * `CommandError` for an unknown area.
 */
export async function operationsOf(area?: string): Promise<readonly CallableOperation[]> {
  const names = Object.keys(areas)
  if (area !== undefined && !Object.hasOwn(areas, area)) {
    throw new CommandError(`there is no area ${quoted(area)}${didYouMean(area, names)}: one of ${names.join(', ')}`)
  }
  const wanted = Object.entries(areas).filter(([name]) => area === undefined || name === area)
  return (await Promise.all(wanted.map(([name, load]) => loadArea(name, load)))).flat()
}

/**
 * Returns the operation with a name: `createVm`, or `iam.listOperations` if several areas have an operation of that
 * name. Throws `CommandError` if the name is unknown or ambiguous.
 */
export async function findOperation(name: string): Promise<CallableOperation> {
  const mark = name.indexOf('.')
  const [area, id] = mark === -1 ? [undefined, name] : [name.slice(0, mark), name.slice(mark + 1)]
  const operations = await operationsOf(area)
  const [found, ...others] = operations.filter(({ client }) => client.operationId === id)
  if (found === undefined) {
    const near = didYouMean(id, new Set(operations.map(({ client }) => client.operationId)))
    throw new CommandError(`there is no operation ${quoted(name)}${near}: ninefold api --list shows all`)
  }
  if (others.length === 0) return found
  const qualified = [found, ...others].map(qualifiedName).join(', ')
  throw new CommandError(`operation ${quoted(name)} is one of several areas: say which of ${qualified}`)
}

/** Returns the unambiguous name of an operation, such as `iam.listUsers`. */
export const qualifiedName = ({ area, client }: CallableOperation): string => `${area}.${client.operationId}`

/** Returns the method and path of an operation, such as `GET /iam/v1/users/{id}`. */
export const addressOf = ({ client }: CallableOperation): string => `${client.method} ${pathTemplate(client.path)}`

async function loadArea(area: string, load: () => Promise<Area>): Promise<readonly CallableOperation[]> {
  const { bound, constants } = await load()
  const clients = new Map(
    Object.values(constants)
      .filter(isRoute)
      .map(route => [route.operationId, route]),
  )
  return bound.flatMap(({ route: { check, list, operationId } }) => {
    const client = clients.get(operationId)
    return client ? [{ area, client, check, rows: list?.member }] : []
  })
}

const areaOf = (constants: object, bound: readonly BoundRoute[]): Area => ({ constants, bound })

/** True for routes. The other exports of a generated route module are functions. */
const isRoute = (value: unknown): value is ClientRoute<object, unknown> =>
  isRecord(value) && typeof value.operationId === 'string' && Array.isArray(value.path)

/** Returns placeholder handlers: only a bound route exposes its check, and the command calls no handler. */
function noHandlers<Handlers extends object>(): Handlers {
  const get = (_: object, name: string | symbol): never => {
    throw unimplemented(String(name))
  }
  return new Proxy({}, { get: () => new Proxy({}, { get }) }) as Handlers
}
