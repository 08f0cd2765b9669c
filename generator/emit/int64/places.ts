import type { Schema } from '../../model/types.ts'
import { type Emission, openFile, schemaOf } from '../emission.ts'
import type { OutputFile } from '../file.ts'
import { heldAs } from './held.ts'
import { pure, regExp } from '../hoisted.ts'
import { type Doc, flat } from '../layout/doc.ts'
import { array, call, object, property, quote } from '../layout/typescript.ts'
import { placesName } from '../names.ts'

/**
 * Emits int64.ts: where the schemas of the document contain integers of the format `int64` that are not held as numbers.
 * Returns undefined for a document without such integers.
 */
export function emitInt64(emission: Emission): OutputFile | undefined {
  const named = emission.document.schemas.filter(({ id }) => emission.held.has(id))
  if (named.length === 0) return undefined
  const file = openFile(emission, 'int64')
  for (const each of named) {
    const places = placesOf(each.schema, { emission, file })
    file.print([`export const ${placesName(each)}: ${file.runtime('Places')} = `, places ?? '[]'])
    file.blank()
  }
  return file
}

/**
 * Returns the code of the codec of JSON with such integers, an expression of the runtime; undefined for a schema without
 * them.
 */
export function int64Codec(schema: Schema, emission: Emission, file: OutputFile): string | undefined {
  if (emission.options.int64 === undefined) return undefined
  const places = placesOf(schema, { emission, file })
  if (!places) return undefined
  const args = emission.options.int64 === 'string' ? [places, quote('string')] : [places]
  return `${pure} ${flat(call(file.runtime('int64Json'), args))}`
}

interface PlacesContext {
  readonly emission: Emission
  readonly file: OutputFile
}

/** Returns the places of such integers in the values of a schema; undefined if there are none. */
function placesOf(schema: Schema, context: PlacesContext): Doc | undefined {
  const { emission, file } = context
  switch (schema.kind) {
    case 'number':
    case 'enum':
      return heldAs(schema, emission) && 'true'
    case 'ref': {
      if (!emission.held.has(schema.target)) return undefined
      const named = schemaOf(emission, schema.target)
      // The function lets schemas contain themselves and each other.
      return `() => ${file.from('int64', placesName(named), false, named.document)}`
    }
    case 'array':
      return listPlaces(schema, context)
    case 'object':
      return memberPlaces(schema, context)
    case 'union':
      return schema.discriminator ? taggedPlaces(schema, context) : together(schema.of, context)
    case 'intersection':
      return together(schema.of, context)
    case 'conditional':
      return together(
        [schema.then, schema.else].filter(part => part !== undefined),
        context,
      )
    case 'dependent':
      return placesOf(schema.of, context)
    case 'unevaluated':
      return wrapped(schema.parts === 'members' ? 'rest' : 'items', placesOf(schema.rest, context))
    default:
      return undefined
  }
}

const wrapped = (name: string, places: Doc | undefined): Doc | undefined => places && object([[`${name}: `, places]])

function together(schemas: readonly Schema[], context: PlacesContext): Doc | undefined {
  const all = schemas.flatMap(schema => placesOf(schema, context) ?? [])
  return all.length > 1 ? array(all) : all[0]
}

function taggedPlaces(schema: Extract<Schema, { kind: 'union' }>, context: PlacesContext): Doc | undefined {
  const { mapping = [], property: tag = '' } = schema.discriminator ?? {}
  const { position } = schema
  const forms = mapping.flatMap(([value, target]) => {
    const places = placesOf({ kind: 'ref', target, position }, context)
    return places ? [property(value, places)] : []
  })
  return forms.length === 0 ? undefined : object([property('tag', quote(tag)), ['forms: ', object(forms)]])
}

function listPlaces({ items, prefix }: Extract<Schema, { kind: 'array' }>, context: PlacesContext): Doc | undefined {
  const rows: Doc[] = []
  const rest = placesOf(items, context)
  const first = prefix?.map(item => placesOf(item, context))
  if (rest) rows.push(['items: ', rest])
  if (first?.some(item => item !== undefined) || (first && rest)) {
    rows.push(['first: ', array(first.map(item => item ?? '[]'))])
  }
  return rows.length > 0 ? object(rows) : undefined
}

function memberPlaces(schema: Extract<Schema, { kind: 'object' }>, context: PlacesContext): Doc | undefined {
  const { additional, patterns = [], properties } = schema
  const rest = typeof additional === 'object' ? placesOf(additional, context) : undefined
  const matching = patterns.flatMap(([pattern, inner]) => {
    const places = placesOf(inner, context)
    // A member that matches another pattern is no further member.
    return places || rest ? [array([regExp(pattern), places ?? '[]'])] : []
  })
  const members = properties.flatMap(({ name, schema: inner }) => {
    const places = placesOf(inner, context)
    return places || rest ? [property(name, places ?? '[]')] : []
  })
  const rows: Doc[] = []
  if (members.length > 0) rows.push(['members: ', object(members)])
  if (matching.length > 0) rows.push(['matching: ', array(matching)])
  if (rest) rows.push(['rest: ', rest])
  return rows.length > 0 ? object(rows) : undefined
}
