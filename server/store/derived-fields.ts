import type { Derived } from '../../domain/ports/store.ts'
import { derivedColumn, textColumn } from './columns.ts'
import type { Layout } from './layout.ts'
import { columnNamed, type Columns } from './order.ts'
import type { SqlCondition } from './condition.ts'

/** The derived fields of a query, as a table within its statement. */
export interface DerivedTable {
  /** The columns of the collection and the derived columns. */
  readonly columns: Columns
  /** The SQL that makes the table, before the SELECT. */
  readonly table: SqlCondition
  /** The condition that joins a document with its row of the table. */
  readonly fits: SqlCondition
  /** Whether a column has one value in all documents of a row. */
  readonly isFixed: (name: string) => boolean
}

/** The name of the table; no collection has this name. */
export const derivedName = '"_derived"'

/** Returns the table of rows: values of the columns `from`, and of the fields that follow from these values. */
export function derivedTable(layout: Layout, { fields, from, rows }: Derived): DerivedTable {
  const { collection, dialect } = layout
  const keys = from.map((name, i) => ({ name: `"_key_${i}"`, column: textColumn(columnNamed(layout, name)) }))
  const values = fields.map(({ name, type }, i) => {
    const short = `"_value_${i}"`
    return { name: short, column: derivedColumn(name, type, `${derivedName}.${short}`, dialect) }
  })
  const made = [...keys, ...values]
  const types = made.map(({ column }) => column.type)
  const { sql, parameters } = dialect.rows(
    types,
    rows.map(row => [...row.from, ...row.values]),
  )
  const names = made.map(({ name }) => name).join(', ')
  const fixed = new Set([...from, ...fields.map(({ name }) => name)])
  return {
    columns: {
      collection,
      dialect,
      orderedBy: layout.orderedBy,
      columns: new Map([...layout.columns, ...values.map(({ column }) => [column.name, column] as const)]),
    },
    table: { sql: `WITH ${derivedName} (${names}) AS MATERIALIZED (${sql}) `, parameters },
    fits: {
      sql: keys.map(({ name, column }) => `${column.sql} = ${derivedName}.${name}`).join(' AND '),
      parameters: [],
    },
    isFixed: name => fixed.has(name),
  }
}

/** Returns a document with its derived fields, for sort keys. */
export function withDerived(layout: Layout, document: object, { fields, from, rows }: Derived): object {
  const held = from.map(name => columnNamed(layout, name).valueOf(document))
  const row = rows.find(one => one.from.every((value, i) => value === held[i]))
  return { ...document, ...Object.fromEntries(fields.map(({ name }, i) => [name, row?.values[i]])) }
}
