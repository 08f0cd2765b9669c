import type { Json, Operation, Parameter } from '../model/types.ts'
import { bodyText, contentTypeOf } from './body-text.ts'
import type { Request } from './call.ts'
import { isJsonObject } from './json.ts'
import { itemsOf, pairs, plain } from './pairs.ts'
import type { Schemas } from './shape.ts'

/** A request before encoding: the value of each part, and the deliberate deviations from the document. */
export interface Draft {
  readonly operation: Operation
  readonly parameters: ReadonlyMap<Parameter, Json>
  readonly body?: Json | undefined
  readonly authorization?: string | undefined
  /** The method, if it differs from the method of the operation. */
  readonly method?: string
  /** Additional `name=value` pairs of the query, percent-encoded. */
  readonly pairs?: readonly string[]
  /** The raw body, if the request sends it instead of `body`. */
  readonly text?: string
  /** The content type, if it differs from the declared type. */
  readonly contentType?: string
  /** The named schemas, which the encoding of forms needs. */
  readonly schemas?: Schemas
}

/** Returns a copy of the draft with one parameter set, or without the parameter if the value is undefined. */
export function withParameter(draft: Draft, parameter: Parameter, value: Json | undefined): Draft {
  const parameters = new Map(draft.parameters)
  if (value === undefined) parameters.delete(parameter)
  else parameters.set(parameter, value)
  return { ...draft, parameters }
}

/** Encodes a draft as a request, with the parameter styles of OpenAPI 3.0.3. */
export function requestOf(draft: Draft): Request {
  const { authorization, operation } = draft
  const pairs = [...pairsOf(draft, 'query'), ...(draft.pairs ?? [])]
  const cookies = pairsOf(draft, 'cookie')
  const text = textOf(draft)
  const declared = operation.body?.content
  const contentType = draft.contentType ?? (declared ? contentTypeOf(declared) : 'application/json')
  return {
    method: draft.method ?? operation.method,
    target: pathOf(draft) + (pairs.length > 0 ? `?${pairs.join('&')}` : ''),
    headers: {
      ...headersOf(draft),
      ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
      ...(authorization !== undefined && { authorization }),
      ...(text !== undefined && { 'content-type': contentType }),
    },
    ...(text !== undefined && { body: text }),
  }
}

function textOf({ operation, body, schemas = new Map(), text }: Draft): string | undefined {
  if (text !== undefined || body === undefined) return text
  const content = operation.body?.content
  return content === undefined ? String(body) : bodyText(content, body, schemas)
}

function pathOf({ operation, parameters }: Draft): string {
  const byName = new Map(
    [...parameters].flatMap(([each, value]) => (each.in === 'path' ? [[each.name, [each, value] as const]] : [])),
  )
  return operation.pathParts
    .map((part, i) => {
      const [parameter, value] = (i % 2 === 1 && byName.get(part)) || []
      if (i % 2 === 0 || !parameter || value === undefined) return part
      return prefixed(parameter, value) ?? simple(parameter, value, encodeURIComponent)
    })
    .join('')
}

function headersOf({ parameters }: Draft): Record<string, string> {
  const headers = [...parameters].filter(([{ in: place }]) => place === 'header')
  return Object.fromEntries(
    headers.map(([parameter, value]) => [parameter.name.toLowerCase(), simple(parameter, value, text => text)]),
  )
}

function pairsOf({ parameters }: Draft, place: 'query' | 'cookie'): readonly string[] {
  return [...parameters].flatMap(([parameter, value]) => (parameter.in === place ? pairs(parameter, value) : []))
}

/** Returns a value in the style `label` or `matrix`; undefined for other styles. */
function prefixed({ explode, name, style }: Parameter, value: Json): string | undefined {
  if (style !== 'label' && style !== 'matrix') return undefined
  const mark = style === 'label' ? '.' : ';'
  const encode = (text: string): string => encodeURIComponent(text).replaceAll('.', '%2E')
  const start = style === 'matrix' ? `${encode(name)}=` : ''
  const texts = itemsOf(value).map(encode)
  if (!explode) return mark + start + texts.join(',')
  if (!isJsonObject(value)) return texts.map(text => mark + start + text).join('')
  return Object.entries(value)
    .map(([key, member]) => `${mark}${encode(key)}=${encode(plain(member))}`)
    .join('')
}

function simple({ explode, style }: Parameter, value: Json, encode: (text: string) => string): string {
  if (style === 'json') return encode(JSON.stringify(value))
  if (isJsonObject(value) && explode) {
    return Object.entries(value)
      .map(([name, member]) => `${encode(name)}=${encode(plain(member))}`)
      .join(',')
  }
  return itemsOf(value).map(encode).join(',')
}
