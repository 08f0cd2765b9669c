import type { Json, Parameter } from '../model/types.ts'
import { isJsonObject } from './json.ts'

const separators = {
  form: ',',
  simple: ',',
  deepObject: ',',
  label: ',',
  matrix: ',',
  spaceDelimited: '%20',
  pipeDelimited: '|',
  json: ',',
} as const

/** Encodes one parameter as percent-encoded `name=value` pairs. */
export function pairs(
  { explode, name, style }: Pick<Parameter, 'explode' | 'name' | 'style'>,
  value: Json,
): readonly string[] {
  const pair = (key: string, text: string): string => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`
  if (style === 'json') return [pair(name, JSON.stringify(value))]
  const deep = (key: string, part: Json): readonly string[] =>
    isJsonObject(part)
      ? Object.entries(part).flatMap(([inner, member]) => deep(`${key}[${inner}]`, member))
      : itemsOf(part).map(text => pair(key, text))
  if (style === 'deepObject') return deep(name, value)
  if (isJsonObject(value) && explode) return Object.entries(value).map(([key, member]) => pair(key, plain(member)))
  const texts = itemsOf(value)
  if (explode) return texts.map(text => pair(name, text))
  return [`${encodeURIComponent(name)}=${texts.map(encodeURIComponent).join(separators[style])}`]
}

/**
 * Returns the texts of a value: the items of a list, the alternating names and values of an object, or a single value.
 */
export function itemsOf(value: Json): readonly string[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => [name, plain(member)])
  return Array.isArray(value) ? value.map(plain) : [plain(value)]
}

/** Converts a value to text; objects and lists become JSON. */
export const plain = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
