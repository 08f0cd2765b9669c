import { FilterSchemaRecords } from '../domain/records/filter-schemas.ts'
import { OperationRecords } from '../domain/records/operations.ts'
import { unimplemented } from '../runtime/errors.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import type { BoundRoute } from '../runtime/route.ts'
import { area, type AreaDeclaration, type AreaModule, type AreaParts } from './area.ts'

/** How the resources of an area that are built are made of its parts, by their names in its handlers. */
export type Resources<Handlers, Record> = {
  readonly [Name in keyof Handlers]?: (parts: AreaParts<Record>) => Handlers[Name]
}

/** An area of which some resources are still to be built; `Handlers` are those that its routes are generated for. */
export interface DeclarationInProgress<Record extends { readonly id: string }, Handlers> extends Omit<
  AreaDeclaration<Record>,
  'routes' | 'collections'
> {
  /** Absent: none. */
  readonly collections?: AreaDeclaration<Record>['collections']
  /** The generated function that binds the area's routes. */
  readonly routes: (handlers: Handlers) => readonly BoundRoute[]
  readonly built: Resources<Handlers, Record>
}

/**
 * An area that serves all its routes: those of resources that are not built check requests as all do, and then answer
 * UNIMPLEMENTED. A resource that is added to `built` is served from then on; once none is missing, `area` takes the
 * whole, and the compiler sees to it that nothing is forgotten.
 */
export function areaInProgress<Record extends { readonly id: string }, Handlers extends object>(
  declaration: DeclarationInProgress<Record, Handlers>,
): AreaModule {
  const { built, collections = [], routes, ...rest } = declaration
  const module = area<Record>({ ...rest, collections, routes: parts => routes(handlersOf(built, parts)) })
  return { ...module, built: Object.keys(built) }
}

/** What every area has from its document alone: its operation records, and the filter schemas of its lists. */
export const records = (filters: readonly ListFields[]) => ({
  operations: <Record>(parts: AreaParts<Record>) => new OperationRecords(parts),
  filterSchemas: () => new FilterSchemaRecords(filters),
})

/** The names of resources are types, which are gone when this runs: whatever is asked for and not built is unbuilt. */
function handlersOf<Record, Handlers extends object>(
  built: Resources<Handlers, Record>,
  parts: AreaParts<Record>,
): Handlers {
  const resources: { [Name in keyof Handlers]?: Handlers[Name] } = {}
  for (const name in built) resources[name] = built[name]?.(parts)
  return new Proxy(resources, {
    get: (made, name) => (Object.hasOwn(made, name) ? Reflect.get(made, name) : unbuiltResource),
  }) as Handlers
}

/** A resource each of whose operations is not implemented yet. */
const unbuiltResource = new Proxy(
  {},
  {
    get: (_, operation) => async () => {
      throw unimplemented(String(operation))
    },
  },
)
