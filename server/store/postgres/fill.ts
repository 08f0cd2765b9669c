import { createHash } from 'node:crypto'
import { ownColumns, quoteName, typeOf, type WrittenColumn } from '../columns.ts'
import type { Connection, SqlRow, SqlValue } from '../connection.ts'
import type { Index } from '../indexes.ts'
import type { Layout } from '../layout.ts'

/** The number of rows that are filled at a time, so that memory stays bounded and no transaction waits long. */
const batchSize = 1000

/** The maximal number of parameters of a statement; PostgreSQL requires fewer than 65,536. */
const maxParameters = 60_000

/** The prefix of columns that mark filled rows. */
const markPrefix = '_filled_'

/** Returns the quoted name of the column with the row version at which these columns of a row were filled. */
function markOf(columns: readonly WrittenColumn[]): string {
  const text = JSON.stringify(columns.map(({ name, affinity }) => [name, affinity]))
  return quoteName(markPrefix + createHash('sha256').update(text).digest('hex').slice(0, 12))
}

/** The prefix of indexes over unfilled rows. */
export const unfilledPrefix = '_unfilled_'

const isUnfilled = (columns: readonly WrittenColumn[]): string =>
  `${markOf(columns)} IS DISTINCT FROM ${ownColumns.version}`

/**
 * Returns the index of rows that are unfilled in these columns, or were written after the filling. Without the index,
 * the last transaction would have to scan the whole table under its lock. The index is dropped together with the marks.
 */
export function unfilledIndex({ table }: Layout, columns: readonly WrittenColumn[]): Index {
  const digest = createHash('sha256')
    .update(`${table} ${markOf(columns)}`)
    .digest('hex')
  const name = unfilledPrefix + digest.slice(0, 12)
  const sql = `CREATE INDEX ${quoteName(name)} ON ${table} (${ownColumns.key}) WHERE ${isUnfilled(columns)}`
  return { name, sql }
}

/** Returns the definition of a column: its quoted name and its type. */
export const columnDefinition = ({ sql, affinity }: WrittenColumn): string => `${sql} ${affinity}`

/** Adds missing columns, and the column that marks their filled rows. */
export async function addColumns(
  writer: Connection,
  { table }: Layout,
  columns: readonly WrittenColumn[],
): Promise<void> {
  for (const definition of [...columns.map(columnDefinition), `${markOf(columns)} BIGINT`]) {
    await writer.run(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${definition}`)
  }
}

/**
 * Fills columns of some unfilled rows after a key; returns the last key, or undefined if no row is left. A row that
 * changes between its read and its update is skipped.
 */
export async function fillSome(
  writer: Connection,
  layout: Layout,
  columns: readonly WrittenColumn[],
  after: string,
): Promise<string | undefined> {
  const { key, version, body } = ownColumns
  const size = Math.min(batchSize, Math.floor(maxParameters / (columns.length + 2)))
  const rows = await writer.all(
    `SELECT ${key}, ${version}, ${body} FROM ${layout.table} WHERE ${key} > ? AND ${isUnfilled(columns)} ` +
      `ORDER BY ${key} LIMIT ${size}`,
    [after],
  )
  if (rows.length > 0) {
    await writer.run(
      updateRows(layout, columns, rows.length),
      rows.flatMap(row => filled(columns, row)),
    )
  }
  return rows.length < size ? undefined : String(rows.at(-1)?.[0])
}

/** Returns a statement that updates `count` rows, because a round trip for each row would dominate the time. */
function updateRows({ table }: Layout, columns: readonly WrittenColumn[], count: number): string {
  const { key, version } = ownColumns
  const names = columns.map((_, i) => `"_value_${i}"`)
  const set = [...columns.map(({ sql }, i) => `${sql} = ${names[i]}`), `${markOf(columns)} = "_at"`].join(', ')
  const row = `(${['?', 'CAST(? AS BIGINT)', ...columns.map(column => `CAST(? AS ${typeOf(column)})`)].join(', ')})`
  const rows = Array.from({ length: count }, () => row).join(', ')
  return (
    `UPDATE ${table} SET ${set} FROM (VALUES ${rows}) AS made ("_id", "_at", ${names.join(', ')}) ` +
    `WHERE ${key} = "_id" AND ${version} = "_at"`
  )
}

/** Returns the key and version of a row, and the values of its columns. */
function filled(columns: readonly WrittenColumn[], [key, version, text]: SqlRow): SqlValue[] {
  const document: unknown = JSON.parse(String(text))
  return [String(key), Number(version), ...columns.map(column => column.valueOf(document))]
}

/** Drops the marks of filled rows, the marks of interrupted versions included. */
export async function dropMarks(writer: Connection, { collection, table }: Layout): Promise<void> {
  const found = await writer.all(
    'SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?',
    [collection],
  )
  for (const [name] of found) {
    if (String(name).startsWith(markPrefix))
      await writer.run(`ALTER TABLE ${table} DROP COLUMN ${quoteName(String(name))}`)
  }
}
