import type { Json } from '../model/types.ts'

/** An object of JSON; lists are none. */
export type JsonObject = { readonly [member: string]: Json }

/** Deeper values are judged by nobody: answers and documents may be hostile. */
export const maxDepth = 64

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Plain data that is not deeper than `maxDepth`. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth >= maxDepth) return false
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  return isObject(value) && Object.values(value).every(member => isJson(member, depth + 1))
}

/** A JSON object; `value` must be JSON. */
export const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)

/** Own members only: documents may name one `constructor`. */
export const memberOf = <T>(value: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined

/** A copy with one member set, safe for every name. */
export const withMember = (value: JsonObject, name: string, member: Json): JsonObject =>
  Object.fromEntries([...Object.entries(value).filter(([key]) => key !== name), [name, member]])

export const withoutMember = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

/** A JSON text, or undefined where it is none. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return undefined
  }
}

/** Equal values have equal texts, whatever the order of members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
}
