import type { Derived } from '../../domain/ports/store.ts'
import { derivedColumn, textColumn } from './columns.ts'
import type { Layout } from './layout.ts'
import { columnNamed, type Columns } from './order.ts'
import type { Condition } from './condition.ts'

/** The derived fields of a query as a table that lives as long as its statement. */
export interface DerivedTable {
  /** The columns of the collection and the derived ones. */
  readonly columns: Columns
  /** Makes the table; stands before the SELECT. */
  readonly table: Condition
  /** Holds for the documents that have the values of a row of the table. */
  readonly fits: Condition
  /** Whether a column has one value in all documents that fit a row. */
  readonly isFixed: (name: string) => boolean
}

/** The name of the table; no collection has it. */
export const derivedName = '"_derived"'

/** Makes a table of what documents may have in the columns `from`, and in the fields that follow from them. */
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

/** A document with its derived fields, as sort keys are taken from it. */
export function withDerived(layout: Layout, document: object, { fields, from, rows }: Derived): object {
  const held = from.map(name => columnNamed(layout, name).valueOf(document))
  const row = rows.find(one => one.from.every((value, i) => value === held[i]))
  return { ...document, ...Object.fromEntries(fields.map(({ name }, i) => [name, row?.values[i]])) }
}
