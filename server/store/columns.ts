import type { Collection } from '../../domain/ports/store.ts'
import type { FilterType } from '../../runtime/filter/types.ts'
import { storedTimestamp } from '../../runtime/timestamps.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'

/** The types that are one scalar and so become columns. */
export type ColumnType = 'STRING' | 'ENUM' | 'TIMESTAMP' | 'INTEGER' | 'BOOLEAN' | 'NUMBER'

/** The types of SQL for the types of columns. */
export interface ColumnTypes {
  readonly types: Readonly<Record<ColumnType, string>>
}

/** A column that is written with each document. */
export interface WrittenColumn {
  readonly name: string
  /** The quoted name. */
  readonly sql: string
  /** The type in SQL. */
  readonly affinity: string
  /** What it holds of a document. Throws `TypeError` as `encode` does. */
  readonly valueOf: (document: unknown) => SqlValue
}

/** One scalar member of a document as a column. NULL: an object around it, or a timestamp, is not set. */
export interface Column extends WrittenColumn {
  /** The dotted path of the member. */
  readonly path: string
  readonly type: ColumnType
  /** Whether a row may have NULL here. */
  readonly isNullable: boolean
}

/** The type of a column as CAST names it. */
export const typeOf = ({ affinity }: WrittenColumn): string => affinity.replace(/ COLLATE .*/, '')

/** The columns that every table has beside those of its members. */
export const ownColumns = { key: '"_key"', version: '"_version"', body: '"_body"' } as const

/** An identifier of SQL; doubled quotes keep every name inside. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A text literal of SQL, for texts that declarations hold; what callers send is always a parameter. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Where a column comes from when its name does not say it. */
interface Origin {
  readonly path?: string | undefined
  readonly sql?: string
}

function columnOf(
  name: string,
  type: FilterType,
  { types }: ColumnTypes,
  { path = name, sql = quoteName(name) }: Origin = {},
): Column | undefined {
  if (type === 'MAP' || type === 'PRESENCE') return undefined
  if (type === 'DURATION') throw new Error(`member "${name}" is a duration, which the store keeps no column for`)
  const steps = path.split('.')
  const valueOf = (document: unknown): SqlValue => memberValue({ name, type }, steps, document)
  const isNullable = unsetValues[type] === null || steps.length > 1
  return { name, path, type, sql, affinity: types[type], valueOf, isNullable }
}

/** The column of a field that a query derives; `sql` yields its values. */
export function derivedColumn(name: string, type: FilterType, sql: string, dialect: ColumnTypes): Column {
  const column = columnOf(name, type, dialect, { sql })
  if (column === undefined) throw new Error(`field "${name}" is of type ${type}, which cannot be derived`)
  return column
}

/** A column of text; throws when it holds something else, which is a fault of the caller's code. */
export function textColumn(column: Column): Column {
  if (column.type === 'STRING' || column.type === 'ENUM') return column
  throw new Error(`column "${column.name}" is of type ${column.type}, where one of texts is needed`)
}

/** The columns of the members of a collection by name; its id is `_key`. */
export function memberColumns(collection: Collection<never>, dialect: ColumnTypes): ReadonlyMap<string, Column> {
  const { list, columns = {}, id } = collection
  const declared = [
    ...Object.entries(columns),
    ...(list?.fields ?? []).filter(field => !field.list).map(({ name, type, path }) => [name, type, path] as const),
    ...(list === undefined ? [] : [[list.key, 'STRING'] as const]),
  ]
  const found = new Map<string, Column>()
  for (const [name, type, path] of declared) {
    const made = type === undefined || found.has(name) ? undefined : columnOf(name, type, dialect, { path })
    if (made !== undefined) found.set(name, made)
  }
  const key = columnOf(id, 'STRING', dialect, { sql: ownColumns.key })
  if (key !== undefined) found.set(id, key)
  return found
}

/** What a column holds for a member that is not set in an object that is: the type's default (conventions §8). */
export const unsetValues: Readonly<Record<ColumnType, string | number | null>> = {
  STRING: '',
  ENUM: '',
  TIMESTAMP: null,
  INTEGER: 0,
  BOOLEAN: 0,
  NUMBER: 0,
}

function memberValue(column: Pick<Column, 'name' | 'type'>, path: readonly string[], document: unknown): SqlValue {
  let value = document
  for (const name of path) {
    if (!isRecord(value)) return null
    value = own(value, name)
  }
  return encode(column, value)
}

/**
 * A value as its column holds and compares it: text in UTF-8, whose bytes sort by code point; timestamps as canonical
 * text; booleans as 0 and 1. Throws `TypeError` for a value that is not of the column's type.
 */
export function encode({ name, type }: Pick<Column, 'name' | 'type'>, value: unknown): SqlValue {
  if (value === undefined || value === null) return unsetValues[type]
  const encoded = encoders[type](value)
  if (encoded === undefined) throw new TypeError(`member "${name}" holds no value of type ${type}`)
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

/** A value that is set as a column of the type holds it; undefined when it is none of the type. */
export const encoders: Readonly<Record<ColumnType, (value: unknown) => string | number | bigint | undefined>> = {
  STRING: textOnly,
  ENUM: textOnly,
  TIMESTAMP: value => (typeof value === 'string' ? storedTimestamp(value) : undefined),
  INTEGER: integer,
  BOOLEAN: value => (typeof value === 'boolean' ? Number(value) : undefined),
  NUMBER: value => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
}
