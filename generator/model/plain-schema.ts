import { messages } from '../diagnostics.ts'
import { branchesOf } from '../read/branches.ts'
import { jsonTypeFits } from '../read/fits.ts'
import { elements, flag, member, members, numeric, positionOf, text, texts } from '../read/located.ts'
import { isRecord, own } from '../read/pointer.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Building, BuildSchema, Standing } from './building.ts'
import { present } from './present.ts'
import type { Property, Schema, SchemaBase } from './types.ts'

/** The keywords that imply a kind of value in a schema without `type`. The first match decides. */
const impliedBy = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties', 'x-key-pattern']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'multipleOf']],
] as const

/**
 * Builds a schema from its own keywords, without `allOf`, `oneOf` and `anyOf`. Warns if keywords imply the type of a
 * schema that is no branch, alternative or negated schema.
 */
export function plainSchema(
  building: Building,
  at: Located,
  base: SchemaBase,
  { as, type }: Standing,
  build: BuildSchema,
): Schema {
  if (Array.isArray(own(at.value, 'enum'))) return enumSchema(at, base, type)
  if (type !== undefined) return typedSchema(building.loaded, type, at, base, build)
  const implied = impliedBy.find(([, keywords]) => keywords.some(keyword => own(at.value, keyword) !== undefined))?.[0]
  if (implied === undefined) return { kind: 'any', ...base }
  const schema = typedSchema(building.loaded, implied, at, base, build)
  if (as === 'negated') return { ...schema, implied: true }
  if (as !== 'itself') return schema
  building.diagnostics.add(messages.typeMissing(implied), positionOf(at))
  return { ...schema, implied: true }
}

function enumSchema(at: Located, base: SchemaBase, type: string | undefined): Schema {
  const values = elements(member(at, 'enum')).flatMap(({ value }) => {
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isScalar && (type === undefined || jsonTypeFits(type, value)) ? [value] : []
  })
  if (values.length === 0) return { kind: 'never', ...base }
  const unspecified = text(at, 'x-unspecified')
  return {
    kind: 'enum',
    values: [...new Set(values)],
    ...(unspecified !== undefined && values.includes(unspecified) && { unspecified }),
    ...base,
  }
}

function typedSchema(loaded: Loaded, type: string, at: Located, base: SchemaBase, build: BuildSchema): Schema {
  switch (type) {
    case 'string':
      return stringSchema(at, base)
    case 'number':
    case 'integer':
      return numberSchema(type === 'integer', at, base)
    case 'boolean':
      return { kind: 'boolean', ...base }
    case 'array':
      return arraySchema(at, base, build)
    case 'object':
      return objectSchema(loaded, at, base, build)
    default:
      return { kind: 'any', ...base }
  }
}

function stringSchema(at: Located, base: SchemaBase): Schema {
  const limits = { minLength: numeric(at, 'minLength'), maxLength: numeric(at, 'maxLength') }
  return {
    kind: 'string',
    ...present({ format: text(at, 'format'), ...limits, pattern: text(at, 'pattern') }),
    ...base,
  }
}

function numberSchema(integer: boolean, at: Located, base: SchemaBase): Schema {
  const limits = present({
    format: text(at, 'format'),
    minimum: numeric(at, 'minimum'),
    maximum: numeric(at, 'maximum'),
    exclusiveMinimum: trueOrAbsent(at, 'exclusiveMinimum'),
    exclusiveMaximum: trueOrAbsent(at, 'exclusiveMaximum'),
    multipleOf: numeric(at, 'multipleOf'),
  })
  const { maximum = Infinity, minimum = -Infinity } = limits
  const isWide =
    text(at, 'format') === 'int64' && (maximum > Number.MAX_SAFE_INTEGER || minimum < Number.MIN_SAFE_INTEGER)
  return { kind: 'number', integer, ...limits, ...(integer && isWide && { wide: true }), ...base }
}

function arraySchema(at: Located, base: SchemaBase, build: BuildSchema): Schema {
  const items = member(at, 'items')
  const limits = present({
    minItems: numeric(at, 'minItems'),
    maxItems: numeric(at, 'maxItems'),
    uniqueItems: trueOrAbsent(at, 'uniqueItems'),
  })
  return { kind: 'array', items: items ? build(items) : { kind: 'any', position: base.position }, ...limits, ...base }
}

function objectSchema(loaded: Loaded, at: Located, base: SchemaBase, build: BuildSchema): Schema {
  const additional = additionalOf(at, build)
  const limits = present({
    keyPattern: text(at, 'x-key-pattern'),
    minProperties: numeric(at, 'minProperties'),
    maxProperties: numeric(at, 'maxProperties'),
  })
  return { kind: 'object', properties: propertiesOf(loaded, at, additional, build), additional, ...limits, ...base }
}

type Additional = Extract<Schema, { kind: 'object' }>['additional']

function additionalOf(at: Located, build: BuildSchema): Additional {
  const additional = member(at, 'additionalProperties')
  if (!additional) return 'open'
  if (!isRecord(additional.value)) return additional.value === false ? false : 'any'
  return Object.keys(additional.value).length === 0 ? 'any' : build(additional)
}

/** Returns the declared properties in their order, then the required names without a declaration. */
function propertiesOf(loaded: Loaded, at: Located, additional: Additional, build: BuildSchema): readonly Property[] {
  const required = new Set(texts(at, 'required'))
  const masked = maskedIn(loaded, at)
  const described = members(member(at, 'properties')).map(([name, property]): Property => {
    const isRequired = required.delete(name)
    const isMasked = name === masked ? { masked: true as const } : {}
    return { name, schema: build(property), required: isRequired, ...behaviour(loaded, property), ...isMasked }
  })
  const position = positionOf(at)
  const schema: Schema = typeof additional === 'object' ? additional : { kind: 'any', position }
  const named = [...required].map((name): Property => ({
    name,
    schema,
    required: true,
    access: 'both',
    immutable: false,
  }))
  return [...described, ...named]
}

/**
 * Returns the name of the object that an `update_mask` with the format `field-mask` selects from (AIP-134): the only
 * object next to the mask. Returns undefined if there are several objects or none.
 */
function maskedIn(loaded: Loaded, at: Located): string | undefined {
  const properties = members(member(at, 'properties'))
  const mask = properties.find(([name]) => name === 'update_mask')?.[1]
  if (!mask || text(mask, 'format') !== 'field-mask') return undefined
  const objects = properties.filter(([, property]) => hasProperties(loaded, property))
  return objects.length === 1 ? objects[0]?.[0] : undefined
}

const hasProperties = (loaded: Loaded, at: Located): boolean =>
  [...branchesOf(loaded, at)].some(branch => member(branch, 'properties') !== undefined)

/** The flags that limit the direction of a member. The first match decides. */
const accesses = [
  ['readOnly', 'output'],
  ['writeOnly', 'input'],
  ['x-precondition', 'precondition'],
] as const

/**
 * Returns the direction and mutability of a property. A flag counts on the property itself, on the target of its
 * reference, and on a branch.
 */
function behaviour(loaded: Loaded, property: Located): Pick<Property, 'access' | 'immutable'> {
  const { value } = property
  const isPlain = own(value, '$ref') === undefined && own(value, 'allOf') === undefined
  const sources = isPlain ? [property] : [property, ...branchesOf(loaded, property)]
  const hasFlag = (name: string): boolean => sources.some(source => flag(source, name))
  const access = accesses.find(([name]) => hasFlag(name))?.[1] ?? 'both'
  return { access, immutable: hasFlag('x-immutable') }
}

const trueOrAbsent = (at: Located, name: string): true | undefined => flag(at, name) || undefined
