import { ownColumns, quoteName, type WrittenColumn } from '../columns.ts'
import type { Index } from '../indexes.ts'
import { checkKnown, undeclared, type Layout } from '../layout.ts'
import { RepeatedValues, selectRepeated } from '../unique-conflicts.ts'
import type { SqliteConnection } from './connection.ts'
import { sqliteCode, sqliteCodes } from './errors.ts'

/**
 * Migrates table, columns and indexes of a collection to its declaration, in a transaction of the writer. Existing
 * parts stay: a new column is filled from the bodies, an undeclared column stays, and an undeclared index stays until
 * the format is raised. Throws `NewerStore` if a newer version has added a column or a unique set, and `RepeatedValues`
 * if documents share values of a unique set. Returns true if running servers know too little to write the table.
 */
export function prepareTable(writer: SqliteConnection, layout: Layout, isRaised: boolean): boolean {
  const isNew = columnTypes(writer, layout).size === 0
  if (isNew) writer.exec(createTable(layout))
  const types = columnTypes(writer, layout)
  const indexes = indexesIn(writer, layout)
  checkKnown(layout, { columns: types.keys(), indexes }, isRaised)
  const added = layout.written.filter(({ name, affinity }) => types.get(name) !== affinity)
  const retyped = added.filter(({ name }) => types.has(name))
  const stale = isRaised ? undeclared(layout, indexes) : []
  // SQLite cannot drop a column of an index, so the index is dropped first.
  for (const [name] of retyped.length > 0 ? indexes : stale) writer.exec(`DROP INDEX ${quoteName(name)}`)
  for (const { sql } of retyped) writer.exec(`ALTER TABLE ${layout.table} DROP COLUMN ${sql}`)
  for (const { sql, affinity } of added) writer.exec(`ALTER TABLE ${layout.table} ADD COLUMN ${sql} ${affinity}`)
  if (added.length > 0) backFill(writer, layout, added)
  const made = missingIn(writer, layout)
  for (const index of made) makeIndex(writer, layout, index)
  return !isNew && (added.length > 0 || made.some(({ unique }) => unique !== undefined))
}

function createTable(layout: Layout): string {
  const { key, version, body } = ownColumns
  return `CREATE TABLE ${layout.table} (${key} TEXT NOT NULL PRIMARY KEY, ${version} INTEGER NOT NULL${columnDefinitions(layout)}, ${body} TEXT NOT NULL)`
}

const columnDefinitions = (layout: Layout): string =>
  layout.written.map(column => `, ${column.sql} ${column.affinity}`).join('')

/** Returns the types of a table's columns, keyed by name; empty for an absent table. */
export function columnTypes(connection: SqliteConnection, layout: Layout): ReadonlyMap<string, string> {
  const rows = connection.all(`SELECT name, type FROM pragma_table_info(?)`, [layout.collection])
  return new Map(rows.map(([name, type]) => [String(name), String(type)]))
}

/** Returns the statements of a table's indexes, keyed by name. */
export function indexesIn(connection: SqliteConnection, layout: Layout): ReadonlyMap<string, string> {
  const select = `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`
  return new Map(connection.all(select, [layout.collection]).map(([name, sql]) => [String(name), String(sql)]))
}

function missingIn(writer: SqliteConnection, layout: Layout): readonly Index[] {
  const present = indexesIn(writer, layout)
  return layout.indexes.filter(({ name }) => !present.has(name))
}

function makeIndex(writer: SqliteConnection, layout: Layout, index: Index): void {
  try {
    writer.exec(index.sql)
  } catch (error) {
    if (sqliteCode(error) !== sqliteCodes.uniqueViolated) throw error
    throw new RepeatedValues(layout, index, writer.get(selectRepeated(layout, index)), error)
  }
}

/** The number of rows that are filled at a time, so that memory stays bounded. */
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
