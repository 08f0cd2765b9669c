import { createHash } from 'node:crypto'
import { ownColumns, quoteName, typeOf, type WrittenColumn } from '../columns.ts'
import type { Connection, Row, SqlValue } from '../connection.ts'
import type { Index } from '../indexes.ts'
import type { Layout } from '../layout.ts'

/** Rows that are filled at a time: memory stays small whatever the table holds, and nobody waits for long for one of them. */
const batchSize = 1000

/** A statement of PostgreSQL has fewer parameters than 65,536. */
const maxParameters = 60_000

/** Begins the names of columns that tell which rows are filled. */
const markPrefix = '_filled_'

/** The column that holds the version of a row as of which these columns of it are filled. */
function markOf(columns: readonly WrittenColumn[]): string {
  const text = JSON.stringify(columns.map(({ name, affinity }) => [name, affinity]))
  return quoteName(markPrefix + createHash('sha256').update(text).digest('hex').slice(0, 12))
}

/** Begins the names of indexes over rows that are not filled. */
export const unfilledPrefix = '_unfilled_'

const isUnfilled = (columns: readonly WrittenColumn[]): string =>
  `${markOf(columns)} IS DISTINCT FROM ${ownColumns.version}`

/**
 * The index of the rows that are not filled in these columns, since they were never or were written after that. Without
 * it nobody could use the table while all of its rows are looked through in the end. It goes with what tells which are filled.
 */
export function unfilledIndex({ table }: Layout, columns: readonly WrittenColumn[]): Index {
  const digest = createHash('sha256')
    .update(`${table} ${markOf(columns)}`)
    .digest('hex')
  const name = unfilledPrefix + digest.slice(0, 12)
  const sql = `CREATE INDEX ${quoteName(name)} ON ${table} (${ownColumns.key}) WHERE ${isUnfilled(columns)}`
  return { name, sql }
}

export const columnDefinition = ({ sql, affinity }: WrittenColumn): string => `${sql} ${affinity}`

/** Adds columns that are not there yet, and what tells which rows they are filled in. */
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
 * Fills columns of some rows behind a key that were not filled since they were last written; answers the last of them,
 * undefined when there are no more. A row that somebody writes meanwhile is left as it is.
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

/** One statement for many rows: a round trip for each would take longer than all the rest. */
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

/** Key and version of a row, and what its columns hold. */
function filled(columns: readonly WrittenColumn[], [key, version, text]: Row): SqlValue[] {
  const document: unknown = JSON.parse(String(text))
  return [String(key), Number(version), ...columns.map(column => column.valueOf(document))]
}

/** Drops what told which rows were filled, also what versions have left that were ended meanwhile. */
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
