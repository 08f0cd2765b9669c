import type { Parameter } from '../route.ts'
import { encode, refused, writeScalar } from './write.ts'

/** As written, and the character that no item may hold, since readers look for both. */
const separators = {
  form: [',', ''],
  simple: [',', ''],
  deepObject: [',', ''],
  spaceDelimited: ['%20', ' '],
  pipeDelimited: ['|', '|'],
} as const

/**
 * The `write` of parameters that are lists or objects (OpenAPI 3.0.3, style and explode): what `read.ts` gives back.
 * Names and values are percent-encoded, separators are not. Empty lists and empty objects are left out.
 */
export function writeStyled(parameter: Parameter, value: unknown): readonly string[] {
  const { in: place, type } = parameter
  if (typeof type === 'string') return writeScalar(parameter, value)
  if (place === 'query' || place === 'cookie') return pairs(parameter, value)
  const write = (text: string): string => (place === 'path' ? encode(parameter, text) : allowed(parameter, text, ','))
  const { explode } = parameter
  const parts =
    explode && isObject(parameter)
      ? members(value).map(pair => pair.map(write).join('='))
      : items(parameter, value).map(write)
  return parts.length > 0 ? [parts.join(',')] : []
}

function pairs(parameter: Parameter, value: unknown): readonly string[] {
  const { name, style = 'form', explode = style === 'form' || style === 'deepObject' } = parameter
  const pair = (key: string, text: string) => `${encode(parameter, key)}=${encode(parameter, text)}`
  if (isObject(parameter) && explode) {
    return members(value).map(([key, text]) => pair(style === 'deepObject' ? `${name}[${key}]` : key, text))
  }
  const texts = items(parameter, value)
  if (explode || texts.length === 0) return texts.map(text => pair(name, text))
  const [separator, forbidden] = separators[style]
  const joined = texts.map(text => encode(parameter, allowed(parameter, text, forbidden))).join(separator)
  return [`${encode(parameter, name)}=${joined}`]
}

const isObject = ({ type }: Parameter): boolean => typeof type === 'object' && 'object' in type

/** The texts of a list, or of an object: its names and values in turn. */
function items(parameter: Parameter, value: unknown): readonly string[] {
  if (isObject(parameter)) return members(value).flat()
  return [value ?? []].flat().map(String)
}

/** A list in an object gives its name once an item. */
function members(value: unknown): readonly (readonly [name: string, text: string])[] {
  return Object.entries(Object(value ?? {})).flatMap(([name, member]): [string, string][] => {
    const all: readonly unknown[] = Array.isArray(member) ? member : [member ?? []].flat()
    return all.map(item => [name, String(item)])
  })
}

function allowed(parameter: Parameter, text: string, forbidden: string): string {
  if (!forbidden || !text.includes(forbidden)) return text
  throw refused(parameter, `holds an item with "${forbidden}", which separates its items`)
}
