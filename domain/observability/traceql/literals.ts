import { durationUnits } from '../duration-units.ts'
import { spanKinds, statusCodes } from '../traces/span-text.ts'
import type { EnumValue, Literal } from './expression.ts'
import { stringOf } from '../promql/language/literals.ts'

/** The codes of a status and the kinds of spans by their names in the language; a kind is never unspecified here. */
export const statuses = enumOf('status', statusCodes)
export const kinds = enumOf('kind', [...new Set(spanKinds), 'UNSPECIFIED'])

function enumOf(type: EnumValue['type'], names: readonly string[]): ReadonlyMap<string, EnumValue> {
  return new Map(names.map(name => [name.toLowerCase(), { type, name }]))
}

/** Returns the value of a literal; undefined for a malformed one, and for integers beyond 64 bits. */
export function literalOf(text: string): Literal | undefined {
  if (text.startsWith('`')) return stringOf(text)
  if (text.startsWith('"')) return text.includes('\n') ? undefined : stringOf(text)
  if (text === 'true' || text === 'false') return text === 'true'
  return statuses.get(text) ?? kinds.get(text) ?? numberOf(text)
}

/** Returns the value of a number or of a duration such as `1.5s`, a duration in nanoseconds. */
export function numberOf(text: string): number | undefined {
  const [, digits = '', unit] = /^(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)?$/.exec(text) ?? []
  if (digits === '') return undefined
  const value = Number(digits) * (unit === undefined ? 1 : (durationUnits[unit] ?? NaN))
  const isWhole = unit !== undefined || !digits.includes('.')
  return isWhole && value >= 2 ** 63 ? undefined : value
}

/** Returns the name of an attribute, parts of which may be in quotes: `http."request header"`. */
export const attributeName = (text: string): string =>
  text.replaceAll(/"((?:[^"\\]|\\[\s\S])*)"/g, (_, quoted: string) => quoted.replaceAll(/\\([\s\S])/g, '$1'))
