import type { FilterField, SortField, SortKey } from '../../runtime/filter/types.ts'
import type { SqlValue } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { encode, quoteText, type Column } from './columns.ts'

/** The columns of a collection by the path of their member. */
export interface Columns {
  readonly collection: string
  readonly columns: ReadonlyMap<string, Column>
  readonly dialect: Dialect
}

/** One key of an order as SQL: the column, or for an enum its place in the declared order. */
export interface OrderTerm {
  readonly field: FilterField
  readonly expression: string
  readonly descending: boolean
  /** Rows may have nothing to sort by here; never the last term, which is the key. */
  readonly isNullable: boolean
  /** A sort key as the expression yields it. */
  readonly encode: (key: SortKey) => SqlValue
}

/** A declared column by the path of its member; a name that is not declared is a fault of the caller's code. */
export function columnNamed(columns: Columns, name: string): Column {
  const column = columns.columns.get(name)
  if (column === undefined) throw new Error(`collection "${columns.collection}" declares no column "${name}"`)
  return column
}

/** One key of an order. Enums sort as they are declared, unset values first (conventions §8). */
export function orderTerm(columns: Columns, { field, descending }: SortField): OrderTerm {
  const column = columnNamed(columns, field.name)
  const isNullable = isEnum(field) || column.isNullable
  const { encode, expression } = isEnum(field) ? enumTerm(column, field) : plainTerm(column)
  return { field, expression, descending, isNullable, encode }
}

type Sorted = Pick<OrderTerm, 'expression' | 'encode'>

const isEnum = ({ type }: FilterField): boolean => type === 'ENUM'

function plainTerm(column: Column): Sorted {
  return { expression: column.sql, encode: key => (key === null ? null : encode(column, key)) }
}

/** Without declared values there is no order but that of the texts. */
function enumTerm(column: Column, { enumValues: values = [] }: FilterField): Sorted {
  if (values.length === 0) return { ...plainTerm(column), expression: `nullif(${column.sql}, '')` }
  const cases = values.map((value, rank) => `WHEN ${quoteText(value)} THEN ${rank}`)
  return { expression: `CASE ${column.sql} ${cases.join(' ')} END`, encode: key => rankOf(values, key) }
}

function rankOf(values: readonly string[], value: SortKey): number | null {
  const rank = values.findIndex(one => one === value)
  return rank < 0 ? null : rank
}
