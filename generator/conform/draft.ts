import type { Json, Operation, Parameter } from '../model/types.ts'
import { bodyText, contentTypeOf } from './body-text.ts'
import type { Request } from './call.ts'
import { isJsonObject } from './json.ts'
import { itemsOf, pairs, plain } from './pairs.ts'
import type { Schemas } from './shape.ts'

/** A request that is not written yet: what is sent for each part, and where it departs from the document on purpose. */
export interface Draft {
  readonly operation: Operation
  readonly parameters: ReadonlyMap<Parameter, Json>
  readonly body?: Json | undefined
  readonly authorization?: string | undefined
  /** Instead of the operation's. */
  readonly method?: string
  /** `name=value` pairs beside the parameters, encoded. */
  readonly pairs?: readonly string[]
  /** The body as it is sent, instead of `body`. */
  readonly text?: string
  /** Instead of the declared content type. */
  readonly contentType?: string
  /** What the members of forms are. */
  readonly schemas?: Schemas
}

/** The draft with one parameter given, or left out. */
export function withParameter(draft: Draft, parameter: Parameter, value: Json | undefined): Draft {
  const parameters = new Map(draft.parameters)
  if (value === undefined) parameters.delete(parameter)
  else parameters.set(parameter, value)
  return { ...draft, parameters }
}

/** The request of a draft, by the styles of OpenAPI 3.0.3. */
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
      return simple(parameter, value, encodeURIComponent)
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

function simple({ explode, style }: Parameter, value: Json, encode: (text: string) => string): string {
  if (style === 'json') return encode(JSON.stringify(value))
  if (isJsonObject(value) && explode) {
    return Object.entries(value)
      .map(([name, member]) => `${encode(name)}=${encode(plain(member))}`)
      .join(',')
  }
  return itemsOf(value).map(encode).join(',')
}
