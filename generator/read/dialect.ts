import { flag, member } from './located.ts'
import { own } from './pointer.ts'
import type { Dialect, Located } from './types.ts'

/** Returns the dialect of a document by its version; undefined for a version that the generator does not read. */
export function dialectOf(version: string): Dialect | undefined {
  const [, dialect] = /^(3\.[01])\.\d+$/.exec(version) ?? []
  return dialect === '3.0' || dialect === '3.1' ? dialect : undefined
}

/** The dialects of schemas that OpenAPI 3.1 documents have without naming them. */
const defaultDialects: ReadonlySet<string> = new Set([
  'https://spec.openapis.org/oas/3.1/dialect/base',
  'https://spec.openapis.org/oas/3.1/dialect/2024-11-10',
  'https://json-schema.org/draft/2020-12/schema',
])

/** Whether the URL of a dialect of schemas names the dialect of OpenAPI 3.1, or JSON Schema 2020-12. */
export const isDefaultDialect = (url: string): boolean => defaultDialects.has(url.replace(/#$/, ''))

/** Whether the rules of OpenAPI 3.1 hold at a place. A schema of type null is read by these rules in 3.0 too. */
export const isNewer = (at: Located): boolean => at.file.dialect === '3.1' || own(at.value, 'type') === 'null'

/** Returns the types that a schema permits, without null; undefined for a schema without `type`. */
export function typesOf(at: Located | undefined): readonly string[] | undefined {
  const type = own(at?.value, 'type')
  if (typeof type === 'string') return at && isNewer(at) && type === 'null' ? [] : [type]
  if (!at || !isNewer(at) || !Array.isArray(type)) return undefined
  return type.filter((each: unknown) => typeof each === 'string' && each !== 'null')
}

/** Returns the only type that a schema permits, apart from null; undefined if there is no `type`, or more than one. */
export function typeOf(at: Located | undefined): string | undefined {
  const types = typesOf(at)
  return types?.length === 1 ? types[0] : undefined
}

/** Whether a schema permits null by `nullable`, or by null among its types. */
export function permitsNull(at: Located): boolean {
  if (!isNewer(at)) return flag(at, 'nullable')
  const type = own(at.value, 'type')
  return type === 'null' || (Array.isArray(type) && type.includes('null'))
}

/**
 * Returns the values of `enum` and `const`: the values of both if a schema has both. Returns undefined for a schema
 * with neither keyword. The values are located, for messages about them.
 */
export function choicesOf(at: Located): readonly Located[] | undefined {
  const list = member(at, 'enum')
  const values = Array.isArray(list?.value)
    ? list.value.map((value: unknown, i): Located => ({ ...list, pointer: `${list.pointer}/${i}`, value }))
    : undefined
  if (!isNewer(at)) return values
  const constant = constantAt(at)
  if (!constant) return values
  return values && !values.some(({ value }) => isSame(value, constant.value)) ? [] : [constant]
}

/** Returns the place of `const`; undefined without the keyword. The value may be null. */
const constantAt = (at: Located): Located | undefined => member(at, 'const')

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Bounds of a number; a bound that is exclusive does not belong to the range. */
export interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: true
  readonly exclusiveMaximum?: true
}

const boundKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const

/**
 * Returns the bounds of a number. An exclusive bound is a flag beside the bound in 3.0 and a bound of its own in 3.1,
 * where the narrower of two bounds counts.
 */
export function boundsOf(at: Located): Bounds {
  if (boundKeywords.every(keyword => own(at.value, keyword) === undefined)) return {}
  const low = boundOf(at, 'minimum', 'exclusiveMinimum', (a, b) => a >= b)
  const high = boundOf(at, 'maximum', 'exclusiveMaximum', (a, b) => a <= b)
  return {
    ...(low.bound !== undefined && { minimum: low.bound }),
    ...(high.bound !== undefined && { maximum: high.bound }),
    ...(low.isExclusive && { exclusiveMinimum: true as const }),
    ...(high.isExclusive && { exclusiveMaximum: true as const }),
  }
}

interface Bound {
  readonly bound: number | undefined
  readonly isExclusive: boolean
}

function boundOf(at: Located, name: string, exclusive: string, isNarrower: (a: number, b: number) => boolean): Bound {
  const bound = finite(own(at.value, name))
  if (!isNewer(at)) return { bound, isExclusive: flag(at, exclusive) }
  const other = finite(own(at.value, exclusive))
  const isExclusive = other !== undefined && (bound === undefined || isNarrower(other, bound))
  return { bound: isExclusive ? other : bound, isExclusive }
}

const finite = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The members of a reference that state no constraint of the value, so that the reference alone is its schema. */
const annotations: ReadonlySet<string> = new Set([
  '$ref',
  '$comment',
  'title',
  'summary',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
  'externalDocs',
  '$defs',
  '$anchor',
])

/** Whether a reference to a schema has keywords beside it that constrain the value too, as 3.1 permits. */
export const isExtended = (at: Located): boolean =>
  isNewer(at) && Object.keys(Object(at.value)).some(name => !annotations.has(name) && !name.startsWith('x-'))
