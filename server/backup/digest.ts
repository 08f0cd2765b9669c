import { createHash, type Hash } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/** The digest of a table's content. */
export interface TableDigest {
  readonly rows: number
  /** The digest of the definition and all values in the order of the primary key, in hex. */
  readonly sha256: string
}

/** Returns the digests of the `wanted` tables, keyed by name, in the ascending order of the names. */
export function digestTables(
  database: DatabaseSync,
  wanted: (name: string) => boolean,
): Readonly<Record<string, TableDigest>> {
  const tables = database
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
    .all()
    .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }))
    .filter(({ name }) => wanted(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(tables.map(({ name, sql }) => [name, digestTable(database, name, sql)]))
}

function digestTable(database: DatabaseSync, name: string, sql: string): TableDigest {
  const quoted = `"${name.replaceAll('"', '""')}"`
  const keys = database
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .all(name)
    .map(row => `"${String(row['name']).replaceAll('"', '""')}"`)
  const order = keys.length === 0 ? 'rowid' : keys.join(', ')
  const statement = database.prepare(`SELECT * FROM ${quoted} ORDER BY ${order}`)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const hash = createHash('sha256').update(sql)
  let rows = 0
  for (const row of statement.iterate()) {
    rows += 1
    for (const value of Object.values(row)) addValue(hash, value)
  }
  return { rows, sha256: hash.digest('hex') }
}

/** Adds a value to a hash. Type and length precede the value, so that no two rows have equal input. */
function addValue(hash: Hash, value: SQLOutputValue): void {
  const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
  hash.update(`\n${value === null ? 'null' : typeof value} ${bytes.length}\n`).update(bytes)
}
