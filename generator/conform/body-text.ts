import type { Content, Json, Property, Schema } from '../model/types.ts'
import { isJsonObject } from './json.ts'
import { pairs, plain } from './pairs.ts'
import { type Schemas, shapeOf } from './shape.ts'

/** The separator of the parts of a multipart body; no example contains it. */
const boundary = 'ninefold-conform-boundary'

/**
 * Returns the content type to send with a request body: the declared type, with the boundary for multipart; for a range
 * such as `text/*`, a type in the range.
 */
export function contentTypeOf({ kind, type }: Content): string {
  if (kind === 'multipart') return `${type}; boundary=${boundary}`
  if (type.startsWith('*/')) return 'application/octet-stream'
  return type.replace('/*', type.startsWith('text/') ? '/plain' : '/octet-stream')
}

/** Encodes a body in the form of its media type. */
export function bodyText(content: Content, value: Json, schemas: Schemas): string {
  switch (content.kind) {
    case 'json':
      return JSON.stringify(value)
    case 'lines':
      return `${JSON.stringify(value)}\n`
    case 'events':
      return `data: ${JSON.stringify(value)}\n\n`
    case 'form':
      return membersOf(content, value, schemas)
        .flatMap(([name, member, schema]) => pairs(fieldOf(content, name, schema, schemas), member))
        .join('&')
    case 'multipart':
      return [
        ...membersOf(content, value, schemas).flatMap(member => partsOf(member, schemas)),
        `--${boundary}--\r\n`,
      ].join('')
    case 'text':
    case 'bytes':
      return String(value)
  }
}

type Member = readonly [name: string, value: Json, schema: Schema | undefined]

function membersOf({ schema }: Content, value: Json, schemas: Schemas): readonly Member[] {
  const shape = shapeOf(schema, schemas)
  const properties: readonly Property[] = shape.kind === 'object' ? shape.properties : []
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, member]) => [
    name,
    member,
    properties.find(property => property.name === name)?.schema,
  ])
}

/**
 * Whether a member is sent as JSON: if the encoding of the member declares JSON, for objects in a multipart body, and
 * for values that name and value pairs cannot represent.
 */
export function isJsonMember(
  { encoding = [], kind }: Content,
  name: string,
  schema: Schema,
  schemas: Schemas,
): boolean {
  const { contentType = '' } = encoding.find(each => each.name === name) ?? {}
  const shape = shapeOf(schema, schemas)
  const inner = shape.kind === 'array' ? shapeOf(shape.items, schemas) : shape
  if (/[/+]json\b/i.test(contentType) || inner.kind === 'array') return true
  if (inner.kind !== 'object') return false
  const isFlat = inner.properties.every(each => !isCompound(shapeOf(each.schema, schemas)))
  return kind === 'multipart' || shape.kind === 'array' || inner.properties.length === 0 || !isFlat
}

const isCompound = ({ kind }: { readonly kind: Schema['kind'] }): boolean => kind === 'object' || kind === 'union'

function fieldOf(content: Content, name: string, schema: Schema | undefined, schemas: Schemas) {
  const { explode, style = 'form' } = content.encoding?.find(each => each.name === name) ?? {}
  if (schema && isJsonMember(content, name, schema, schemas)) return { name, style: 'json', explode: false } as const
  return { name, style, explode: explode ?? (style === 'form' || style === 'deepObject') }
}

function partsOf([name, value, schema]: Member, schemas: Schemas): readonly string[] {
  const shape = schema && shapeOf(schema, schemas)
  const isFile = (shape?.kind === 'array' ? shapeOf(shape.items, schemas) : shape)?.kind === 'binary'
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  const head = `name="${encodeURIComponent(name)}"${isFile ? '; filename="example"' : ''}`
  return items.map(item => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${plain(item)}\r\n`)
}
