import type { Collection } from '../../domain/ports/store.ts'
import type { FilterType } from '../../runtime/filter/types.ts'
import { storedTimestamp } from '../../runtime/timestamps.ts'
import { isRecord, own } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'

/** The types of scalars, which become columns. */
export type ColumnType = 'STRING' | 'ENUM' | 'TIMESTAMP' | 'INTEGER' | 'BOOLEAN' | 'NUMBER'

/** The SQL types of columns. */
export interface ColumnTypes {
  readonly types: Readonly<Record<ColumnType, string>>
}

/** A column that each write of a document fills. */
export interface WrittenColumn {
  readonly name: string
  /** The quoted name. */
  readonly sql: string
  /** The SQL type. */
  readonly affinity: string
  /** Returns the value of the column for a document. Throws `TypeError` as `encode` does. */
  readonly valueOf: (document: unknown) => SqlValue
}

/**
 * A column for one scalar member of a document. NULL means that the member is an unset timestamp, or that its object is
 * unset.
 */
export interface Column extends WrittenColumn {
  /** The dotted path of the member. */
  readonly path: string
  readonly type: ColumnType
  /** Whether the column may be NULL. */
  readonly isNullable: boolean
}

/** Returns the type of a column in the form of CAST, without a collation. */
export const typeOf = ({ affinity }: WrittenColumn): string => affinity.replace(/ COLLATE .*/, '')

/** The quoted names of the columns that every table has in addition to the columns of members. */
export const ownColumns = { key: '"_key"', version: '"_version"', body: '"_body"' } as const

/** Returns an identifier of SQL in quotes; quotes in the name are doubled. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns a text of a declaration as a literal of SQL. Text of a caller is always a parameter instead. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The path of a column's member and its quoted name in SQL, if they do not follow from the name. */
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

/** Returns the column of a derived field; `sql` is the expression of its values. */
export function derivedColumn(name: string, type: FilterType, sql: string, dialect: ColumnTypes): Column {
  const column = columnOf(name, type, dialect, { sql })
  if (column === undefined) throw new Error(`field "${name}" is of type ${type}, which cannot be derived`)
  return column
}

/** Returns a text column; throws for any other column, which is a defect of the calling code. */
export function textColumn(column: Column): Column {
  if (column.type === 'STRING' || column.type === 'ENUM') return column
  throw new Error(`column "${column.name}" is of type ${column.type}, where one of texts is needed`)
}

/**
 * Returns the columns of a collection's members, keyed by name; the column of its id is `_key`. Throws for a member
 * with two types.
 */
export function memberColumns(collection: Collection<never>, dialect: ColumnTypes): ReadonlyMap<string, Column> {
  const { list, columns = {}, id } = collection
  const declared = [
    ...Object.entries(columns),
    ...(list?.fields ?? []).filter(field => !field.list).map(({ name, type, path }) => [name, type, path] as const),
    ...(list === undefined ? [] : [[list.key, 'STRING'] as const]),
  ]
  const found = new Map<string, Column>()
  for (const [name, type, path] of declared) {
    const known = found.get(name)
    if (known !== undefined && type !== undefined && known.type !== type)
      throw new Error(
        `collection "${collection.name}" declares the member "${name}" as ${known.type}, and its list as ${type}`,
      )
    const made = type === undefined || known !== undefined ? undefined : columnOf(name, type, dialect, { path })
    if (made !== undefined) found.set(name, made)
  }
  const key = columnOf(id, 'STRING', dialect, { sql: ownColumns.key })
  if (key !== undefined) found.set(id, key)
  return found
}

/** The column value of an unset member, keyed by type: the default of the type (conventions §8). */
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
 * Returns a value in the form for storage and comparison: text in UTF-8, whose bytes sort by code point; timestamps as
 * canonical text; booleans as 0 and 1. Throws `TypeError` for a value of another type.
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

/** Returns an integer; 64-bit integers may be strings. */
function integer(value: unknown): bigint | undefined {
  if (!isWhole(value)) return undefined
  const whole = BigInt(value)
  return isInt64(whole) ? whole : undefined
}

/** The encoders of set values, keyed by type. An encoder returns undefined for a value of another type. */
export const encoders: Readonly<Record<ColumnType, (value: unknown) => string | number | bigint | undefined>> = {
  STRING: textOnly,
  ENUM: textOnly,
  TIMESTAMP: value => (typeof value === 'string' ? storedTimestamp(value) : undefined),
  INTEGER: integer,
  BOOLEAN: value => (typeof value === 'boolean' ? Number(value) : undefined),
  NUMBER: value => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
}
