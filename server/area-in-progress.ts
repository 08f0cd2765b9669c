import type { AreaTypes } from '../runtime/route.ts'
import { FilterSchemaRecords } from '../domain/resources/filter-schemas.ts'
import { OperationRecords } from '../domain/resources/operation-records.ts'
import type { Owner } from '../domain/ports/functions.ts'
import { unimplemented } from '../runtime/errors.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import { area, type AreaDeclaration, type AreaModule, type AreaParts } from './area.ts'

/** How the resources of an area that are built are made of its parts, by their names in its handlers. */
export type Resources<Handlers, Parts> = {
  readonly [Name in keyof Handlers]?: (parts: Parts) => Handlers[Name]
}

/** An area of which some resources are still to be built. */
export interface DeclarationInProgress<
  Area extends AreaTypes,
  Handlers,
  Required extends Owner = never,
  Optional extends Owner = never,
> extends Omit<AreaDeclaration<Area, Handlers, Required, Optional>, 'handlers'> {
  readonly built: Resources<Handlers, AreaParts<Area, Required, Optional>>
}

/**
 * An area that serves all its routes: those of resources that are not built check requests as all do, and then answer
 * UNIMPLEMENTED. A resource that is added to `built` is served from then on; once none is missing, `area` takes the
 * whole, and the compiler sees to it that nothing is forgotten.
 */
export function areaInProgress<
  Area extends AreaTypes,
  Handlers extends object,
  Required extends Owner = never,
  Optional extends Owner = never,
>(declaration: DeclarationInProgress<Area, Handlers, Required, Optional>): AreaModule {
  const { built, ...rest } = declaration
  const module = area<Area, Handlers, Required, Optional>({ ...rest, handlers: parts => handlersOf(built, parts) })
  return { ...module, built: Object.keys(built) }
}

/** What every area has from its document alone: its operation records, and the filter schemas of its lists. */
export const records = (filters: readonly ListFields[]) => ({
  operations: <Area extends AreaTypes>(parts: AreaParts<Area>) => new OperationRecords(parts),
  filterSchemas: () => new FilterSchemaRecords(filters),
})

/** The names of resources are types, which are gone when this runs: whatever is asked for and not built is unbuilt. */
function handlersOf<Parts, Handlers extends object>(built: Resources<Handlers, Parts>, parts: Parts): Handlers {
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
