import type { Parameter } from '../route.ts'

/**
 * A parameter as it stands in a request: the `name=value` pairs of a query or of cookies, else its one value; encoded,
 * but for headers. Nothing when it is absent. Lists and objects are written by the parameter's `write`. Throws
 * `TypeError` where a value cannot be written.
 */
export function writeParameter(parameter: Parameter, value: unknown): readonly string[] {
  const { type, write = writeScalar } = parameter
  if (typeof type === 'object' && write === writeScalar) throw refused(parameter, 'needs the member "write"')
  return write(parameter, value)
}

/** As `writeParameter`, for texts, numbers, booleans and JSON. */
export function writeScalar(parameter: Parameter, value: unknown): readonly string[] {
  const { in: place, name, type } = parameter
  if (value === undefined || (value === null && type !== 'json')) return []
  const text = type === 'json' ? JSON.stringify(value) : String(value)
  if (place === 'header') return [text]
  const encoded = encode(parameter, text)
  return [place === 'path' ? encoded : `${encode(parameter, name)}=${encoded}`]
}

/** A path parameter, encoded. Throws `TypeError` also where the path would then name something else. */
export function writePath(parameter: Parameter, value: unknown): string {
  const text = writeParameter(parameter, value).join('')
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
