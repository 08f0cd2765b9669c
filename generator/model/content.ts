import { type DiagnosticList, messages } from '../diagnostics.ts'
import { typeOf } from '../read/dialect.ts'
import { member, positionOf } from '../read/located.ts'
import { follow } from '../read/resolve.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { BuildSchema } from './building.ts'
import { exampleAt } from './example.ts'
import { encodingOf } from './encoding.ts'
import { withFiles } from './form-schemas.ts'
import { type Form, isRange, type MediaType, mediaTypesOf } from './media-types.ts'
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
 * Chooses the media type of a response for which code is generated. Reports the other media types, and a type whose
 * content is not interpreted. Returns undefined if the response has no content.
 */
export function contentOf(
  loaded: Loaded,
  diagnostics: DiagnosticList,
  at: Located | undefined,
  build: BuildSchema,
): Content | undefined {
  const found = mediaTypesOf(loaded, at)
  const chosen = preference.flatMap(form => found.filter(media => media.form === form))[0]
  if (!at || !chosen) return undefined
  const left = found.filter(media => media !== chosen).map(({ type }) => type)
  if (left.length > 0) diagnostics.add(messages.mediaTypesLeftOut(chosen.type, left), positionOf(at))
  const isForm = chosen.form === 'form' || chosen.form === 'multipart'
  return built(loaded, isForm ? { ...chosen, form: 'opaque' } : chosen, diagnostics, build)
}

/**
 * Returns the media types of a request in the order of the document, with ranges last. JSON types with the same schema
 * become one content: clients send the first type that is no range, and servers accept all of them.
 */
export function contentsOf(
  loaded: Loaded,
  diagnostics: DiagnosticList,
  at: Located | undefined,
  build: BuildSchema,
): readonly Content[] {
  const contents = mediaTypesOf(loaded, at).map(media => built(loaded, media, diagnostics, build))
  const groups = Map.groupBy(contents, ({ kind, schema, type }) => (kind === 'json' ? textOf(schema) : type))
  const merged = [...groups.values()].flatMap(group => {
    const content = group.find(({ type }) => !isRange(type)) ?? group[0]
    const aliases = [...new Set(group.map(({ type }) => type))].filter(type => type !== content?.type)
    return content ? [{ ...content, ...(aliases.length > 0 && { aliases }) }] : []
  })
  return merged.toSorted((a, b) => Number(isRange(a.type)) - Number(isRange(b.type)) || breadth(a) - breadth(b))
}

/**
 * Returns the sort key of a content among ranges. The range of all types contains all other ranges, so this range sorts
 * last.
 */
const breadth = ({ type }: Content): number => Number(type === '*/*')

/** Returns the text of a schema without its positions, for comparison. */
const textOf = (schema: Schema): string =>
  JSON.stringify(schema, (name, value: unknown) => (name === 'position' ? undefined : value))

function built(loaded: Loaded, media: MediaType, diagnostics: DiagnosticList, build: BuildSchema): Content {
  const { type, form, at } = media
  const position = positionOf(at)
  const schema = member(at, 'schema')
  const encoding = encodingOf(at, form, diagnostics)
  switch (form) {
    case 'json':
    case 'form':
    case 'lines':
    case 'events':
    case 'multipart': {
      const plain: Schema = schema ? build(schema) : { kind: 'any', position }
      return {
        type: type === '*/*' ? 'application/json' : type,
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
      return {
        type: type === '*/*' ? 'application/octet-stream' : type,
        kind: 'bytes',
        schema: { kind: 'binary', position },
      }
  }
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
