import type { Encoding, Property, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import type { OutputFile } from './file.ts'
import { int64Codec } from './int64/places.ts'
import type { Doc } from './layout/doc.ts'
import { array, object, property, quote } from './layout/typescript.ts'
import { parameterType, scalarOf } from './parameter-type.ts'

/**
 * Returns the properties of all objects that a form may be, keyed by name. The first property with a
 * name counts.
 */
export function propertiesOf(schema: Schema, emission: Emission): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>()
  for (const { properties } of objectsOf(schema, emission)) {
    for (const property of properties) if (!found.has(property.name)) found.set(property.name, property)
  }
  return found
}

type ObjectSchema = Extract<Schema, { kind: 'object' }>

function objectsOf(schema: Schema, emission: Emission): readonly ObjectSchema[] {
  const of = resolved(emission, schema)
  if (of.kind === 'object') return [of]
  return of.kind === 'union' || of.kind === 'intersection' ? of.of.flatMap(each => objectsOf(each, emission)) : []
}

/**
 * Returns the result of `typeOf` for the undeclared members of a form. Returns undefined if they have no schema, or if
 * the result is `'string'`, which is the default.
 */
export function further(
  schema: Schema,
  emission: Emission,
  typeOf: (schema: Schema, emission: Emission) => string,
): string | undefined {
  const [additional] = objectsOf(schema, emission).flatMap(of =>
    typeof of.additional === 'object' ? [of.additional] : [],
  )
  const of = additional && resolved(emission, additional)
  const type = of && typeOf(of.kind === 'array' ? of.items : of, emission)
  return type === "'string'" ? undefined : type
}

/** Returns the description of one member of a URL-encoded form, as an argument of `formFields`. */
export function fieldOf(
  { name, required, schema }: Property,
  encoding: Encoding | undefined,
  emission: Emission,
  file: OutputFile,
): Doc {
  const { explode, style = 'form' } = encoding ?? {}
  const isDeep = style === 'deepObject' && resolved(emission, schema).kind !== 'array'
  const isJson = isJsonType(encoding) || !(isDeep || isFlat(schema, emission))
  const rows: Doc[] = [
    property('name', quote(name)),
    ['type: ', isJson ? "'json'" : parameterType(schema, emission, style)],
  ]
  if (style !== 'form' && !isJson) rows.push(`style: '${style}'`)
  const isUsual = explode === undefined || explode === (style === 'form' || style === 'deepObject')
  if (!isUsual && !isJson) rows.push(`explode: ${explode}`)
  if (encoding?.allowReserved && !isJson) rows.push('reserved: true')
  if (isJson) rows.push(...jsonRow(schema, emission, file))
  if (required && isNullable(schema, emission)) rows.push('orNull: true')
  return object(rows)
}

/** Returns the description of one member of a multipart form, as an argument of `multipartForm`. */
export function partOf(
  { name, required, schema }: Property,
  encoding: Encoding | undefined,
  emission: Emission,
  file: OutputFile,
): Doc {
  const of = resolved(emission, schema)
  const type = isJsonType(encoding) ? "'json'" : partType(of.kind === 'array' ? of.items : of, emission)
  const isList = of.kind === 'array' && !(isJsonType(encoding) && type === "'json'" && isScalar(of.items, emission))
  const rows: Doc[] = [property('name', quote(name)), ['type: ', isList ? object([`array: ${type}`]) : type]]
  const accepted = encoding?.contentType?.split(',').map(each => each.trim()) ?? []
  if (type === "'json'") rows.push(...jsonRow(isList ? of.items : schema, emission, file))
  if (type === "'file'" && accepted.length > 0) rows.push(property('accept', array(accepted.map(quote))))
  const [sent] = accepted
  const usual = type === "'json'" ? 'application/json' : undefined
  if (type !== "'file'" && sent !== undefined && !sent.includes('*') && sent !== usual)
    rows.push(property('contentType', quote(sent)))
  if (required && isNullable(schema, emission)) rows.push('orNull: true')
  return object(rows)
}

/** Returns the form of JSON of a member with 64-bit integers that are not held as numbers. */
function jsonRow(schema: Schema, emission: Emission, file: OutputFile): readonly Doc[] {
  const json = int64Codec(schema, emission, file)
  return json === undefined ? [] : [`json: ${json}`]
}

/** Returns the conversion of the content of one part: `'file'`, `'json'`, or the conversion of a scalar. */
export const partType = (schema: Schema, emission: Emission): string => {
  const of = resolved(emission, schema)
  if (of.kind === 'any') return "'any'"
  const forms = of.kind === 'union' ? of.of.map(each => resolved(emission, each)) : [of]
  if (forms.some(({ kind }) => kind === 'binary'))
    return forms.every(({ kind }) => kind === 'binary') ? "'file'" : "'any'"
  return isScalar(of, emission) ? scalarOf(of, emission) : "'json'"
}

/** Whether null fits a schema that is not open to any value. */
function isNullable(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  return schema.nullable === true || of.nullable === true
}

/** Whether the encoding of a member declares JSON. */
const isJsonType = (encoding: Encoding | undefined): boolean =>
  /^\s*[^/]+\/(?:json|[^/;]+\+json)\s*(?:;|$)/i.test(encoding?.contentType ?? '')

/** Whether text can express a value. A value of unknown type, such as a union of scalars, stays text. */
function isScalar(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  if (of.kind === 'union') return of.of.every(each => isScalar(each, emission))
  // Text cannot tell the value "1" of an enum from the value 1.
  if (of.kind === 'enum') return new Set(of.values.map(value => typeof value === 'string')).size === 1
  return of.kind !== 'object' && of.kind !== 'array' && of.kind !== 'intersection'
}

/**
 * Whether pairs of names and values can express a value. Pairs express scalars, lists of scalars, and objects with
 * known names whose values are scalars or lists of scalars.
 */
function isFlat(schema: Schema, emission: Emission): boolean {
  const isSimple = (of: Schema): boolean => {
    const inner = resolved(emission, of)
    return isScalar(inner.kind === 'array' ? inner.items : inner, emission)
  }
  const of = resolved(emission, schema)
  if (of.kind !== 'object') return isSimple(of)
  return (
    of.properties.length > 0 && typeof of.additional !== 'object' && of.properties.every(each => isSimple(each.schema))
  )
}
