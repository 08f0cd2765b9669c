import { filterSchemaNotFound } from '../../output/shared/errors.ts'
import type { FilterSchema } from '../../output/shared/types.ts'
import type { ListContext } from '../../runtime/context.ts'
import type { FilterField, ListFields } from '../../runtime/filter/types.ts'
import type { Answer } from '../../runtime/json.ts'
import { listInMemory, type Page } from '../../runtime/pagination.ts'
import { canonical } from '../../runtime/validation.ts'

/**
 * Serves the filter schemas of an area (conventions §9): the fields and operators of each resource name. Lists may share
 * a resource name, and then have one schema. The class of an area extends this class.
 */
export class FilterSchemaRecords {
  readonly #schemas: readonly FilterSchema[]

  /** Throws if two lists with the same resource name have different fields. */
  constructor(lists: readonly ListFields[]) {
    const schemas = new Map<string, FilterSchema>()
    for (const schema of lists.flatMap(schemaOf)) {
      const known = schemas.get(schema.resource)
      if (known !== undefined && canonical(known) !== canonical(schema))
        throw new Error(`two lists have the resource name "${schema.resource}", but different fields`)
      schemas.set(schema.resource, schema)
    }
    this.#schemas = [...schemas.values()]
  }

  async listFilterSchemas(_request: object, { query }: ListContext): Promise<Page<FilterSchema>> {
    return listInMemory(this.#schemas, query)
  }

  async getFilterSchema({ resource }: { readonly resource: string }): Promise<Answer<FilterSchema>> {
    const schema = this.#schemas.find(candidate => candidate.resource === resource)
    if (schema) return schema
    const known = this.#schemas.map(candidate => candidate.resource).join(', ')
    throw filterSchemaNotFound(
      `"${resource.slice(0, 80)}" has no filter schema; resources with a filter schema are ${known}`,
      { resource: { type: 'filterSchemas', name: resource.slice(0, 80) } },
    )
  }
}

function schemaOf({ resource, fields, defaultOrder }: ListFields): readonly FilterSchema[] {
  if (resource === undefined) return []
  return [{ resource, fields: fields.map(fieldOf), default_order_by: defaultOrder }]
}

const fieldOf = ({ name, type, operators, sortable, enumValues }: FilterField): FilterSchema['fields'][number] => ({
  name,
  type: published(type),
  operators: [...operators],
  sortable: sortable ?? false,
  enum_values: [...(enumValues ?? [])],
})

/** Returns the published name of a field type. Throws a TypeError for types that only foreign documents use. */
function published(type: FilterField['type']): FilterSchema['fields'][number]['type'] {
  if (type === 'NUMBER' || type === 'DURATION') throw new TypeError(`filter type ${type} has no published name`)
  return type
}
