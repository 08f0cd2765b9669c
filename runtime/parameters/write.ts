import type { Parameter } from '../route.ts'

/** What the parameters of a request and its body make, written one after the other. */
export interface Written {
  /** By name, encoded. */
  readonly path: Map<string, string>
  /** `name=value` pairs, encoded, each after its `?` or `&`. */
  query: string
  readonly headers: Headers
  body: BodyInit | null
  /** Ends the body, where it is a stream. */
  readonly signal: AbortSignal
}

/** Writes a parameter to where it stands; nothing when it is absent. Throws `TypeError` for a value that it cannot carry. */
export type WriteParameter = (parameter: Parameter, value: unknown, written: Written) => void

/** The `write` of texts, numbers and booleans in the path. */
export const toPath: WriteParameter = (parameter, value, { path }) => {
  const [text = ''] = texts(value)
  path.set(parameter.name, step(parameter, encode(parameter, text)))
}

/** As `toPath`, in the query. */
export const toQuery: WriteParameter = (parameter, value, written) =>
  addQuery(pairs(parameter, parameter.name, texts(value)), written)

/** As `toPath`, in a header, where nothing is encoded. */
export const toHeader: WriteParameter = (parameter, value, { headers }) => {
  for (const text of texts(value)) headers.set(parameter.name, text)
}

/** As `toPath`, in a cookie. */
export const toCookie: WriteParameter = (parameter, value, written) =>
  addCookies(pairs(parameter, parameter.name, texts(value)), written)

/** The text of a value that is there. */
export const texts = (value: unknown): readonly string[] =>
  value === undefined || value === null ? [] : [String(value)]

/** A `name=value` pair for each value, encoded. */
export const pairs = (parameter: Parameter, name: string, values: readonly string[]): readonly string[] =>
  values.map(value => `${encode(parameter, name)}=${encode(parameter, value)}`)

export function addQuery(added: readonly string[], written: Written): void {
  for (const pair of added) written.query += `${written.query ? '&' : '?'}${pair}`
}

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
export function refused({ in: place, name }: Pick<Parameter, 'in' | 'name'>, fault: string): TypeError {
  return new TypeError(`${place} parameter "${name}" ${fault}`)
}
