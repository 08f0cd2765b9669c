import { messages } from '../diagnostics.ts'
import { foreignPart } from '../pattern.ts'
import { branchesOf } from '../read/branches.ts'
import { boundsOf, isNewer, permitsNull, typesOf } from '../read/dialect.ts'
import { elements, flag, member, members, numeric, positionOf, text, texts } from '../read/located.ts'
import { isRecord, own } from '../read/pointer.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Building, BuildSchema, Standing } from './building.ts'
import { choicesSchema } from './choices.ts'
import { intersectionOf } from './composition.ts'
import { exactBounds } from './exact-integers.ts'
import { present } from './present.ts'
import type { Property, Schema, SchemaBase } from './types.ts'

/** The keywords that imply a kind of value in a schema without `type`. */
const impliedBy = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties', 'x-key-pattern']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['pattern', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'multipleOf']],
] as const

/** The same keywords of OpenAPI 3.1, in addition. */
const impliedByNewer = {
  object: ['patternProperties', 'propertyNames', 'dependentRequired'],
  array: ['prefixItems', 'contains'],
  string: ['contentEncoding'],
  number: ['exclusiveMinimum', 'exclusiveMaximum'],
} as const

/**
 * Builds a schema from its own keywords, without `allOf`, `oneOf` and `anyOf`. Warns if keywords imply the type of a
 * schema that is no branch, alternative or negated schema.
 */
export function plainSchema(
  building: Building,
  at: Located,
  base: SchemaBase,
  standing: Standing,
  build: BuildSchema,
): Schema {
  const types = typesOf(at) ?? (standing.type === undefined ? undefined : [standing.type])
  const typed = withNull(base, at)
  const choices = choicesSchema(at, typed, types, building)
  if (choices) return choices
  if (!types) return impliedSchema(building, at, base, standing, build)
  const distinct = types.length === 1 ? types : distinctTypes(types)
  const [only] = distinct
  if (only === undefined) return { kind: 'never', ...typed }
  if (distinct.length === 1) return typedSchema(building, only, at, typed, build)
  const { position } = base
  return {
    kind: 'union',
    exactlyOne: false,
    of: distinct.map(type => typedSchema(building, type, at, { position }, build)),
    ...typed,
  }
}

/** Returns each type once. The type `number` includes `integer`. */
const distinctTypes = (types: readonly string[]): readonly string[] =>
  [...new Set(types)].filter(type => type !== 'integer' || !types.includes('number'))

/** Returns the base of a schema of OpenAPI 3.1, whose types may include null. The base of 3.0 holds `nullable`. */
const withNull = (base: SchemaBase, at: Located): SchemaBase =>
  isNewer(at) && permitsNull(at) ? { ...base, nullable: true } : base

/**
 * Builds a schema without a type: its keywords constrain only values of the types to which the keywords apply. In 3.0,
 * branches and alternatives with keywords of one type demand the type.
 */
function impliedSchema(
  building: Building,
  at: Located,
  base: SchemaBase,
  { as }: Standing,
  build: BuildSchema,
): Schema {
  const kinds = impliedBy.flatMap(([kind, keywords]) => {
    const all = isNewer(at) ? [...keywords, ...impliedByNewer[kind]] : keywords
    return all.some(keyword => own(at.value, keyword) !== undefined) ? [kind] : []
  })
  const [only] = kinds
  if (only === undefined) return { kind: 'any', ...base }
  if (as === 'itself' && !isCondition(at))
    building.diagnostics.add(messages.typeMissing(kinds.join(' and ')), positionOf(at))
  if (kinds.length === 1) {
    const schema = typedSchema(building, only, at, base, build)
    const isImplied = as === 'itself' || as === 'negated' || isNewer(at)
    return isImplied ? { ...schema, implied: true } : schema
  }
  const { position } = base
  const parts = kinds.map((kind): Schema => ({
    ...typedSchema(building, kind, at, { position }, build),
    implied: true,
  }))
  return intersectionOf(parts, base)
}

/**
 * Whether a schema is part of a condition or of its consequence in OpenAPI 3.1. These parts repeat members whose types
 * other parts of the schema declare.
 */
const isCondition = (at: Located): boolean =>
  isNewer(at) && /\/(if|then|else|not|contains|dependentSchemas|propertyNames)\//.test(at.pointer)

function typedSchema(building: Building, type: string, at: Located, base: SchemaBase, build: BuildSchema): Schema {
  switch (type) {
    case 'string':
      return stringSchema(at, base)
    case 'number':
    case 'integer':
      return numberSchema(type === 'integer', at, base, building)
    case 'boolean':
      return { kind: 'boolean', ...base }
    case 'array':
      return arraySchema(at, base, build)
    case 'object':
      return objectSchema(building.loaded, at, base, build)
    default:
      return { kind: 'any', ...base }
  }
}

function stringSchema(at: Located, base: SchemaBase): Schema {
  const limits = { minLength: numeric(at, 'minLength'), maxLength: numeric(at, 'maxLength') }
  return {
    kind: 'string',
    ...present({ format: formatOf(at), ...limits, pattern: patternOf(at) }),
    ...base,
  }
}

/** Returns the pattern of a schema; undefined also for a pattern of another dialect, which is reported. */
function patternOf(at: Located): string | undefined {
  const pattern = text(at, 'pattern')
  return pattern === undefined || foreignPart(pattern) !== undefined ? undefined : pattern
}

function numberSchema(integer: boolean, at: Located, base: SchemaBase, { isExact }: Building): Schema {
  const limits = present({
    format: text(at, 'format'),
    ...boundsOf(at),
    multipleOf: numeric(at, 'multipleOf'),
  })
  const { maximum = Infinity, minimum = -Infinity } = limits
  const isWide =
    text(at, 'format') === 'int64' && (maximum > Number.MAX_SAFE_INTEGER || minimum < Number.MIN_SAFE_INTEGER)
  const exact = integer && isWide && isExact ? exactBounds(at) : {}
  return {
    kind: 'number',
    integer,
    ...limits,
    ...(integer && isWide && { wide: true }),
    ...(Object.keys(exact).length > 0 && { exact }),
    ...base,
  }
}

/**
 * Returns the format of a text. In OpenAPI 3.1, `contentEncoding: base64` takes the place of the format `byte`, and a
 * media type without an encoding that of `binary`.
 */
function formatOf(at: Located): string | undefined {
  const format = text(at, 'format')
  if (format !== undefined || !isNewer(at)) return format
  const encoding = text(at, 'contentEncoding')
  if (encoding !== undefined) return encoding === 'base64' ? 'byte' : undefined
  const type = text(at, 'contentMediaType')
  return type === undefined || /^text\/|json/i.test(type) ? undefined : 'binary'
}

function arraySchema(at: Located, base: SchemaBase, build: BuildSchema): Schema {
  const items = member(at, 'items')
  const limits = present({
    minItems: numeric(at, 'minItems'),
    maxItems: numeric(at, 'maxItems'),
    uniqueItems: trueOrAbsent(at, 'uniqueItems'),
    ...(isNewer(at) && newerArray(at, build)),
  })
  return { kind: 'array', items: items ? build(items) : { kind: 'any', position: base.position }, ...limits, ...base }
}

type NewerArray = Pick<Extract<Schema, { kind: 'array' }>, 'isOpen' | 'prefix' | 'contains'>

function newerArray(at: Located, build: BuildSchema): NewerArray {
  const prefix = elements(member(at, 'prefixItems')).map(item => build(item))
  const contained = member(at, 'contains')
  const most = numeric(at, 'maxContains')
  const contains = contained && {
    of: build(contained, { as: 'negated', type: undefined }),
    min: numeric(at, 'minContains') ?? 1,
    ...(most !== undefined && { max: most }),
  }
  const isOpen = member(at, 'items') ? {} : { isOpen: true as const }
  return { ...isOpen, ...(prefix.length > 0 && { prefix }), ...(contains && { contains }) }
}

function objectSchema(loaded: Loaded, at: Located, base: SchemaBase, build: BuildSchema): Schema {
  const additional = additionalOf(at, build)
  const limits = present({
    keyPattern: text(at, 'x-key-pattern'),
    minProperties: numeric(at, 'minProperties'),
    maxProperties: numeric(at, 'maxProperties'),
    ...(isNewer(at) && newerObject(at, build)),
  })
  return { kind: 'object', properties: propertiesOf(loaded, at, additional, build), additional, ...limits, ...base }
}

type NewerObject = Pick<Extract<Schema, { kind: 'object' }>, 'patterns' | 'names' | 'dependents'>

function newerObject(at: Located, build: BuildSchema): NewerObject {
  const names = member(at, 'propertyNames')
  const patterns = members(member(at, 'patternProperties')).map(([pattern, part]) => [pattern, build(part)] as const)
  const dependent = member(at, 'dependentRequired')
  const dependents = members(dependent).flatMap(([name]) => {
    const required = texts(dependent, name)
    return required.length > 0 ? [{ name, required }] : []
  })
  return {
    ...(patterns.length > 0 && { patterns }),
    ...(names && { names: build(names, { as: 'negated', type: 'string' }) }),
    ...(dependents.length > 0 && { dependents }),
  }
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
  const properties = member(at, 'properties')
  const mask = properties && member(properties, 'update_mask')
  if (text(mask, 'format') !== 'field-mask') return undefined
  const objects = members(properties).filter(([, property]) => hasProperties(loaded, property))
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
function behaviour(loaded: Loaded, property: Located): Pick<Property, 'access' | 'immutable' | 'ofContent'> {
  const { value } = property
  const isPlain = own(value, '$ref') === undefined && own(value, 'allOf') === undefined
  const branches = isPlain ? [] : [...branchesOf(loaded, property)]
  const hasFlag = (name: string): boolean => flag(property, name) || branches.some(branch => flag(branch, name))
  const access = accesses.find(([name]) => hasFlag(name))?.[1] ?? 'both'
  const ofContent = hasFlag('x-content-etag') || undefined
  return { access, immutable: hasFlag('x-immutable'), ...(ofContent && { ofContent }) }
}

const trueOrAbsent = (at: Located, name: string): true | undefined => flag(at, name) || undefined
