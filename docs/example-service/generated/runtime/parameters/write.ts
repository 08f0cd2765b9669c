// Copied by ninefold. Do not edit: generate writes it again.

import type { Parameter } from './types.ts'

/** The parts of a request, which the parameters and the body fill one after the other. */
export interface Written {
  /** The encoded path parameters, keyed by name. */
  readonly path: Map<string, string>
  /** The encoded query: `name=value` pairs, each after its `?` or `&`. */
  query: string
  readonly headers: Headers
  body: BodyInit | null
  /** The signal that ends a streamed body. */
  readonly signal: AbortSignal
}

/**
 * Writes a parameter to its place; an absent value writes nothing. Throws `TypeError` for a value that cannot be
 * written.
 */
export type WriteParameter = (parameter: Parameter, value: unknown, written: Written) => void

/** Writes a text, number or boolean to the path. */
export const toPath: WriteParameter = (parameter, value, { path }) => {
  const [text = ''] = texts(parameter, value)
  path.set(parameter.name, step(parameter, encode(parameter, text)))
}

/** Writes a text, number or boolean to the query. */
export const toQuery: WriteParameter = (parameter, value, written) =>
  addQuery(pairs(parameter, parameter.name, texts(parameter, value)), written)

/** Writes a text, number or boolean to a header, without encoding. */
export const toHeader: WriteParameter = (parameter, value, { headers }) => {
  for (const text of texts(parameter, value)) headers.set(parameter.name, text)
}

/** Writes a text, number or boolean to a cookie. */
export const toCookie: WriteParameter = (parameter, value, written) =>
  addCookies(pairs(parameter, parameter.name, texts(parameter, value)), written)

/** Returns the text of a value; empty for undefined and null. Throws `TypeError` for an object, which is no one text. */
export const texts = (parameter: Parameter, value: unknown): readonly string[] =>
  value === undefined || value === null ? [] : [textOf(parameter, value)]

function textOf(parameter: Parameter, value: unknown): string {
  if (typeof value !== 'object' && value !== undefined) return String(value)
  throw refused(parameter, 'must consist of text, numbers and booleans')
}

/** Returns an encoded `name=value` pair for each value. */
export const pairs = (parameter: Parameter, name: string, values: readonly string[]): readonly string[] =>
  values.map(value => `${encode(parameter, name)}=${encode(parameter, value)}`)

/** Adds encoded `name=value` pairs to the query. */
export function addQuery(added: readonly string[], written: Written): void {
  for (const pair of added) written.query += `${written.query ? '&' : '?'}${pair}`
}

/** Adds encoded cookies to the header `cookie`. Browsers drop this header and send their own cookies. */
export function addCookies(cookies: readonly string[], { headers }: Written): void {
  const all = [headers.get('cookie') ?? [], cookies].flat()
  if (all.length > 0) headers.set('cookie', all.join('; '))
}

/** Returns the encoded text of a path parameter; throws `TypeError` if the text would change the path, as `..` does. */
export function step(parameter: Parameter, text: string): string {
  if (/^\.{0,2}$/.test(text)) throw refused(parameter, `must not be "${text}"`)
  return text
}

/** Returns a name or a value in percent-encoding; throws `TypeError` for a text with an unpaired surrogate. */
export function encode(parameter: Parameter, text: string): string {
  if (!text.isWellFormed()) throw refused(parameter, 'holds half a character')
  return encodeURIComponent(text)
}

/** Returns the error of a value that a parameter cannot carry. */
export function refused({ in: place, name }: Pick<Parameter, 'in' | 'name'>, fault: string): TypeError {
  return new TypeError(`${place} parameter "${name}" ${fault}`)
}

/**
 * The separators of the styles without commas, keyed by style: the written separator, and the character that no item
 * may contain, because readers split at this character.
 */
const separators: Readonly<Partial<Record<string, readonly [written: string, forbidden: string]>>> = {
  spaceDelimited: ['%20', ' '],
  pipeDelimited: ['|', '|'],
}

/**
 * Writes a parameter that is a list, an object or JSON (OpenAPI 3.0.3, style and explode), in the form that `read.ts`
 * reads. Names and values are percent-encoded, separators are not. Empty lists and empty objects are left out.
 */
export const toStyled: WriteParameter = (parameter, value, written) => {
  const { explode, in: place, name } = parameter
  if (place === 'query') return addQuery(styledPairs(parameter, value), written)
  if (place === 'cookie') return addCookies(styledPairs(parameter, value), written)
  if (parameter.type === 'json') {
    return (place === 'path' ? toPath : toHeader)(parameter, asciiJson(jsonOf(parameter, value)), written)
  }
  const write = (text: string): string => (place === 'path' ? encode(parameter, text) : allowed(parameter, text, ','))
  const parts =
    explode && isObject(parameter)
      ? members(parameter, value).map(pair => pair.map(write).join('='))
      : items(parameter, value).map(write)
  if (place === 'path') written.path.set(name, step(parameter, parts.join(',')))
  else if (parts.length > 0) written.headers.set(name, parts.join(','))
}

const jsonOf = ({ json }: Parameter, value: unknown): string | undefined =>
  json && value !== undefined ? json.write(value) : JSON.stringify(value)

/** Returns JSON without characters beyond ASCII, which headers cannot carry. */
const asciiJson = (text: string | undefined): string | undefined =>
  text?.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the encoded `name=value` pairs of a parameter of any type, for a query, cookies or a form. */
export function styledPairs(parameter: Parameter, value: unknown): readonly string[] {
  const { name, style = 'form', explode = style === 'form' || style === 'deepObject' } = parameter
  if (typeof parameter.type === 'string') {
    return pairs(parameter, name, texts(parameter, parameter.type === 'json' ? jsonOf(parameter, value) : value))
  }
  if (isObject(parameter) && explode) {
    return members(parameter, value).flatMap(([key, text]) =>
      pairs(parameter, style === 'deepObject' ? `${name}[${key}]` : key, [text]),
    )
  }
  const all = items(parameter, value)
  if (explode || all.length === 0) return pairs(parameter, name, all)
  const [separator, forbidden] = separators[style] ?? [',', '']
  const joined = all.map(text => encode(parameter, allowed(parameter, text, forbidden))).join(separator)
  return [`${encode(parameter, name)}=${joined}`]
}

const isObject = ({ type }: Parameter): boolean => typeof type === 'object' && 'object' in type

/** Returns the texts of a list, or of an object: names and values alternately. */
function items(parameter: Parameter, value: unknown): readonly string[] {
  if (isObject(parameter)) return members(parameter, value).flat()
  return textsOf(parameter, value)
}

/** Returns the texts of a list's items, or of a single present value. */
const textsOf = (parameter: Parameter, value: unknown): readonly string[] =>
  [value ?? []].flat().map(item => textOf(parameter, item))

/** Returns the members of an object as pairs; a list in the object repeats its name for each item. */
function members(parameter: Parameter, value: unknown): readonly (readonly [name: string, text: string])[] {
  return Object.entries(Object(value ?? {})).flatMap(([name, member]) =>
    textsOf(parameter, member).map(text => [name, text] as const),
  )
}

function allowed(parameter: Parameter, text: string, forbidden: string): string {
  if (!forbidden || !text.includes(forbidden)) return text
  throw refused(parameter, `holds an item with "${forbidden}", which separates its items`)
}
