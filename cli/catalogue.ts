import { unimplemented } from '../runtime/errors.ts'
import { didYouMean, quoted } from '../runtime/refusal.ts'
import type { BoundRoute, ClientRoute, Route } from '../runtime/route.ts'
import { pathTemplate } from '../runtime/routing.ts'
import { isRecord } from '../runtime/validation.ts'
import { CommandError } from './exit-codes.ts'

/** An operation as the command calls it. */
export interface Operation {
  readonly area: string
  /** How it is called. */
  readonly client: ClientRoute<object, unknown>
  /** What the server would find wrong with a request. */
  readonly check: Route<unknown, unknown>['check']
  /** The member of the answer that holds the rows of a list; absent where that is not declared. */
  readonly rows?: string | undefined
}

interface Area {
  readonly constants: object
  readonly bound: readonly BoundRoute[]
}

/** The generated routes of the areas, each loaded when it is asked for. */
const areas: Readonly<Record<string, () => Promise<Area>>> = {
  compute: () => import('../output/compute/routes.ts').then(area => of(area, area.computeRoutes(nobody()))),
  iam: () => import('../output/iam/routes.ts').then(area => of(area, area.iamRoutes(nobody()))),
  network: () => import('../output/network/routes.ts').then(area => of(area, area.networkRoutes(nobody()))),
  observability: () =>
    import('../output/observability/routes.ts').then(area => of(area, area.observabilityRoutes(nobody()))),
  registry: () => import('../output/registry/routes.ts').then(area => of(area, area.registryRoutes(nobody()))),
  storage: () => import('../output/storage/routes.ts').then(area => of(area, area.storageRoutes(nobody()))),
  taxonomy: () => import('../output/taxonomy/routes.ts').then(area => of(area, area.taxonomyRoutes(nobody()))),
  topology: () => import('../output/topology/routes.ts').then(area => of(area, area.topologyRoutes(nobody()))),
  vault: () => import('../output/vault/routes.ts').then(area => of(area, area.vaultRoutes(nobody()))),
}

/** The operations of an area, in the order of its document, or of all areas. Throws `CommandError` for a wrong name. */
export async function operationsOf(area?: string): Promise<readonly Operation[]> {
  const names = Object.keys(areas)
  if (area !== undefined && !Object.hasOwn(areas, area)) {
    throw new CommandError(`there is no area ${quoted(area)}${didYouMean(area, names)}: one of ${names.join(', ')}`)
  }
  const wanted = Object.entries(areas).filter(([name]) => area === undefined || name === area)
  return (await Promise.all(wanted.map(([name, load]) => loadArea(name, load)))).flat()
}

/** The operation that a name means: `createVm`, or `iam.listOperations` where several areas have one of that name. */
export async function findOperation(name: string): Promise<Operation> {
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

/** `iam.listUsers`. */
export const qualifiedName = ({ area, client }: Operation): string => `${area}.${client.operationId}`

/** `GET /iam/v1/users/{id}`. */
export const addressOf = ({ client }: Operation): string => `${client.method} ${pathTemplate(client.path)}`

async function loadArea(area: string, load: () => Promise<Area>): Promise<readonly Operation[]> {
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

const of = (constants: object, bound: readonly BoundRoute[]): Area => ({ constants, bound })

/** The other exports of a module of routes are functions. */
const isRoute = (value: unknown): value is ClientRoute<object, unknown> =>
  isRecord(value) && typeof value.operationId === 'string' && Array.isArray(value.path)

/** Routes tell their rules once they are bound to handlers; these are never called. */
function nobody<Handlers extends object>(): Handlers {
  const get = (_: object, name: string | symbol): never => {
    throw unimplemented(String(name))
  }
  return new Proxy({}, { get: () => new Proxy({}, { get }) }) as Handlers
}
