// Copied by ninefold. Do not edit: generate writes it again.

import type { Parameter } from '../route.ts'

/** What the parameters of a request make, written one after the other. */
export interface Written {
  /** By name, encoded. */
  readonly path: Map<string, string>
  /** `name=value` pairs, encoded. */
  readonly query: string[]
  readonly headers: Headers
}

/** Writes a parameter to where it stands; nothing when it is absent. Throws `TypeError` for a value that it cannot carry. */
export type WriteParameter = (parameter: Parameter, value: unknown, written: Written) => void

/** The `write` of texts, numbers, booleans and JSON in the path. */
export const toPath: WriteParameter = (parameter, value, { path }) => {
  const [text = ''] = texts(parameter, value)
  path.set(parameter.name, step(parameter, encode(parameter, text)))
}

/** As `toPath`, in the query. */
export const toQuery: WriteParameter = (parameter, value, { query }) =>
  void query.push(...pairs(parameter, parameter.name, texts(parameter, value)))

/** As `toPath`, in a header, where nothing is encoded. */
export const toHeader: WriteParameter = (parameter, value, { headers }) => {
  for (const text of texts(parameter, value)) headers.set(parameter.name, text)
}

/** As `toPath`, in a cookie. */
export const toCookie: WriteParameter = (parameter, value, written) =>
  addCookies(pairs(parameter, parameter.name, texts(parameter, value)), written)

/** The text of a value that is there. */
export function texts({ type }: Parameter, value: unknown): readonly string[] {
  if (type === 'json' && value !== undefined) return [JSON.stringify(value)]
  return value === undefined || value === null ? [] : [String(value)]
}

/** A `name=value` pair for each value, encoded. */
export const pairs = (parameter: Parameter, name: string, values: readonly string[]): readonly string[] =>
  values.map(value => `${encode(parameter, name)}=${encode(parameter, value)}`)

/** Browsers drop this header and send the cookies that they keep. */
export function addCookies(cookies: readonly string[], { headers }: Written): void {
  const all = [headers.get('cookie') ?? [], cookies].flat()
  if (all.length > 0) headers.set('cookie', all.join('; '))
}

/** The encoded text of a path parameter, unless the path would then name something else. */
export function step(parameter: Parameter, text: string): string {
  if (/^\.{0,2}$/.test(text)) throw refused(parameter, `must not be "${text}"`)
  return text
}

/** Percent-encodes a name or a value. */
export function encode(parameter: Parameter, text: string): string {
  if (!text.isWellFormed()) throw refused(parameter, 'holds half a character')
  return encodeURIComponent(text)
}

/** The error of a value that a parameter cannot carry. */
export function refused({ in: place, name }: Parameter, fault: string): TypeError {
  return new TypeError(`${place} parameter "${name}" ${fault}`)
}
