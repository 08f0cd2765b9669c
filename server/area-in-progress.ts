import type { AreaTypes } from '../runtime/route.ts'
import { FilterSchemaRecords } from '../domain/resources/filter-schemas.ts'
import { OperationRecords } from '../domain/resources/operation-records.ts'
import type { FunctionOwner } from '../domain/ports/functions.ts'
import { unimplemented } from '../runtime/errors.ts'
import type { ListFields } from '../runtime/filter/types.ts'
import type { SettingDeclarations } from './settings/declarations.ts'
import { area, type AreaModule } from './area.ts'
import type { AreaDeclaration } from './area-declaration.ts'
import type { AreaEnvironment } from './area-parts.ts'

/** The built resources of an area: for each name in its handlers, a function that makes its handler from the parts. */
export type BuiltResources<Handlers, Parts> = {
  readonly [Name in keyof Handlers]?: (parts: Parts) => Handlers[Name]
}

/** The declaration of an area without some of its resources. */
export interface DeclarationInProgress<
  Area extends AreaTypes,
  Handlers,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
  Settings extends SettingDeclarations = Readonly<Record<never, never>>,
> extends Omit<AreaDeclaration<Area, Handlers, Required, Optional, Settings>, 'handlers'> {
  readonly built: BuiltResources<Handlers, AreaEnvironment<Area, Required, Optional, Settings>>
}

/**
 * Returns an area that serves all its routes. A route of a missing resource checks its request as usual, and then
 * answers UNIMPLEMENTED. A resource that is added to `built` is served. Once no resource is missing, `area` takes all
 * handlers, and the compiler ensures that they are complete.
 */
export function areaInProgress<
  Area extends AreaTypes,
  Handlers extends object,
  Required extends FunctionOwner = never,
  Optional extends FunctionOwner = never,
  Settings extends SettingDeclarations = Readonly<Record<never, never>>,
>(declaration: DeclarationInProgress<Area, Handlers, Required, Optional, Settings>): AreaModule {
  const { built, ...rest } = declaration
  const module = area<Area, Handlers, Required, Optional, Settings>({
    ...rest,
    handlers: parts => handlersOf(built, parts),
  })
  return { ...module, built: Object.keys(built) }
}

/**
 * Returns the functions that make the handlers which follow from the document of an area alone: its operation records,
 * and the filter schemas of its lists.
 */
export const records = (filters: readonly ListFields[]) => ({
  operations: <Area extends AreaTypes>(parts: AreaEnvironment<Area>) => new OperationRecords(parts),
  filterSchemas: () => new FilterSchemaRecords(filters),
})

/**
 * Returns the handlers of an area. Any name that is not built counts as an unbuilt resource, because the names of
 * resources are types, which do not exist at run time.
 */
function handlersOf<Parts, Handlers extends object>(built: BuiltResources<Handlers, Parts>, parts: Parts): Handlers {
  const resources: { [Name in keyof Handlers]?: Handlers[Name] } = {}
  for (const name in built) resources[name] = built[name]?.(parts)
  return new Proxy(resources, {
    get: (made, name) => (Object.hasOwn(made, name) ? Reflect.get(made, name) : unbuiltResource),
  }) as Handlers
}

/** The handler of a resource whose operations are not implemented. */
const unbuiltResource = new Proxy(
  {},
  {
    get: (_, operation) => async () => {
      throw unimplemented(String(operation))
    },
  },
)
