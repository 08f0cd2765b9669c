import type { ListContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import type { Answer } from '../../../runtime/json.ts'
import { listInMemory, type Page } from '../../../runtime/pagination.ts'
import type { MakeError } from '../kind.ts'
import type { DefinitionFacts, KnownDefinitions, QuotaScope } from './definitions.ts'

/** The values of an area's enum of scope types, keyed by their names without prefix. */
export type ScopeTypes<ScopeType extends string> = Readonly<Record<QuotaScope['type'], ScopeType>>

/** A quota definition as responses of the area show it. */
export interface DefinitionAnswer<ScopeType extends string> extends Pick<
  DefinitionFacts,
  'id' | 'display_name' | 'description' | 'unit' | 'resource_type' | 'default_limit'
> {
  scope_type: ScopeType
  dimensions: string[]
}

/** The errors of an area for its quota definitions. */
export interface QuotaErrors {
  readonly definitionNotFound: MakeError
}

/** Serves the quota definitions of an area, which every principal may read. */
export class QuotaDefinitions<ScopeType extends string> {
  readonly #quotas: KnownDefinitions
  readonly #scopeTypes: ScopeTypes<ScopeType>
  readonly #errors: QuotaErrors

  constructor(quotas: KnownDefinitions, scopeTypes: ScopeTypes<ScopeType>, errors: QuotaErrors) {
    this.#quotas = quotas
    this.#scopeTypes = scopeTypes
    this.#errors = errors
  }

  async listQuotaDefinitions(_request: object, { query }: ListContext): Promise<Page<DefinitionAnswer<ScopeType>>> {
    return listInMemory(
      this.#quotas.definitions.map(definition => this.#answer(definition)),
      query,
    )
  }

  async getQuotaDefinition({ id }: { readonly id: string }): Promise<Answer<DefinitionAnswer<ScopeType>>> {
    return this.#answer(requireDefinition(this.#quotas, this.#errors, id))
  }

  #answer(definition: DefinitionFacts): DefinitionAnswer<ScopeType> {
    const { default_limit, description, dimensions, display_name, id, resource_type, scope, unit } = definition
    const shown = { id, display_name, description, unit, resource_type, default_limit }
    return { ...shown, scope_type: this.#scopeTypes[scope], dimensions: [...dimensions] }
  }
}

/** Returns the definition with this id. Throws QUOTA_DEFINITION_NOT_FOUND if no definition has the id. */
export function requireDefinition<Known extends DefinitionFacts>(
  quotas: KnownDefinitions<Known>,
  errors: QuotaErrors,
  id: string,
): Known {
  const definition = quotas.find(id)
  if (definition) return definition
  throw absentDefinition(quotas, errors, id)
}

/** Returns the error QUOTA_DEFINITION_NOT_FOUND for an id that no definition has. */
export function absentDefinition(quotas: KnownDefinitions, { definitionNotFound }: QuotaErrors, id: string): ApiError {
  const known = quotas.definitions.map(each => each.id).join(', ')
  return definitionNotFound(`there is no quota definition "${id.slice(0, 80)}"; there are ${known}`, {
    resource: { type: 'quotaDefinitions', name: id.slice(0, 80) },
  })
}
