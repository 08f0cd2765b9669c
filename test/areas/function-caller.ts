import type { FunctionOwner, AreaFunctions } from '../../domain/ports/functions.ts'
import type { PlatformServices } from '../../server/area-parts.ts'
import type { AreaModule } from '../../server/area.ts'
import { areas as allAreas } from '../../server/areas.ts'

/** Areas with a caller of the functions that they have for each other. */
export interface FunctionCaller {
  readonly areas: readonly AreaModule[]
  /** Returns the functions of an area, once a platform has mounted the areas. */
  functions<Name extends FunctionOwner>(owner: Name): AreaFunctions[Name]
}

/** Returns all areas, and gives a test the functions that the areas have for each other, as an area gets them. */
export function functionCaller(areas: readonly AreaModule[] = allAreas): FunctionCaller {
  let table: PlatformServices['functions'] | undefined
  const [first, ...others] = areas
  if (!first) throw new Error('no area is given')
  const caught: AreaModule = {
    ...first,
    mount(parts) {
      table = parts.functions
      return first.mount(parts)
    },
  }
  return {
    areas: [caught, ...others],
    functions(owner) {
      if (!table) throw new Error('no platform has mounted the areas')
      return table.require(owner)
    },
  }
}
