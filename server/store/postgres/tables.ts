import { isRecord } from '../../../runtime/validation.ts'
import { ownColumns, quoteName, type WrittenColumn } from '../columns.ts'
import type { Connection } from '../connection.ts'
import { addGeneration } from '../generation.ts'
import type { Layout } from '../layout.ts'

/** What a table has: the types of its columns, and the statements of its indexes. */
interface Definition {
  readonly columns: Readonly<Record<string, string>>
  readonly indexes: Readonly<Record<string, string>>
}

/**
 * Makes table, columns and indexes of a collection what its declaration says, inside the transaction that holds the
 * schema. What exists is kept: a new column is filled from the bodies, one that is no longer declared stays, an index
 * whose definition changed is built anew.
 */
export async function prepareTable(writer: Connection, layout: Layout): Promise<void> {
  const row = await writer.get('SELECT definition FROM ninefold_tables WHERE name = ?', [layout.collection])
  const known = row === undefined ? undefined : definitionOf(String(row[0]))
  const wanted: Definition = {
    columns: { ...known?.columns, ...Object.fromEntries(layout.written.map(({ name, affinity }) => [name, affinity])) },
    indexes: Object.fromEntries(layout.indexes.map(({ name, sql }) => [name, sql])),
  }
  const definition = JSON.stringify(wanted)
  if (row?.[0] === definition) return
  if (known === undefined) await writer.run(createTable(layout))
  else await changeTable(writer, layout, known)
  for (const { sql } of layout.indexes) await writer.run(sql.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
  await writer.run(
    'INSERT INTO ninefold_tables (name, definition) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition',
    [layout.collection, definition],
  )
}

const columnDefinition = ({ sql, affinity }: WrittenColumn): string => `${sql} ${affinity}`

/** The statement that makes the table of a collection without its indexes. */
export function createTable({ table, written }: Layout): string {
  const { key, version, body } = ownColumns
  const columns = [
    `${key} TEXT COLLATE "C" NOT NULL PRIMARY KEY`,
    `${version} BIGINT NOT NULL`,
    ...written.map(columnDefinition),
    `${body} TEXT NOT NULL`,
  ]
  return `CREATE TABLE ${table} (${columns.join(', ')})`
}

async function changeTable(writer: Connection, layout: Layout, known: Definition): Promise<void> {
  const declared = new Map(layout.indexes.map(({ name, sql }) => [name, sql]))
  for (const [name, sql] of Object.entries(known.indexes)) {
    if (declared.get(name) !== sql) await writer.run(`DROP INDEX IF EXISTS ${quoteName(name)}`)
  }
  const added = layout.written.filter(({ name, affinity }) => known.columns[name] !== affinity)
  for (const column of added) {
    if (column.name in known.columns) await writer.run(`ALTER TABLE ${layout.table} DROP COLUMN ${column.sql}`)
    await writer.run(`ALTER TABLE ${layout.table} ADD COLUMN ${columnDefinition(column)}`)
  }
  if (added.length > 0) {
    await backFill(writer, layout, added)
    await writer.run(addGeneration)
  }
}

function definitionOf(text: string): Definition {
  const value: unknown = JSON.parse(text)
  const { columns, indexes } = isRecord(value) ? value : {}
  return { columns: textsOf(columns), indexes: textsOf(indexes) }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, text]) => [name, String(text)]))
}

/** Rows that are filled at a time: memory stays small whatever the table holds. */
const batchSize = 500

async function backFill(writer: Connection, layout: Layout, columns: readonly WrittenColumn[]): Promise<void> {
  const { key, body } = ownColumns
  const select = `SELECT ${key}, ${body} FROM ${layout.table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${batchSize}`
  const update = `UPDATE ${layout.table} SET ${columns.map(column => `${column.sql} = ?`).join(', ')} WHERE ${key} = ?`
  let last = ''
  for (;;) {
    const rows = await writer.all(select, [last])
    for (const [id, text] of rows) {
      const document: unknown = JSON.parse(String(text))
      last = String(id)
      await writer.run(update, [...columns.map(column => column.valueOf(document)), last])
    }
    if (rows.length < batchSize) return
  }
}
