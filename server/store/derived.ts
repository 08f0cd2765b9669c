import type { SQLInputValue } from 'node:sqlite'
import type { Derived } from '../../domain/ports/store.ts'
import { columnValue, derivedColumn, textColumn } from './columns.ts'
import type { Condition } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, type Columns } from './order.ts'

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
  const keys = from.map((_, i) => `"_key_${i}"`)
  const values = fields.map((_, i) => `"_value_${i}"`)
  const names = [...keys, ...values]
  const taken = names.map((_, i) => `value ->> ${i}`).join(', ')
  const made = fields.map(({ name, type }, i) => {
    return [name, derivedColumn(name, type, `${derivedName}.${values[i]}`)] as const
  })
  const json = JSON.stringify(rows.map(row => [...row.from, ...row.values]))
  const fixed = new Set([...from, ...fields.map(({ name }) => name)])
  return {
    columns: { collection: layout.collection, columns: new Map([...layout.columns, ...made]) },
    table: {
      sql: `WITH ${derivedName} (${names.join(', ')}) AS MATERIALIZED (SELECT ${taken} FROM json_each(?)) `,
      parameters: [json],
    },
    fits: {
      sql: from
        .map((name, i) => `${textColumn(columnNamed(layout, name)).sql} = ${derivedName}.${keys[i]}`)
        .join(' AND '),
      parameters: [],
    },
    isFixed: name => fixed.has(name),
  }
}

/** A document with its derived fields, as sort keys are taken from it. */
export function withDerived(layout: Layout, document: object, { fields, from, rows }: Derived): object {
  const held: readonly SQLInputValue[] = from.map(name => columnValue(columnNamed(layout, name), document))
  const row = rows.find(one => one.from.every((value, i) => value === held[i]))
  return { ...document, ...Object.fromEntries(fields.map(({ name }, i) => [name, row?.values[i]])) }
}
