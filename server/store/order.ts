import type { FilterField, SortField, SortKey } from '../../runtime/filter/types.ts'
import { sortKey } from '../../runtime/ordering.ts'
import { refusal } from '../../runtime/refusal.ts'
import type { SqlValue } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { encode, quoteText, type Column } from './columns.ts'
import { sortKeyIn } from './computed.ts'

/** The columns of a collection, keyed by the path of their member. */
export interface Columns {
  readonly collection: string
  readonly columns: ReadonlyMap<string, Column>
  /** The names of the columns that replace list fields in orders, keyed by field. */
  readonly orderedBy: ReadonlyMap<string, string>
  readonly dialect: Dialect
}

/** A key of an order as SQL: the column, or for an enum its position in the declared order. */
export interface OrderTerm {
  /** The name of the column. */
  readonly column: string
  readonly expression: string
  readonly descending: boolean
  /** Whether rows may have no value here; never true for the last term, which is the key. */
  readonly isNullable: boolean
  /**
   * Encodes a sort key in the form of the expression. Throws PAGE_TOKEN_INVALID for a key from before a change of
   * types.
   */
  readonly encode: (key: SortKey) => SqlValue
}

/** Returns a declared column by the path of its member; an undeclared name is a defect of the calling code. */
export function columnNamed(columns: Columns, name: string): Column {
  const column = columns.columns.get(name)
  if (column === undefined) throw new Error(`collection "${columns.collection}" declares no column "${name}"`)
  return column
}

/** Returns one key of an order. Enums sort in their declared order, unset values first (conventions §8). */
export function orderTerm(columns: Columns, { field, descending }: SortField): OrderTerm {
  const by = columns.orderedBy.get(field.name)
  const column = columnNamed(columns, by ?? field.name)
  const isRanked = by === undefined && field.type === 'ENUM'
  const isNullable = isRanked || column.isNullable
  const { encode, expression } = isRanked ? enumTerm(column, field) : plainTerm(column)
  return { column: column.name, expression, descending, isNullable, encode }
}

/**
 * Returns the sort keys of a document, in the order of `order`; `fields` are its members and its derived fields. The
 * key of a number is the value in its column, which is 0 for an unset number.
 */
export function sortKeysOf(
  columns: Columns,
  order: readonly SortField[],
  document: object,
  fields: object,
): readonly SortKey[] {
  return order.map(({ field }) => {
    const by = columns.orderedBy.get(field.name)
    if (by !== undefined) return sortKeyIn(columnNamed(columns, by), document)
    const key = sortKey(field, fields)
    return key === null && isNumber(field) ? sortKeyIn(columnNamed(columns, field.name), fields) : key
  })
}

const isNumber = ({ type }: FilterField): boolean => type === 'INTEGER' || type === 'NUMBER'

type Sorted = Pick<OrderTerm, 'expression' | 'encode'>

function plainTerm(column: Column): Sorted {
  return { expression: column.sql, encode: key => (key === null ? null : encodedKey(column, key)) }
}

function encodedKey(column: Column, key: SortKey): SqlValue {
  try {
    return encode(column, key)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw refusal(
      'PAGE_TOKEN_INVALID',
      'page_token',
      'is of another version; ask for the first page again, without page_token',
    )
  }
}

/** Returns the key of an enum: the position of its value. Without declared values, texts sort by code point. */
function enumTerm(column: Column, { enumValues: values = [] }: FilterField): Sorted {
  if (values.length === 0) return { ...plainTerm(column), expression: `nullif(${column.sql}, '')` }
  const cases = values.map((value, rank) => `WHEN ${quoteText(value)} THEN ${rank}`)
  return { expression: `CASE ${column.sql} ${cases.join(' ')} END`, encode: key => rankOf(values, key) }
}

function rankOf(values: readonly string[], value: SortKey): number | null {
  const rank = values.findIndex(one => one === value)
  return rank < 0 ? null : rank
}
