import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../runtime/validation.ts'
import { ownColumns, quoteName, type WrittenColumn } from '../columns.ts'
import type { Connection } from '../connection.ts'
import type { Index } from '../indexes.ts'
import { checkKnown, undeclared, type Layout, type Present } from '../layout.ts'
import { addColumns, columnDefinition, dropMarks, fillSome } from './fill.ts'

/** The present state of a table: the types of its columns and the statements of its indexes, keyed by name. */
export interface TableDefinition {
  readonly columns: Readonly<Record<string, string>>
  readonly indexes: Readonly<Record<string, string>>
}

/**
 * Migrates table, columns and indexes of a collection to its declaration, inside the transaction that locks the schema;
 * `known` is the present state of the table, and `whole` names the indexes that are built already. Existing parts stay:
 * a new column is filled from the bodies, an undeclared column stays, and an undeclared index stays until the format is
 * raised. Returns true if running servers know too little to write the table.
 */
export async function prepareTable(
  writer: Connection,
  layout: Layout,
  known: TableDefinition | undefined,
  { isRaised, whole }: { readonly isRaised: boolean; readonly whole: ReadonlySet<string> },
): Promise<boolean> {
  const others = undeclared(layout, Object.entries(known?.indexes ?? {}))
  const declared = layout.indexes.map(({ name, sql }) => [name, sql] as const)
  const wanted: TableDefinition = {
    columns: { ...known?.columns, ...Object.fromEntries(layout.written.map(({ name, affinity }) => [name, affinity])) },
    indexes: Object.fromEntries([...(isRaised ? [] : others), ...declared]),
  }
  if (isDeepStrictEqual(known, wanted)) return false
  if (known === undefined) await writer.run(createTable(layout))
  else await changeColumns(writer, layout, known)
  if (isRaised) for (const [name] of others) await writer.run(`DROP INDEX IF EXISTS ${quoteName(name)}`)
  const areKept = known !== undefined && retyped(layout, known).length === 0
  for (const { name, sql } of layout.indexes) {
    if (!areKept || !whole.has(name)) await writer.run(sql.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
  }
  await writer.run(
    'INSERT INTO ninefold_tables (name, definition) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET definition = excluded.definition',
    [layout.collection, JSON.stringify(wanted)],
  )
  const isNew = ({ name, unique }: Index): boolean => unique !== undefined && !(name in (known?.indexes ?? {}))
  return known !== undefined && (changedColumns(layout, known).length > 0 || layout.indexes.some(isNew))
}

/** Returns the statement that creates the table of a collection without its indexes. */
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

async function changeColumns(writer: Connection, layout: Layout, known: TableDefinition): Promise<void> {
  const changed = changedColumns(layout, known)
  if (changed.length === 0) return
  for (const { sql } of retyped(layout, known)) await writer.run(`ALTER TABLE ${layout.table} DROP COLUMN ${sql}`)
  await addColumns(writer, layout, changed)
  let after: string | undefined = ''
  while (after !== undefined) after = await fillSome(writer, layout, changed, after)
  await dropMarks(writer, layout)
}

const changedColumns = (layout: Layout, { columns }: TableDefinition): readonly WrittenColumn[] =>
  layout.written.filter(({ name, affinity }) => columns[name] !== affinity)

/** Returns the columns whose type changes; their indexes are dropped with them. */
export const retyped = (layout: Layout, known: TableDefinition): readonly WrittenColumn[] =>
  changedColumns(layout, known).filter(({ name }) => name in known.columns)

/**
 * Returns the new columns of a table that can be filled ahead. Returns none if the type of a column changes: older
 * servers still use that column.
 */
export function columnsAhead(layout: Layout, known: TableDefinition | undefined): readonly WrittenColumn[] {
  if (known === undefined || retyped(layout, known).length > 0) return []
  return changedColumns(layout, known)
}

/** Returns the present state of a table for the check of unknown parts. */
export const presentIn = ({ columns, indexes }: TableDefinition): Present => ({
  columns: Object.keys(columns),
  indexes: Object.entries(indexes),
})

/**
 * Fills new columns of some rows ahead of `prepareTable`, which then has few rows left to fill under its lock; older
 * servers read and write concurrently. Runs inside a transaction that locks the schema. Returns the place to continue,
 * or undefined if no work is left.
 */
export async function fillAhead(writer: Connection, layout: Layout, after: string): Promise<string | undefined> {
  const known = (await definitionsIn(writer)).get(layout.collection)
  if (known !== undefined) checkKnown(layout, presentIn(known), true)
  const columns = columnsAhead(layout, known)
  if (columns.length === 0) return undefined
  if (after === '') await addColumns(writer, layout, columns)
  return fillSome(writer, layout, columns, after)
}

/** Returns the present state of a store's tables, keyed by name. */
export async function definitionsIn(writer: Connection): Promise<ReadonlyMap<string, TableDefinition>> {
  const rows = await writer.all('SELECT name, definition FROM ninefold_tables')
  return new Map(rows.map(([name, text]) => [String(name), definitionOf(String(text))]))
}

function definitionOf(text: string): TableDefinition {
  const value: unknown = JSON.parse(text)
  const { columns, indexes } = isRecord(value) ? value : {}
  return { columns: textsOf(columns), indexes: textsOf(indexes) }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, text]) => [name, String(text)]))
}
