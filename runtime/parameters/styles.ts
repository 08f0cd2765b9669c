import type { Parameter } from '../route.ts'
import { addCookies, addQuery, encode, pairs, refused, step, texts, toHeader, toPath } from './write.ts'
import type { WriteParameter } from './write.ts'

/** As written, and the character that no item may hold, since readers look for both. */
const separators = {
  form: [',', ''],
  simple: [',', ''],
  deepObject: [',', ''],
  spaceDelimited: ['%20', ' '],
  pipeDelimited: ['|', '|'],
} as const

/**
 * The `write` of parameters that are lists, objects or JSON (OpenAPI 3.0.3, style and explode): what `read.ts` gives back.
 * Names and values are percent-encoded, separators are not. Empty lists and empty objects are left out.
 */
export const toStyled: WriteParameter = (parameter, value, written) => {
  const { explode, in: place, name } = parameter
  if (place === 'query') return addQuery(styledPairs(parameter, value), written)
  if (place === 'cookie') return addCookies(styledPairs(parameter, value), written)
  if (parameter.type === 'json') {
    return (place === 'path' ? toPath : toHeader)(parameter, JSON.stringify(value), written)
  }
  const write = (text: string): string => (place === 'path' ? encode(parameter, text) : allowed(parameter, text, ','))
  const parts =
    explode && isObject(parameter)
      ? members(value).map(pair => pair.map(write).join('='))
      : items(parameter, value).map(write)
  if (place === 'path') written.path.set(name, step(parameter, parts.join(',')))
  else if (parts.length > 0) written.headers.set(name, parts.join(','))
}

/** The pairs that a parameter of any type is in a query, in cookies or in a form. */
export function styledPairs(parameter: Parameter, value: unknown): readonly string[] {
  const { name, style = 'form', explode = style === 'form' || style === 'deepObject' } = parameter
  if (typeof parameter.type === 'string') {
    return pairs(parameter, name, texts(parameter.type === 'json' ? JSON.stringify(value) : value))
  }
  if (isObject(parameter) && explode) {
    return members(value).flatMap(([key, text]) =>
      pairs(parameter, style === 'deepObject' ? `${name}[${key}]` : key, [text]),
    )
  }
  const all = items(parameter, value)
  if (explode || all.length === 0) return pairs(parameter, name, all)
  const [separator, forbidden] = separators[style]
  const joined = all.map(text => encode(parameter, allowed(parameter, text, forbidden))).join(separator)
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
