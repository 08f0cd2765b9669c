import type { Json } from '../model/types.ts'

/** A JSON object, which is no list. */
export type JsonObject = { readonly [member: string]: Json }

/** The maximal number of levels of nesting that are judged, because responses and documents may be hostile. */
export const maxDepth = 64

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is plain JSON data and not nested deeper than `maxDepth`. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth >= maxDepth) return false
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  return isObject(value) && Object.values(value).every(member => isJson(member, depth + 1))
}

/** Whether a JSON value is an object. */
export const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)

/**
 * Returns an own member; undefined if it is absent. Inherited members do not count, because a document may use names
 * such as `constructor`.
 */
export const memberOf = <T>(value: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined

/** Returns a copy with one member set. The copy is safe for every name, such as `__proto__`. */
export const withMember = (value: JsonObject, name: string, member: Json): JsonObject =>
  Object.fromEntries([...Object.entries(value).filter(([key]) => key !== name), [name, member]])

/** Returns a copy without one member. */
export const withoutMember = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

/** Parses a JSON text and wraps its value in an object; returns undefined if the text is no JSON. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return undefined
  }
}

/** Returns the same text for equal values, independent of the order of their members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
}
