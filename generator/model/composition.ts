import { isNewer, typesOf } from '../read/dialect.ts'
import { elements, member, positionOf } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import type { Located } from '../read/types.ts'
import type { Building, BuildSchema } from './building.ts'
import { unionDiscriminator } from './discriminator.ts'
import type { Property, Schema, SchemaBase } from './types.ts'

/** The keywords that constrain a value beyond the branches of a schema. `type: object` alone adds no constraint. */
const shapeKeywords: readonly string[] = [
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'x-key-pattern',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
]

/** The keywords that constrain a value in OpenAPI 3.1 in addition. */
const newerKeywords: readonly string[] = [
  'const',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'prefixItems',
  'contains',
  'contentEncoding',
  'exclusiveMinimum',
  'exclusiveMaximum',
]

/** Whether a schema constrains its value by its own keywords, in addition to `allOf`, `oneOf` and `anyOf`. */
export function hasOwnShape(at: Located): boolean {
  const types = typesOf(at)
  const has = (keyword: string): boolean => own(at.value, keyword) !== undefined
  if (isNewer(at)) return types !== undefined || [...shapeKeywords, ...newerKeywords].some(has)
  return (types !== undefined && types[0] !== 'object') || shapeKeywords.some(has)
}

/** Builds the union of `oneOf` or `anyOf`. A single alternative without a discriminator replaces the union. */
export function unionOf(
  building: Building,
  at: Located,
  keyword: 'oneOf' | 'anyOf',
  type: string | undefined,
  build: BuildSchema,
): Schema {
  const branches = elements(member(at, keyword))
  const all = branches.map(branch => build(branch, { as: 'alternative', type }))
  const of = all.filter(branch => !isNull(branch))
  const nullable = of.length < all.length && of.length > 0 && !of.some(branch => branch.nullable)
  const kept = nullable ? of : all
  const discriminator = unionDiscriminator(
    building,
    at,
    branches.filter((_, i) => kept.some(branch => branch === all[i])),
  )
  const [only] = kept
  if (kept.length === 1 && only && !discriminator) return nullable ? { ...only, nullable } : only
  return {
    kind: 'union',
    of: kept,
    exactlyOne: keyword === 'oneOf',
    ...(discriminator && { discriminator }),
    ...(nullable && { nullable }),
    position: positionOf(at),
  }
}

/** Whether null is the only value of a schema, so that a union with the schema is a nullable schema. */
const isNull = (schema: Schema): boolean => schema.kind === 'never' && schema.nullable === true

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/**
 * Builds the intersection of the parts. Inline open objects merge into one object, unless two of these objects have a
 * schema for the same property. A closed object stays separate, because a closed object refuses the properties of other
 * parts. A single part replaces the intersection.
 */
export function intersectionOf(parts: readonly Schema[], base: SchemaBase): Schema {
  const of = merged(parts)
  const [only] = of
  if (only && of.length === 1) return { ...only, ...base, ...(only.nullable && { nullable: true }) }
  return { kind: 'intersection', of, ...base }
}

function merged(parts: readonly Schema[]): readonly Schema[] {
  const plain = parts.filter(isPlainObject)
  const properties = plain.length > 1 ? disjoint(plain.flatMap(part => part.properties)) : undefined
  const [first] = plain
  if (!properties || !first) return parts
  const whole: Schema = { ...first, properties }
  return parts.flatMap((part): readonly Schema[] => (part === first ? [whole] : isPlainObject(part) ? [] : [part]))
}

const isPlainObject = (schema: Schema): schema is ObjectSchema =>
  schema.kind === 'object' &&
  schema.additional === 'open' &&
  schema.nullable === undefined &&
  schema.keyPattern === undefined &&
  schema.minProperties === undefined &&
  schema.maxProperties === undefined &&
  schema.implied === undefined &&
  schema.patterns === undefined &&
  schema.names === undefined &&
  schema.dependents === undefined

/**
 * Joins properties by name. A name that is only in `required` merges with the property that has a schema. Returns
 * undefined if two properties have a schema for the same name.
 */
function disjoint(properties: readonly Property[]): readonly Property[] | undefined {
  const byName = new Map<string, Property>()
  for (const property of properties) {
    const other = byName.get(property.name)
    if (!other) byName.set(property.name, property)
    else if (isOnlyRequired(property)) byName.set(property.name, { ...other, required: true })
    else if (isOnlyRequired(other)) byName.set(property.name, { ...property, required: true })
    else return undefined
  }
  return [...byName.values()]
}

const isOnlyRequired = ({ required, schema }: Property): boolean => required && schema.kind === 'any'
