import type { SQLInputValue } from 'node:sqlite'
import type { Collection } from '../../domain/ports/store.ts'
import type { FilterType } from '../../runtime/filter/types.ts'
import { storedTimestamp } from '../../runtime/timestamps.ts'
import { isRecord, own } from '../../runtime/validation.ts'

/** The types that become columns; the others are looked up in the body. */
const affinities = {
  STRING: 'TEXT',
  ENUM: 'TEXT',
  TIMESTAMP: 'TEXT',
  INTEGER: 'INTEGER',
  BOOLEAN: 'INTEGER',
  NUMBER: 'REAL',
} as const

type ColumnType = keyof typeof affinities

/** One scalar member of a document as a column. NULL: an object around it, or a timestamp, is not set. */
export interface Column {
  readonly name: string
  /** The dotted path of the member. */
  readonly path: string
  readonly type: ColumnType
  /** The quoted name. */
  readonly sql: string
  readonly affinity: (typeof affinities)[ColumnType]
}

/** The columns that every table has beside those of its members. */
export const ownColumns = { key: '"_key"', version: '"_version"', body: '"_body"' } as const

/** An identifier of SQL; doubled quotes keep every name inside. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text literal of SQL, for texts that declarations hold; what callers send is always a parameter. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The path of a member as JSON functions of SQLite take it. */
export const jsonPath = (path: readonly string[]): string => `$${path.map(name => `.${quoteName(name)}`).join('')}`

function columnOf(name: string, type: FilterType, path = name): Column | undefined {
  if (type === 'MAP' || type === 'PRESENCE') return undefined
  if (type === 'DURATION') throw new Error(`member "${name}" is a duration, which the store keeps no column for`)
  return { name, path, type, sql: quoteName(name), affinity: affinities[type] }
}

/** The column of a field that a query derives; `sql` yields its values, NULL where there is none. */
export function derivedColumn(name: string, type: FilterType, sql: string): Column {
  const column = columnOf(name, type)
  if (column === undefined) throw new Error(`field "${name}" is of type ${type}, which cannot be derived`)
  return { ...column, sql }
}

/** A column of text; throws when it holds something else, which is a fault of the caller's code. */
export function textColumn(column: Column): Column {
  if (column.type === 'STRING' || column.type === 'ENUM') return column
  throw new Error(`column "${column.name}" is of type ${column.type}, where one of texts is needed`)
}

/** A condition on `sql` that takes a list of values as JSON: one of them must be equal. */
export const anyOf = (sql: string): string => `${sql} IN (SELECT value FROM json_each(?))`

/** The columns of a collection by name, without its id, which is `_key`. */
export function columnsOf(collection: Collection<never>): ReadonlyMap<string, Column> {
  const { list, columns = {}, id } = collection
  const declared = [
    ...Object.entries(columns),
    ...(list?.fields ?? []).filter(field => !field.list).map(({ name, type, path }) => [name, type, path] as const),
    ...(list === undefined ? [] : [[list.key, 'STRING'] as const]),
  ]
  const found = new Map<string, Column>()
  for (const [name, type, path] of declared) {
    const made = found.has(name) ? undefined : columnOf(name, type, path)
    if (made !== undefined) found.set(name, made)
  }
  found.set(id, { name: id, path: id, type: 'STRING', sql: ownColumns.key, affinity: 'TEXT' })
  return found
}

/** What a column holds for a member that is not set in an object that is: the type's default (conventions §8). */
export const unsetValues: Readonly<Record<ColumnType, SQLInputValue>> = {
  STRING: '',
  ENUM: '',
  TIMESTAMP: null,
  INTEGER: 0,
  BOOLEAN: 0,
  NUMBER: 0,
}

/** A member of a document as its column holds it. Throws `TypeError` as `encode` does. */
export function columnValue(column: Column, document: unknown): SQLInputValue {
  let value = document
  for (const name of column.path.split('.')) {
    if (!isRecord(value)) return null
    value = own(value, name)
  }
  return encode(column, value)
}

/**
 * A value as its column holds and compares it: text in UTF-8, whose bytes sort by code point; timestamps as canonical
 * text; booleans as 0 and 1. Throws `TypeError` for a value that is not of the column's type.
 */
export function encode(column: Column, value: unknown): SQLInputValue {
  if (value === undefined || value === null) return unsetValues[column.type]
  const encoded = encoders[column.type](value)
  if (encoded === undefined) throw new TypeError(`member "${column.name}" holds no value of type ${column.type}`)
  return encoded
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** Whether an integer column can hold `value`. */
export const isInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64

function isWhole(value: unknown): value is number | string {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,19}$/.test(value)
}

const textOnly = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** 64-bit integers may stand as strings. */
function integer(value: unknown): bigint | undefined {
  if (!isWhole(value)) return undefined
  const whole = BigInt(value)
  return isInt64(whole) ? whole : undefined
}

const encoders: Readonly<Record<ColumnType, (value: unknown) => SQLInputValue | undefined>> = {
  STRING: textOnly,
  ENUM: textOnly,
  TIMESTAMP: value => (typeof value === 'string' ? storedTimestamp(value) : undefined),
  INTEGER: integer,
  BOOLEAN: value => (typeof value === 'boolean' ? Number(value) : undefined),
  NUMBER: value => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
}
