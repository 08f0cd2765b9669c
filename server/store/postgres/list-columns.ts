import { matches } from '../../../runtime/filter/evaluate.ts'
import { pathOf, valueAs } from '../../../runtime/filter/fields.ts'
import type { FilterField, FilterType, ListFields } from '../../../runtime/filter/types.ts'
import { isRecord, own } from '../../../runtime/validation.ts'
import { encoders, quoteName, type ColumnType, type WrittenColumn } from '../columns.ts'
import { arrayLiteral, escapeJson } from './text.ts'

/** The collation that compares by bytes, which in UTF-8 means by code point. */
export const collation = ' COLLATE "C"'

/** The SQL types of columns, keyed by the type of the member. */
export const columnTypes: Readonly<Record<ColumnType, string>> = {
  STRING: `TEXT${collation}`,
  ENUM: `TEXT${collation}`,
  TIMESTAMP: `TEXT${collation}`,
  INTEGER: 'BIGINT',
  BOOLEAN: 'SMALLINT',
  NUMBER: 'DOUBLE PRECISION',
}

/** Returns the array type for values of a type, without a collation. */
export const arrayType = (type: ColumnType): string => `${columnTypes[type].replace(collation, '')}[]`

/** Returns the quoted name of the column that stores whether a list or an object is set. */
export const presenceName = (field: FilterField): string => quoteName(field.list ? `${field.name}:*` : field.name)

/**
 * Returns columns for fields that are no scalars: the elements of a list as an array, the entries of a map as JSONB,
 * and 0 or 1 for whether a list or an object is set. Filters then never read a body, because PostgreSQL cannot read
 * every text.
 */
export function listColumns({ fields }: ListFields): readonly WrittenColumn[] {
  return fields.flatMap(field => {
    if (field.list) return [elements(field), presence(field)]
    if (field.type === 'MAP') return [entries(field)]
    return field.type === 'PRESENCE' ? [presence(field)] : []
  })
}

function presence(field: FilterField): WrittenColumn {
  const name = field.list ? `${field.name}:*` : field.name
  const valueOf = (document: unknown): number => Number(matches({ kind: 'present', field }, document))
  return { name, sql: presenceName(field), affinity: 'SMALLINT', valueOf }
}

function elements(field: FilterField): WrittenColumn {
  const { name, type } = field
  if (!isColumnType(type)) throw new Error(`list "${name}" is of type ${type}, which the store keeps no column for`)
  const affinity = arrayType(type) + (columnTypes[type].endsWith(collation) ? collation : '')
  const encode = encoders[type]
  const valueOf = (document: unknown): string => {
    const found = [...leaves(document, pathOf(field), 0)].map(encode)
    return arrayLiteral(found.filter(value => value !== undefined))
  }
  return { name, sql: quoteName(name), affinity, valueOf }
}

const isColumnType = (type: FilterType): type is ColumnType => Object.hasOwn(columnTypes, type)

/** Yields the values at a path, through lists, as `matches` does. */
function* leaves(value: unknown, path: readonly string[], step: number): Generator<unknown, void, undefined> {
  if (Array.isArray(value)) {
    for (const element of value) yield* leaves(element, path, step)
    return
  }
  const name = path[step]
  if (name === undefined || !isRecord(value)) return
  const member = own(value, name)
  if (step + 1 < path.length) yield* leaves(member, path, step + 1)
  else if (Array.isArray(member)) yield* member
  else if (member !== undefined && member !== null) yield member
}

function entries(field: FilterField): WrittenColumn {
  const path = pathOf(field)
  const type = field.values ?? 'STRING'
  const valueOf = (document: unknown): string | null => {
    let map = document
    for (const name of path) map = isRecord(map) ? own(map, name) : undefined
    if (!isRecord(map)) return null
    const members = Object.entries(map).map(([key, value]) => `${JSON.stringify(key)}:${entry(type, value)}`)
    return escapeJson(`{${members.join(',')}}`)
  }
  return { name: field.name, sql: quoteName(field.name), affinity: 'JSONB', valueOf }
}

/** Returns a value for comparison. Null and an incomparable value differ, because the latter is set. */
function entry(type: FilterType, value: unknown): string {
  const found = value === null ? null : (valueAs[type](value) ?? {})
  if (typeof found === 'boolean') return String(Number(found))
  return typeof found === 'bigint' ? String(found) : JSON.stringify(found)
}
