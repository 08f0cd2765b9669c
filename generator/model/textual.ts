import { joinedObject, mainBranch, type Schema } from './types.ts'

/** The schemas of a document, keyed by id. */
export type Index = ReadonlyMap<string, Schema>
export type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** Follows references to the final schema. The loop ends, because `judge` resolves no reference on a cycle. */
export function resolved(schema: Schema, byId: Index): Schema {
  let current: Schema | undefined = schema
  while (current?.kind === 'ref') current = byId.get(current.target)
  return current ?? schema
}

/**
 * Returns the resolved schema; of an intersection of one schema with negated schemas, the resolved one, and of an
 * intersection of objects, the object of all members.
 */
export function shaped(schema: Schema, byId: Index): Schema {
  const of = resolved(schema, byId)
  const only = of.kind === 'intersection' ? mainBranch(of) : undefined
  return only ? resolved(only, byId) : joinedObject(of, each => shaped(each, byId))
}

/**
 * Whether text can represent the values of a schema. Text can represent a scalar, a list of scalars, and an object
 * whose members are scalars or lists of scalars.
 */
export function isTextual(schema: Schema, byId: Index): boolean {
  const of = shaped(schema, byId)
  if (of.kind === 'object') {
    return membersOf(of).every(member => isListOrScalar(member, byId))
  }
  return isListOrScalar(of, byId)
}

/** The maximal nesting of objects of the style `deepObject`. */
const maxDeep = 5

/** Whether the style `deepObject` can represent the values of a schema: objects in objects, and one object beside scalars. */
export function isDeep(schema: Schema, byId: Index, depth: number): boolean {
  const of = shaped(schema, byId)
  const forms = of.kind === 'union' ? of.of.map(form => shaped(form, byId)) : [of]
  const objects = forms.filter(form => form.kind === 'object')
  const [object] = objects
  if (!object) return isListOrScalar(of, byId)
  if (objects.length > 1 || depth > maxDeep) return false
  const isAlike = forms.every(form => form === object || isScalar(form))
  return isAlike && membersOf(object).every(member => isDeep(member, byId, depth + 1))
}

/** Returns the schemas of the declared members of an object, and that of its undeclared members. */
const membersOf = ({ additional, properties }: ObjectSchema): readonly Schema[] => [
  ...properties.map(({ schema }) => schema),
  ...(typeof additional === 'object' ? [additional] : []),
]

function isListOrScalar(schema: Schema, byId: Index): boolean {
  const of = shaped(schema, byId)
  // No text tells the types of the items of a tuple apart.
  if (of.kind === 'array' && of.prefix) return false
  return isText(of.kind === 'array' ? shaped(of.items, byId) : of, byId)
}

/** Whether a text has one meaning as a value of a schema: a text beside numbers could be any of them. */
function isText(schema: Schema, byId: Index): boolean {
  if (schema.kind !== 'union') return isScalar(schema)
  const forms = schema.of.map(form => shaped(form, byId))
  const texts = forms.filter(form => form.kind === 'string' || (form.kind === 'enum' && hasText(form)))
  return forms.every(isScalar) && (texts.length === 0 || texts.length === forms.length)
}

const hasText = ({ values }: Extract<Schema, { kind: 'enum' }>): boolean =>
  values.some(value => typeof value === 'string')

function isScalar(schema: Schema): boolean {
  if (schema.kind === 'enum') return !hasText(schema) || schema.values.every(value => typeof value === 'string')
  return schema.kind === 'string' || schema.kind === 'number' || schema.kind === 'boolean' || schema.kind === 'any'
}
