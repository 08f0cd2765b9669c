import { isRecord } from '../../../runtime/validation.ts'
import { ownColumns, quoteName, type WrittenColumn } from '../columns.ts'
import type { Connection } from '../connection.ts'
import { addGeneration } from '../generation.ts'
import { checkKnown, type Layout } from '../layout.ts'
import { addColumns, columnDefinition, dropMarks, fillSome } from './fill.ts'

/** What a table has: the types of its columns, and the statements of its indexes. */
export interface Definition {
  readonly columns: Readonly<Record<string, string>>
  readonly indexes: Readonly<Record<string, string>>
}

/**
 * Makes table, columns and indexes of a collection what its declaration says, inside the transaction that holds the
 * schema; `known` is how the table is. What exists is kept: a new column is filled from the bodies, one that is no longer declared stays, an index
 * whose definition changed is built anew. Throws when a newer version has added a column.
 */
export async function prepareTable(writer: Connection, layout: Layout, known: Definition | undefined): Promise<void> {
  checkKnown(layout, Object.keys(known?.columns ?? {}))
  const wanted: Definition = {
    columns: { ...known?.columns, ...Object.fromEntries(layout.written.map(({ name, affinity }) => [name, affinity])) },
    indexes: Object.fromEntries(layout.indexes.map(({ name, sql }) => [name, sql])),
  }
  const definition = JSON.stringify(wanted)
  if (known !== undefined && JSON.stringify(known) === definition) return
  if (known === undefined) await writer.run(createTable(layout))
  else await changeTable(writer, layout, known)
  for (const { sql } of layout.indexes) await writer.run(sql.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
  await writer.run(
    'INSERT INTO ninefold_tables (name, definition) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition',
    [layout.collection, definition],
  )
}

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
  const changed = layout.written.filter(({ name, affinity }) => known.columns[name] !== affinity)
  if (changed.length === 0) return
  for (const { sql } of retyped(changed, known)) await writer.run(`ALTER TABLE ${layout.table} DROP COLUMN ${sql}`)
  await addColumns(writer, layout, changed)
  let after: string | undefined = ''
  while (after !== undefined) after = await fillSome(writer, layout, changed, after)
  await dropMarks(writer, layout)
  await writer.run(addGeneration)
}

const retyped = (changed: readonly WrittenColumn[], { columns }: Definition): readonly WrittenColumn[] =>
  changed.filter(({ name }) => name in columns)

/** The new columns of a table that can be filled ahead. What older servers still use under the same name stays for now. */
export function columnsAhead(layout: Layout, known: Definition | undefined): readonly WrittenColumn[] {
  if (known === undefined) return []
  checkKnown(layout, Object.keys(known.columns))
  const changed = layout.written.filter(({ name, affinity }) => known.columns[name] !== affinity)
  return retyped(changed, known).length > 0 ? [] : changed
}

/**
 * Fills new columns of some rows ahead of `prepareTable`, which then has few left to fill while nobody else may use the
 * table; older servers read and write it meanwhile. Runs inside a transaction that holds the schema. Answers where to go
 * on, undefined when nothing is left to do ahead.
 */
export async function fillAhead(writer: Connection, layout: Layout, after: string): Promise<string | undefined> {
  const columns = columnsAhead(layout, (await definitionsIn(writer)).get(layout.collection))
  if (columns.length === 0) return undefined
  if (after === '') await addColumns(writer, layout, columns)
  return fillSome(writer, layout, columns, after)
}

/** How the tables of a store are, by their names. */
export async function definitionsIn(writer: Connection): Promise<ReadonlyMap<string, Definition>> {
  const rows = await writer.all('SELECT name, definition FROM ninefold_tables')
  return new Map(rows.map(([name, text]) => [String(name), definitionOf(String(text))]))
}

function definitionOf(text: string): Definition {
  const value: unknown = JSON.parse(text)
  const { columns, indexes } = isRecord(value) ? value : {}
  return { columns: textsOf(columns), indexes: textsOf(indexes) }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, text]) => [name, String(text)]))
}
