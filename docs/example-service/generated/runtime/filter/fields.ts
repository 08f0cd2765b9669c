// Copied by ninefold. Do not edit: generate writes it again.

import { parseDuration, storedTimestamp } from '../timestamps.ts'
import type { FilterField, FilterType, FilterValue, ListFields } from './types.ts'

/**
 * Returns a function that calls `make` once for each object, and caches the result for as long as the object exists.
 */
export function madeOnce<Of extends object, Made extends object>(make: (of: Of) => Made): (of: Of) => Made {
  const kept = new WeakMap<Of, Made>()
  return of => {
    const known = kept.get(of)
    if (known) return known
    const made = make(of)
    kept.set(of, made)
    return made
  }
}

/** Returns the fields of a list, keyed by name. */
export const fieldsByName = /* @__PURE__ */ madeOnce(
  (list: ListFields): ReadonlyMap<string, FilterField> => new Map(list.fields.map(field => [field.name, field])),
)

/** Returns the member names that lead from a row to a field. */
export const pathOf = /* @__PURE__ */ madeOnce(({ name, path = name }: FilterField): readonly string[] =>
  path.split('.'),
)

const text = (value: unknown): string | null => (typeof value === 'string' ? value : value === undefined ? '' : null)

/**
 * The functions that convert a member of a row for comparison, keyed by the type of the field. An absent member has the
 * default of its type. An incomparable value (an unset timestamp or duration, or a value of another type) becomes null.
 * 64-bit integers may be strings.
 */
export const valueAs: Readonly<Record<FilterType, (member: unknown) => FilterValue | number | null>> = {
  STRING: text,
  ENUM: text,
  INTEGER: member => {
    if (typeof member === 'string') return /^-?\d+$/.test(member) ? BigInt(member) : null
    return typeof member === 'number' || typeof member === 'bigint' ? member : member === undefined ? 0 : null
  },
  NUMBER: member => (typeof member === 'number' ? member : member === undefined ? 0 : null),
  BOOLEAN: member => (typeof member === 'boolean' ? member : member === undefined ? false : null),
  TIMESTAMP: member => (typeof member === 'string' ? (storedTimestamp(member) ?? null) : null),
  DURATION: member => (typeof member === 'string' ? (parseDuration(member) ?? null) : null),
  MAP: () => null,
  PRESENCE: () => null,
}

/** Compares two values of one type: negative, 0 or positive. Numbers and bigints compare exactly, by value. */
export function compareValues(a: FilterValue, b: FilterValue): number {
  if (typeof a === 'string' || typeof b === 'string') return compareText(String(a), String(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Compares text by code point, as UTF-8 bytes sort and UTF-16 units do not: -1, 0 or 1. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return lifted(left) < lifted(right) ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/**
 * Returns a number that orders UTF-16 units by code point: surrogates encode the code points above U+FFFF, so they come
 * after all other units.
 */
function lifted(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
