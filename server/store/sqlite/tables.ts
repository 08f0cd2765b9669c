import { ownColumns, quoteName, type WrittenColumn } from '../columns.ts'
import { addGeneration } from '../generation.ts'
import { checkKnown, type Layout } from '../layout.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Makes table, columns and indexes of a collection what its declaration says; runs inside a transaction of the
 * writer. What exists is kept: a new column is filled from the bodies, one that is no longer declared stays, an index
 * whose definition changed is built anew. Throws when a newer version has added a column.
 */
export function prepareTable(writer: SqliteConnection, layout: Layout): void {
  const { key, version, body } = ownColumns
  writer.exec(
    `CREATE TABLE IF NOT EXISTS ${layout.table} (${key} TEXT NOT NULL PRIMARY KEY, ${version} INTEGER NOT NULL${columnDefinitions(layout)}, ${body} TEXT NOT NULL)`,
  )
  const types = columnTypes(writer, layout)
  checkKnown(layout, types.keys())
  const added = layout.written.filter(({ name, affinity }) => types.get(name) !== affinity)
  const retyped = added.filter(({ name }) => types.has(name))
  dropStaleIndexes(writer, layout, retyped.length > 0)
  for (const { sql } of retyped) writer.exec(`ALTER TABLE ${layout.table} DROP COLUMN ${sql}`)
  for (const { sql, affinity } of added) writer.exec(`ALTER TABLE ${layout.table} ADD COLUMN ${sql} ${affinity}`)
  if (added.length > 0) {
    backFill(writer, layout, added)
    writer.run(addGeneration)
  }
  const present = new Set(indexesIn(writer, layout).map(index => index.name))
  for (const index of layout.indexes) if (!present.has(index.name)) writer.exec(index.sql)
}

const columnDefinitions = (layout: Layout): string =>
  layout.written.map(column => `, ${column.sql} ${column.affinity}`).join('')

function columnTypes(writer: SqliteConnection, layout: Layout): ReadonlyMap<string, string> {
  const rows = writer.all(`SELECT name, type FROM pragma_table_info(?)`, [layout.collection])
  return new Map(rows.map(([name, type]) => [String(name), String(type)]))
}

function indexesIn(writer: SqliteConnection, layout: Layout): { readonly name: string; readonly sql: string }[] {
  const select = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`
  return writer.all(select, [layout.collection]).map(([name, sql]) => ({ name: String(name), sql: String(sql) }))
}

/** All of them when a column changes its type: one that stands in an index cannot be dropped. */
function dropStaleIndexes(writer: SqliteConnection, layout: Layout, all: boolean): void {
  const declared = new Map(layout.indexes.map(index => [index.name, index.sql]))
  for (const { name, sql } of indexesIn(writer, layout)) {
    if (all || declared.get(name) !== sql) writer.exec(`DROP INDEX ${quoteName(name)}`)
  }
}

/** Rows that are filled at a time: memory stays small whatever the table holds. */
const batchSize = 500

function backFill(writer: SqliteConnection, layout: Layout, columns: readonly WrittenColumn[]): void {
  const { key, body } = ownColumns
  const select = `SELECT ${key}, ${body} FROM ${layout.table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${batchSize}`
  const update = `UPDATE ${layout.table} SET ${columns.map(column => `${column.sql} = ?`).join(', ')} WHERE ${key} = ?`
  let last = ''
  for (;;) {
    const rows = writer.all(select, [last])
    for (const [id, text] of rows) {
      const document: unknown = JSON.parse(String(text))
      last = String(id)
      writer.run(update, [...columns.map(column => column.valueOf(document)), last])
    }
    if (rows.length < batchSize) return
  }
}
