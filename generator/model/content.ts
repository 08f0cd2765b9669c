import { type DiagnosticList, messages } from '../diagnostics.ts'
import { typeOf } from '../read/dialect.ts'
import { member, positionOf } from '../read/located.ts'
import { follow } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { BuildSchema } from './building.ts'
import { exampleAt } from './example.ts'
import { encodingOf } from './encoding.ts'
import { withFiles } from './form-schemas.ts'
import { anyType, type Form, isHonoured, isJsonType, isRange, type MediaType, mediaTypesOf } from './media-types.ts'
import type { Content, Schema } from './types.ts'

/**
 * The order of preference among the media types of a response. Among media types of the same form, the first in the
 * document is chosen.
 */
const preference: readonly Form[] = [
  'json',
  'text',
  'bytes',
  'lines',
  'events',
  'markup',
  'stream',
  'form',
  'multipart',
  'opaque',
]

/**
 * Returns the media types of a response in the order of the document, with ranges last, as `contentsOf` does. Media types
 * whose schema no generated code honours are left out beside others, and so are all but one if none is honoured; a list
 * of `x-filter` has a single media type (`isSingle`). Reports the media types that are left out.
 */
export function answersOf(
  loaded: Loaded,
  diagnostics: DiagnosticList,
  at: Located | undefined,
  build: BuildSchema,
  isSingle: boolean,
): readonly Content[] {
  const found = mediaTypesOf(loaded, at)
  const honoured = found.filter(media => isHonoured(loaded, media))
  const preferred = preference.flatMap(form => found.filter(media => media.form === form)).slice(0, 1)
  const kept = isSingle || honoured.length === 0 ? preferred : honoured
  const left = found.filter(media => !kept.includes(media)).map(({ type }) => type)
  const types = kept.map(({ type }) => type)
  if (at && left.length > 0) diagnostics.add(messages.mediaTypesLeftOut(types, left), positionOf(at))
  // No generated code reads the forms of answers.
  const isForm = ({ form }: MediaType): boolean => form === 'form' || form === 'multipart'
  const forms = kept.map(media => (isForm(media) ? { ...media, form: 'opaque' as const } : media))
  return merged(forms.map(media => built(loaded, media, diagnostics, build)))
}

/**
 * Returns the media types of a request in the order of the document, with ranges last. JSON types with the same schema
 * become one content: clients send the first type that is no range, and servers accept all of them. So do types that
 * differ only in the charset.
 */
export function contentsOf(
  loaded: Loaded,
  diagnostics: DiagnosticList,
  at: Located | undefined,
  build: BuildSchema,
): readonly Content[] {
  const contents = merged(mediaTypesOf(loaded, at).map(media => built(loaded, media, diagnostics, build)))
  return contents.map(content => (content.type === anyType && contents.length === 1 ? named(content, octets) : content))
}

/** Joins JSON types with the same schema, and types that differ only in the charset; sorts ranges last. */
function merged(contents: readonly Content[]): readonly Content[] {
  const groups = Map.groupBy(contents, ({ kind, schema, type }) =>
    kind === 'json' ? textOf(schema) : type.replace(/;\s*charset=[^;]*/i, ''),
  )
  const joined = [...groups.values()].flatMap(group => {
    const content = group.find(({ type }) => !isRange(type)) ?? group[0]
    const aliases = [...new Set(group.map(({ type }) => type))].filter(type => type !== content?.type)
    return content ? [{ ...content, ...(aliases.length > 0 && { aliases }) }] : []
  })
  const [only] = joined
  if (only?.type === anyType && joined.length === 1) return [named(only, anyType)]
  return joined.toSorted((a, b) => breadth(a) - breadth(b))
}

/** Returns the content of the range of all types with the type that a sender names; `bytes` is the type of bytes. */
function named(content: Content, bytes: string): Content {
  const type = content.kind === 'json' ? 'application/json' : content.kind === 'text' ? 'text/plain' : bytes
  return type === anyType ? content : { ...content, type, aliases: [anyType] }
}

const octets = 'application/octet-stream'

/** Returns the sort key of a content: types, then ranges, then the range of all types, which contains all others. */
const breadth = ({ type }: Content): number => (type === anyType ? 2 : Number(isRange(type)))

/** Returns the text of a schema without its positions, for comparison. */
const textOf = (schema: Schema): string =>
  JSON.stringify(schema, (name, value: unknown) => (name === 'position' ? undefined : value))

function built(loaded: Loaded, media: MediaType, diagnostics: DiagnosticList, build: BuildSchema): Content {
  const { form, at } = media
  const position = positionOf(at)
  const schema = member(at, 'schema')
  const encoding = encodingOf(at, form, diagnostics)
  const type = inUtf8(media, diagnostics)
  if (type === anyType) diagnostics.add(messages.mediaTypeAny(form === 'json' ? 'JSON' : form), position)
  switch (form) {
    case 'json':
    case 'form':
    case 'lines':
    case 'events':
    case 'multipart': {
      const plain: Schema = schema ? build(schema) : { kind: 'any', position }
      return {
        type,
        kind: form,
        schema: form === 'multipart' ? withFiles(plain) : plain,
        ...(encoding.length > 0 && { encoding }),
        ...exampleAt(at),
      }
    }
    case 'text':
      return { type, kind: 'text', schema: textSchema(loaded, schema, at, type, diagnostics, build) }
    case 'stream':
      diagnostics.add(messages.mediaTypeStream(type), position)
      return { type, kind: 'text', schema: { kind: 'string', position } }
    case 'markup':
      diagnostics.add(messages.mediaTypeNotText(type), position)
      return { type, kind: 'text', schema: { kind: 'string', position } }
    case 'opaque':
      diagnostics.add(messages.mediaTypeOpaque(type), position)
      return { type, kind: 'bytes', schema: { kind: 'binary', position } }
    case 'bytes':
      if (isJsonType(type)) diagnostics.add(messages.mediaTypeBinary(type), position)
      return { type, kind: 'bytes', schema: { kind: 'binary', position } }
  }
}

/** Returns a media type with the charset UTF-8 in place of another, because generated code sends all text in UTF-8. */
function inUtf8({ at, form, type }: MediaType, diagnostics: DiagnosticList): string {
  const changed = type.replace(/;\s*charset\s*=\s*"?(?!utf-?8\b)[^;"\s]*"?/i, '; charset=utf-8')
  if (form === 'bytes' || form === 'opaque' || changed === type) return type
  diagnostics.add(messages.mediaTypeCharset(type), positionOf(at))
  return changed
}

/**
 * Builds the schema of a text body. Text is checked as a string. A schema of another type cannot apply, so the function
 * reports the schema and returns a string schema.
 */
function textSchema(
  loaded: Loaded,
  schema: Located | undefined,
  at: Located,
  type: string,
  diagnostics: DiagnosticList,
  build: BuildSchema,
): Schema {
  const position = positionOf(at)
  const written = schema && (typeOf(follow(loaded, schema)) ?? 'string')
  const built = written === 'string' && schema ? build(schema) : undefined
  if (built?.kind === 'string' || built?.kind === 'enum' || built?.kind === 'ref') return built
  if (schema && built?.kind !== 'any') diagnostics.add(messages.mediaTypeNotText(type), position)
  return { kind: 'string', position }
}
