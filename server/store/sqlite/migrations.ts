import type { SqliteConnection } from './connection.ts'
import { checkSchema } from './schema-state.ts'

/**
 * The migrations of the store's own tables, in numbered steps; a released step never changes. Tables of collections
 * follow from their declarations (tables.ts).
 */
const migrations: readonly string[] = [
  `CREATE TABLE ninefold_secrets (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID`,
  'CREATE TABLE ninefold_generations (number INTEGER NOT NULL PRIMARY KEY)',
  'CREATE TABLE ninefold_formats (number INTEGER NOT NULL PRIMARY KEY)',
]

/** The number of the last step, which an up-to-date file has. */
export const schemaVersion = migrations.length

/**
 * Applies the missing steps to the file, in a transaction of the writer. Throws `StoreFault` if another program, or a
 * newer version of this program, has written the file.
 */
export function migrate(writer: SqliteConnection): void {
  checkSchema(writer, schemaVersion)
  writer.exec('CREATE TABLE IF NOT EXISTS ninefold_migrations (number INTEGER NOT NULL PRIMARY KEY)')
  const row = writer.get('SELECT coalesce(max(number), 0) FROM ninefold_migrations')
  const applied = Number(row?.[0])
  for (const [i, sql] of migrations.entries()) {
    if (i < applied) continue
    writer.exec(sql)
    writer.run('INSERT INTO ninefold_migrations (number) VALUES (?)', [i + 1])
  }
}
