import type { Connection } from './connection.ts'
import { columnValue, ownColumns, quoteName, type Column } from './columns.ts'
import type { Layout } from './layout.ts'

/**
 * Makes table, columns and indexes of a collection what its declaration says; runs inside a transaction of the
 * writer. What exists is kept: a new column is filled from the bodies, one that is no longer declared stays, an index
 * whose definition changed is built anew.
 */
export function prepareTable(writer: Connection, layout: Layout): void {
  const { key, version, body } = ownColumns
  writer.exec(
    `CREATE TABLE IF NOT EXISTS ${layout.table} (${key} TEXT NOT NULL PRIMARY KEY, ${version} INTEGER NOT NULL${columnDefinitions(layout)}, ${body} TEXT NOT NULL)`,
  )
  dropStaleIndexes(writer, layout)
  addColumns(writer, layout)
  const present = new Set(indexesIn(writer, layout).map(index => index.name))
  for (const index of layout.indexes) if (!present.has(index.name)) writer.exec(index.sql)
}

const columnDefinitions = (layout: Layout): string =>
  layout.written.map(column => `, ${column.sql} ${column.affinity}`).join('')

function indexesIn(writer: Connection, layout: Layout): { readonly name: string; readonly sql: string }[] {
  const select = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`
  return writer.all(select, [layout.collection]).map(([name, sql]) => ({ name: String(name), sql: String(sql) }))
}

function dropStaleIndexes(writer: Connection, layout: Layout): void {
  const declared = new Map(layout.indexes.map(index => [index.name, index.sql]))
  for (const { name, sql } of indexesIn(writer, layout)) {
    if (declared.get(name) !== sql) writer.exec(`DROP INDEX ${quoteName(name)}`)
  }
}

/** Adds columns that the table lacks, and anew those that hold another type than declared. */
function addColumns(writer: Connection, layout: Layout): void {
  const rows = writer.all(`SELECT name, type FROM pragma_table_info(?)`, [layout.collection])
  const present = new Map(rows.map(([name, type]) => [name, type]))
  const added = layout.written.filter(column => present.get(column.name) !== column.affinity)
  for (const column of added) {
    if (present.has(column.name)) writer.exec(`ALTER TABLE ${layout.table} DROP COLUMN ${column.sql}`)
    writer.exec(`ALTER TABLE ${layout.table} ADD COLUMN ${column.sql} ${column.affinity}`)
  }
  if (added.length > 0) backFill(writer, layout, added)
}

/** Rows that are filled at a time: memory stays small whatever the table holds. */
const batchSize = 500

function backFill(writer: Connection, layout: Layout, columns: readonly Column[]): void {
  const { key, body } = ownColumns
  const select = `SELECT ${key}, ${body} FROM ${layout.table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${batchSize}`
  const update = `UPDATE ${layout.table} SET ${columns.map(column => `${column.sql} = ?`).join(', ')} WHERE ${key} = ?`
  let last = ''
  for (;;) {
    const rows = writer.all(select, [last])
    for (const [id, text] of rows) {
      const document: unknown = JSON.parse(String(text))
      last = String(id)
      writer.run(update, [...columns.map(column => columnValue(column, document)), last])
    }
    if (rows.length < batchSize) return
  }
}
