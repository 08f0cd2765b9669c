import type { Property, Schema } from './types.ts'

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/**
 * Whether a value could fit both schemas, judged by types, enum values and properties. Returns true in doubt. `resolve`
 * follows references.
 */
export function mayOverlap(a: Schema, b: Schema, resolve: (schema: Schema) => Schema, depth = 0): boolean {
  if (a.nullable && b.nullable) return true
  if (a.kind === 'never' || b.kind === 'never') return false
  if (isNegatedIn(a, b) || isNegatedIn(b, a)) return false
  if (depth > 3 || isOpaque(a) || isOpaque(b)) return true
  if (a.kind === 'enum') return a.values.some(value => mayBe(value, b))
  if (b.kind === 'enum') return mayOverlap(b, a, resolve, depth)
  if (a.kind !== b.kind) return false
  if (a.kind !== 'object' || b.kind !== 'object') return true
  return !excludes(a, b) && !excludes(b, a) && !differ(a, b, resolve, depth)
}

const isOpaque = ({ kind, implied }: Schema): boolean =>
  implied === true || kind === 'any' || kind === 'union' || kind === 'intersection' || kind === 'ref'

/** Whether a branch of `a` is a `not` whose schema every value of `b` fits. */
const isNegatedIn = (a: Schema, b: Schema): boolean =>
  branchesOf(a).some(branch => branch.kind === 'not' && alwaysFits(b, branch.of))

const branchesOf = (schema: Schema): readonly Schema[] => (schema.kind === 'intersection' ? schema.of : [schema])

/** Whether every value of `schema` fits `wanted`, judged by required members. Returns false in doubt. */
function alwaysFits(schema: Schema, wanted: Schema): boolean {
  if (wanted.kind === 'union' && !wanted.exactlyOne) return wanted.of.some(form => alwaysFits(schema, form))
  if (wanted.kind !== 'object' || wanted.additional !== 'open' || wanted.maxProperties !== undefined) return false
  const names = new Set(branchesOf(schema).flatMap(branch => (branch.kind === 'object' ? requiredIn(branch) : [])))
  return (
    (wanted.minProperties ?? 0) <= names.size &&
    wanted.properties.every(
      ({ name, required, schema: member }) => required && member.kind === 'any' && names.has(name),
    )
  )
}

const requiredIn = ({ properties }: ObjectSchema): readonly string[] =>
  properties.filter(({ required }) => required).map(({ name }) => name)

function mayBe(value: string | number | boolean, schema: Schema): boolean {
  if (schema.kind === 'enum') return schema.values.includes(value)
  if (schema.kind !== 'number') return schema.kind === typeof value
  return typeof value === 'number' && (!schema.integer || Number.isInteger(value))
}

/** Whether a closed object refuses a member that the other object requires. */
function excludes(closed: ObjectSchema, other: ObjectSchema): boolean {
  if (closed.additional !== false) return false
  const listed = new Set(closed.properties.map(({ name }) => name))
  return other.properties.some(({ name, required }) => required && !listed.has(name))
}

/** Whether a property of both objects that at least one object requires has no common value. */
function differ(a: ObjectSchema, b: ObjectSchema, resolve: (schema: Schema) => Schema, depth: number): boolean {
  const others = new Map(b.properties.map(property => [property.name, property]))
  return a.properties.some((property: Property) => {
    const other = others.get(property.name)
    if (!other || (!property.required && !other.required)) return false
    return !mayOverlap(resolve(property.schema), resolve(other.schema), resolve, depth + 1)
  })
}
