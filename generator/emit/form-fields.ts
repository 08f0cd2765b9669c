import type { Encoding, Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import type { Doc } from './layout/doc.ts'
import { array, object, property, quote } from './layout/typescript.ts'
import { parameterType, scalarOf } from './parameter-type.ts'

/**
 * Returns the schemas of the properties of all objects that a form may be, keyed by name. The first property with a
 * name counts.
 */
export function propertiesOf(schema: Schema, emission: Emission): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>()
  for (const { properties } of objectsOf(schema, emission)) {
    for (const { name, schema: inner } of properties) if (!found.has(name)) found.set(name, inner)
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
export function fieldOf(name: string, schema: Schema, encoding: Encoding | undefined, emission: Emission): Doc {
  const { explode, style = 'form' } = encoding ?? {}
  const isJson = isJsonType(encoding) || !isFlat(schema, emission)
  const rows: Doc[] = [property('name', quote(name)), ['type: ', isJson ? "'json'" : parameterType(schema, emission)]]
  if (style !== 'form' && !isJson) rows.push(`style: '${style}'`)
  const isUsual = explode === undefined || explode === (style === 'form' || style === 'deepObject')
  if (!isUsual && !isJson) rows.push(`explode: ${explode}`)
  return object(rows)
}

/** Returns the description of one member of a multipart form, as an argument of `multipartForm`. */
export function partOf(name: string, schema: Schema, encoding: Encoding | undefined, emission: Emission): Doc {
  const of = resolved(emission, schema)
  const type = isJsonType(encoding) ? "'json'" : partType(of.kind === 'array' ? of.items : of, emission)
  const isList = of.kind === 'array' && !(isJsonType(encoding) && type === "'json'" && isScalar(of.items, emission))
  const rows: Doc[] = [property('name', quote(name)), ['type: ', isList ? object([`array: ${type}`]) : type]]
  const accepted = encoding?.contentType?.split(',').map(each => each.trim()) ?? []
  if (type === "'file'" && accepted.length > 0) rows.push(property('accept', array(accepted.map(quote))))
  return object(rows)
}

/** Returns the conversion of the content of one part: `'file'`, `'json'`, or the conversion of a scalar. */
export const partType = (schema: Schema, emission: Emission): string => {
  const of = resolved(emission, schema)
  if (of.kind === 'binary') return "'file'"
  return isScalar(of, emission) ? scalarOf(of, emission) : "'json'"
}

/** Whether the encoding of a member declares JSON. */
const isJsonType = (encoding: Encoding | undefined): boolean =>
  /^\s*[^/]+\/(?:json|[^/;]+\+json)\s*(?:;|$)/i.test(encoding?.contentType ?? '')

/** Whether text can express a value. A value of unknown type, such as a union of scalars, stays text. */
function isScalar(schema: Schema, emission: Emission): boolean {
  const of = resolved(emission, schema)
  if (of.kind === 'union') return of.of.every(each => isScalar(each, emission))
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
