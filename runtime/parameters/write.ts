import type { Field, Parameter } from './types.ts'

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
 * Writes a parameter of a path, a query or a cookie that is a list, an object or JSON (OpenAPI 3.0.3, style and explode),
 * in the form that `read.ts` reads. Names and values are percent-encoded, separators are not. Empty lists and empty
 * objects are left out. The style `deepObject` has its own writer.
 */
export const toStyled: WriteParameter = (parameter, value, written) => {
  const { in: place, name } = parameter
  if (place === 'query') return addQuery(styledPairs(parameter, value), written)
  if (place === 'cookie') return addCookies(styledPairs(parameter, value), written)
  if (parameter.type === 'json') return toPath(parameter, jsonOf(parameter, value), written)
  const parts = simpleParts(parameter, value, text => encode(parameter, text))
  written.path.set(name, step(parameter, parts.join(',')))
}

/** Returns the texts of a list or an object in the style `simple`. */
function simpleParts(parameter: Parameter, value: unknown, write: (text: string) => string): readonly string[] {
  if (!parameter.explode || !isObject(parameter)) return items(parameter, value).map(write)
  return members(parameter, value).map(pair => pair.map(write).join('='))
}

/** Writes a text, a list, an object or JSON to a header. Throws `TypeError` for a text that a header would change. */
export const toSimpleHeader: WriteParameter = (parameter, value, { headers }) => {
  const { name, type } = parameter
  const write = (text: string): string => {
    if (text.trim() !== text) throw refused(parameter, 'begins or ends with a blank')
    return typeof type === 'string' ? text : allowed(parameter, text, ',')
  }
  const parts =
    typeof type === 'string'
      ? texts(parameter, type === 'json' ? asciiJson(jsonOf(parameter, value)) : value).map(write)
      : simpleParts(parameter, value, write)
  if (parts.length > 0) headers.set(name, parts.join(','))
}

const jsonOf = ({ json }: Parameter, value: unknown): string | undefined =>
  json && value !== undefined ? json.write(value) : JSON.stringify(value)

/** Returns JSON without characters beyond ASCII, which headers cannot carry. */
export const asciiJson = (text: string | undefined): string | undefined =>
  text?.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the encoded `name=value` pairs of a parameter of any type, for a query, cookies or a form. */
export function styledPairs(parameter: Parameter, value: unknown): readonly string[] {
  const { name, style = 'form', explode = style === 'form' } = parameter
  if (typeof parameter.type === 'string') {
    return pairs(parameter, name, texts(parameter, parameter.type === 'json' ? jsonOf(parameter, value) : value))
  }
  if (isObject(parameter) && explode) {
    return members(parameter, value).flatMap(([key, text]) => pairs(parameter, key, [text]))
  }
  const all = items(parameter, value)
  if (explode || all.length === 0) return pairs(parameter, name, all)
  const [separator, forbidden] = separators[style] ?? [',', '']
  const joined = all.map(text => encode(parameter, allowed(parameter, text, forbidden))).join(separator)
  return [`${encode(parameter, name)}=${joined}`]
}

/**
 * Writes a parameter of the query in the style `deepObject`: each member is a pair, whose name has a pair of brackets for
 * each level. A value that is no object is written like a list.
 */
export const toDeep: WriteParameter = (parameter, value, written) => addQuery(deepPairs(parameter, value), written)

/** Returns the encoded pairs of a value of the style `deepObject`, for a query or a form. */
export function deepPairs(parameter: Parameter, value: unknown, name = parameter.name): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return pairs(parameter, name, textsOf(parameter, value))
  }
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === '' || /[[\]]/.test(key)) throw refused(parameter, `holds the name "${key}", which brackets cannot hold`)
    return deepPairs(parameter, member, `${name}[${key}]`)
  })
}

/** Writes a parameter of the query whose reserved characters are not encoded. */
export const toReserved: WriteParameter = (parameter, value, written) => {
  const all = parameter.style === 'deepObject' ? deepPairs(parameter, value) : styledPairs(parameter, value)
  addQuery(unreserved(parameter, all), written)
}

/**
 * Returns pairs whose values are not encoded where they have reserved characters without a meaning in a query. A comma
 * separates the items of a value, unless the value is a single text.
 */
export function unreserved({ explode, type }: Field, pairs: readonly string[]): readonly string[] {
  const code = explode === false && type !== 'string' ? /%(?:24|2F|3A|3B|3D|3F|40)/g : /%(?:24|2C|2F|3A|3B|3D|3F|40)/g
  return pairs.map(pair => pair.replace(/=.*/s, value => value.replace(code, decodeURIComponent)))
}

/** Writes a parameter of the path in the style `label` (`.a.b`) or `matrix` (`;name=a,b`). */
export const toPrefixed: WriteParameter = (parameter, value, { path }) => {
  const { explode = false, name, style } = parameter
  const isMatrix = style === 'matrix'
  // A dot separates items, and a step of dots would change the path.
  const write = (text: string): string => encode(parameter, text).replaceAll('.', isMatrix ? '.' : '%2E')
  const named = (key: string, text: string): string => (text === '' ? write(key) : `${write(key)}=${text}`)
  const list = [value ?? []].flat()
  const texts = isObject(parameter)
    ? members(parameter, value).map(pair => pair.map(write))
    : list.map(item => [write(textOf(parameter, item))])
  const pairs = texts.map(([first = '', second]) => (second === undefined ? first : `${first}=${second}`))
  const joined = texts.flat().join(',')
  const parts = explode
    ? isMatrix && !isObject(parameter)
      ? pairs.map(text => named(name, text))
      : pairs
    : [isMatrix ? named(name, joined) : joined]
  const prefix = isMatrix ? ';' : '.'
  if (texts.length === 0) throw refused(parameter, 'must not be empty')
  const text = prefix + parts.join(prefix)
  // `%2E` counts as a dot in a step.
  step(parameter, text.replaceAll('%2E', '.'))
  path.set(name, text)
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
