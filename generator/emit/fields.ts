import type { NamedSchema, Operation, Property, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { fieldsName } from './names.ts'
import type { OutputFile } from './file.ts'
import { heldDefault } from './int64/values.ts'
import type { Doc } from './layout/doc.ts'
import { literal, object, property, quote } from './layout/typescript.ts'

/**
 * Prints a constant such as `organisationFields` with the update rules of each field, for every schema that is updated
 * by mask.
 */
export function printFields(emission: Emission, file: OutputFile): void {
  for (const named of updated(emission)) {
    const { schema } = named
    if (schema.kind !== 'object') continue
    file.block(`export const ${fieldsName(named.views.output)}: ${file.runtime('Fields')} =`, () => {
      for (const property of schema.properties) file.print([ruleOf(property, emission, []), ','])
    })
    file.blank()
  }
}

/**
 * The id of the schema that an operation updates by mask, and the member of the body with the updated value; without
 * `member`, the body is the updated value.
 */
export interface UpdatedFields {
  readonly target: string
  readonly member?: string
}

/**
 * Returns the update of an operation whose mask is in its query, or in its body next to the updated member. Returns
 * undefined for another operation and for an inline schema.
 */
export function updatedFieldsOf({ body }: Operation, emission: Emission): UpdatedFields | undefined {
  if (!body || body.isTagged) return undefined
  const { schema } = body.content
  if (body.view === 'update') return schema.kind === 'ref' ? { target: schema.target } : undefined
  const of = resolved(emission, schema)
  const masked = of.kind === 'object' ? of.properties.find(property => property.masked) : undefined
  return masked?.schema.kind === 'ref' ? { target: masked.schema.target, member: masked.name } : undefined
}

/** Returns the distinct schemas that the operations of this document update by mask. */
function updated(emission: Emission): readonly NamedSchema[] {
  const { document, schemas } = emission
  const targets = document.operations.flatMap(operation => updatedFieldsOf(operation, emission)?.target ?? [])
  return [...new Set(targets)].flatMap(target => schemas.get(target) ?? [])
}

/**
 * Makes a member such as `name: { behavior: 'immutable', required: true }`. `outer` holds the enclosing schemas: a
 * schema inside itself ends the nesting.
 */
function ruleOf(
  { name, access, immutable, required, schema }: Property,
  emission: Emission,
  outer: readonly Schema[],
): Doc {
  const behavior = access === 'both' ? (immutable ? 'immutable' : undefined) : access === 'input' ? 'input' : 'output'
  const rule: Doc[] = []
  if (behavior !== undefined) rule.push(['behavior: ', quote(behavior)])
  if (required && behavior !== 'output') rule.push('required: true')
  if (schema.default !== undefined)
    rule.push(property('default', literal(heldDefault(schema.default, schema, emission))))
  const object_ = resolved(emission, schema)
  if (isSingleObject(object_) && !outer.includes(object_)) {
    const members = object_.properties.map(property => ruleOf(property, emission, [...outer, object_]))
    rule.push(['members: ', object(members)])
  }
  return property(name, object(rule))
}

/** Whether a mask can name the members of a value: masks reach into single objects, but not into lists and maps. */
const isSingleObject = (schema: Schema): schema is Extract<Schema, { kind: 'object' }> =>
  schema.kind === 'object' && schema.properties.length > 0 && typeof schema.additional !== 'object'
