import type { Json, Parameter } from '../model/types.ts'
import { isJsonObject } from './json.ts'

const separators = {
  form: ',',
  simple: ',',
  deepObject: ',',
  spaceDelimited: '%20',
  pipeDelimited: '|',
  json: ',',
} as const

/** The `name=value` pairs of one parameter, encoded. */
export function pairs(
  { explode, name, style }: Pick<Parameter, 'explode' | 'name' | 'style'>,
  value: Json,
): readonly string[] {
  const pair = (key: string, text: string): string => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`
  if (style === 'json') return [pair(name, JSON.stringify(value))]
  if (isJsonObject(value) && (explode || style === 'deepObject')) {
    return Object.entries(value).map(([key, member]) =>
      pair(style === 'deepObject' ? `${name}[${key}]` : key, plain(member)),
    )
  }
  const texts = itemsOf(value)
  if (explode) return texts.map(text => pair(name, text))
  return [`${encodeURIComponent(name)}=${texts.map(encodeURIComponent).join(separators[style])}`]
}

/** The texts of a list, of an object (its names and values in turn), or of a value alone. */
export function itemsOf(value: Json): readonly string[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => [name, plain(member)])
  return Array.isArray(value) ? value.map(plain) : [plain(value)]
}

/** A value as text, compound ones as JSON. */
export const plain = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
