import type { SQLInputValue } from 'node:sqlite'
import type { Collection } from '../../domain/ports/store.ts'
import { indexesOf, type Index } from './indexes.ts'
import { columnsOf, columnValue, ownColumns, quoteName, type Column } from './columns.ts'

/** What the store knows of one collection, made once when it is declared. */
export interface Layout {
  readonly collection: string
  readonly id: string
  /** The quoted name of the table. */
  readonly table: string
  /** By the path of the member; `_key` under the name of the id. */
  readonly columns: ReadonlyMap<string, Column>
  /** The columns that a row is written with, after key and body. */
  readonly written: readonly Column[]
  readonly indexes: readonly Index[]
  /** Reads the row of a key as `select` does. */
  readonly get: string
  readonly insert: string
  readonly update: string
}

export function layoutOf(collection: Collection<never>): Layout {
  const table = quoteName(collection.name)
  const columns = columnsOf(collection)
  const written = [...columns.values()].filter(column => column.sql !== ownColumns.key)
  const names = written.map(column => column.sql)
  const { key, version, body } = ownColumns
  return {
    collection: collection.name,
    id: collection.id,
    table,
    columns,
    written,
    indexes: indexesOf(collection, { collection: collection.name, columns }),
    get: `SELECT ${key}, ${version}, ${body} FROM ${table} WHERE ${key} = ?`,
    insert: `INSERT INTO ${table} (${[key, body, ...names, version].join(', ')}) VALUES (${'?, '.repeat(names.length + 2)}1)`,
    update: `UPDATE ${table} SET ${[body, ...names].map(name => `${name} = ?`).join(', ')}, ${version} = ${version} + 1 WHERE ${key} = ? AND ${version} = ?`,
  }
}

/** What is written of a document, in the order of `written`. */
export function columnValues(layout: Layout, document: unknown): SQLInputValue[] {
  return layout.written.map(column => columnValue(column, document))
}
