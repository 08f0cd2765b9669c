import { quoted } from '../runtime/refusal.ts'
import { areaFault } from './area-faults.ts'
import type { AreaFunctions, Functions, FunctionOwner } from '../domain/ports/functions.ts'

/** The needs of an area: the owners whose functions it requires, and the owners whose functions are optional. */
export interface Needs<Required extends FunctionOwner = FunctionOwner, Optional extends FunctionOwner = FunctionOwner> {
  readonly required?: readonly Required[]
  readonly optional?: readonly Optional[]
}

/**
 * The functions that areas have for each other (conventions §14). Areas that need each other can be mounted in any
 * order, because functions are looked up on use. Areas may use functions only after `close`.
 */
export class FunctionTable {
  readonly #provided: { -readonly [Name in FunctionOwner]?: AreaFunctions[Name] } = {}
  readonly #providers = new Map<string, string>()
  readonly #required: { readonly area: string; readonly owner: FunctionOwner }[] = []
  #isClosed = false

  /**
   * Adds the functions that an area provides. Throws for undefined functions, and if another area provides other
   * functions of the same owner.
   */
  provide(area: string, functions: Partial<AreaFunctions>): void {
    for (const [owner, given] of Object.entries(functions)) {
      if (given === undefined)
        throw new Error(
          areaFault(area, 'provides', `the functions of ${owner} are undefined; give them, or leave them out`),
        )
      const provider = this.#providers.get(owner)
      if (provider !== undefined && Reflect.get(this.#provided, owner) !== given) {
        const fault = `the functions of ${owner} are provided twice, by ${provider} too; drop one of the two`
        throw new Error(areaFault(area, 'provides', fault))
      }
      this.#providers.set(owner, area)
    }
    Object.assign(this.#provided, functions)
  }

  /**
   * Returns the functions of an owner, for the server itself. Throws an error that names the owner if no area provides
   * the functions.
   */
  require<Name extends FunctionOwner>(owner: Name): AreaFunctions[Name] {
    const functions = this.#provided[owner]
    if (functions === undefined)
      throw new Error(`no area that is mounted provides the functions of ${owner}; add it in server/areas.ts`)
    return functions
  }

  /**
   * Returns the functions that an area has declared as needs, in the form that its code gets. Throws for an owner that
   * is named twice.
   */
  of<Required extends FunctionOwner, Optional extends FunctionOwner>(
    area: string,
    { optional = [], required = [] }: Needs<Required, Optional>,
  ): Functions<Required, Optional> {
    for (const owner of required) this.#required.push({ area, owner })
    const functions = {}
    for (const owner of [...required, ...optional]) {
      if (Object.hasOwn(functions, owner))
        throw new Error(areaFault(area, 'needs', `${quoted(owner)} is named twice; name it as required or as optional`))
      Object.defineProperty(functions, owner, { enumerable: true, get: () => this.#find(area, owner) })
    }
    return functions as Functions<Required, Optional>
  }

  /**
   * Allows areas to use functions; the server calls `close` once all areas are mounted. Throws an error that names
   * every required owner whose functions no area provides.
   */
  close(): void {
    this.#isClosed = true
    const missing = this.#required.filter(({ owner }) => !Object.hasOwn(this.#provided, owner))
    if (missing.length === 0) return
    const told = missing.map(({ area, owner }) => `${area} needs the functions of ${owner}`)
    throw new Error(`${told.join('; ')}: no area that is mounted provides them; add it in server/areas.ts`)
  }

  #find<Name extends FunctionOwner>(area: string, owner: Name): AreaFunctions[Name] | undefined {
    if (this.#isClosed) return this.#provided[owner]
    throw new Error(`${area} asks for the functions of ${owner} before all areas are mounted`)
  }
}
