import { typesOf } from '../read/dialect.ts'
import { member, members, text } from '../read/located.ts'
import { follow } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { BodyKind } from './types.ts'

/**
 * The form of a media type. An `opaque` type has a format that no generated code reads or writes. The items of a
 * `stream` cannot be separated. `markup` is text that no schema describes.
 */
export type Form = BodyKind | 'opaque' | 'stream' | 'markup'

/** A media type of a body in the document. */
export interface MediaType {
  readonly type: string
  readonly form: Form
  readonly at: Located
}

const jsonType = /^(application|text)\/json$|^[^/]+\/[^/]+\+json$/

const forms: readonly (readonly [RegExp, Form])[] = [
  [jsonType, 'json'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^multipart\/form-data$/, 'multipart'],
  [/^multipart\//, 'opaque'],
  [/^application\/(x-)?(ndjson|jsonl|jsonlines)$/, 'lines'],
  [/^text\/event-stream$/, 'events'],
  [/^application\/json-seq$/, 'stream'],
  [/^[^/]+\/xml$|^[^/]+\/[^/]+\+xml$/, 'markup'],
  [/^text\//, 'text'],
]

/** Returns the media types of a body with their forms, in the order of the document. */
export function mediaTypesOf(loaded: Loaded, at: Located | undefined): readonly MediaType[] {
  return members(at).map(([type, media]) => ({ type, form: formOf(loaded, type, media), at: media }))
}

/**
 * Returns the form of a media type. A form or multipart type whose schema is no object is opaque, and JSON whose schema
 * is binary is bytes. Frameworks write the range of all types by default; its form is that of its schema.
 */
function formOf(loaded: Loaded, type: string, media: Located): Form {
  const essence = essenceOf(type)
  const at = member(media, 'schema')
  const schema = at && follow(loaded, at)
  const form = forms.find(([pattern]) => pattern.test(essence))?.[1]
  if (form === 'form' || form === 'multipart')
    return (typesOf(schema) ?? ['object']).includes('object') ? form : 'opaque'
  if (form === 'json' && schema && isBinary(schema)) return 'bytes'
  if (form === 'markup' && schema && isText(schema)) return 'text'
  if (form) return form
  return essence === anyType ? formOfAny(schema) : 'bytes'
}

/** The range of all types. */
export const anyType = '*/*'

const formOfAny = (schema: Located | undefined): Form => {
  if (!schema || isBinary(schema) || text(schema, 'format') === 'byte') return 'bytes'
  return isText(schema) ? 'text' : 'json'
}

const isBinary = (schema: Located): boolean => text(schema, 'format') === 'binary'

const isText = (schema: Located): boolean => typesOf(schema)?.every(type => type === 'string') ?? false

/**
 * Whether generated code honours the schema of a media type, or the type has no schema: text, XML and bytes have no
 * other schema than text.
 */
export function isHonoured(loaded: Loaded, { at, form }: MediaType): boolean {
  if (form === 'json' || form === 'lines' || form === 'events') return true
  if (form === 'opaque' || form === 'stream') return false
  const reference = member(at, 'schema')
  const schema = reference && follow(loaded, reference)
  const types = typesOf(schema) ?? ['string']
  return form !== 'form' && form !== 'multipart' && types.includes('string')
}

/** Whether a media type is text whose schema, if any, describes neither an object nor a list. */
export function isTextOnly(loaded: Loaded, { at, form }: MediaType): boolean {
  const reference = member(at, 'schema')
  const types = typesOf(reference && follow(loaded, reference)) ?? []
  return form === 'text' && !types.includes('object') && !types.includes('array')
}

const essenceOf = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a media type is JSON by its name. */
export const isJsonType = (type: string): boolean => jsonType.test(essenceOf(type))

/** Whether a media type is a range such as `image/*` or `application/*+json`. */
export const isRange = (type: string): boolean => type.includes('*')
