import type { Connection } from './connection.ts'

/**
 * The store's own tables in numbered steps; a step that was released never changes. Tables of collections are made
 * from their declarations (tables.ts).
 */
const migrations: readonly string[] = [
  `CREATE TABLE ninefold_secrets (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID`,
]

/**
 * Applies the steps that the file lacks; runs inside a transaction of the writer. Throws when a newer version of the
 * program has written the file.
 */
export function migrate(writer: Connection): void {
  writer.exec('CREATE TABLE IF NOT EXISTS ninefold_migrations (number INTEGER NOT NULL PRIMARY KEY)')
  const row = writer.get('SELECT coalesce(max(number), 0) FROM ninefold_migrations')
  const applied = Number(row?.[0])
  if (applied > migrations.length) {
    throw new Error(
      `the store has schema version ${applied}, this program knows ${migrations.length}; start the newer version`,
    )
  }
  for (const [i, sql] of migrations.entries()) {
    if (i < applied) continue
    writer.exec(sql)
    writer.run('INSERT INTO ninefold_migrations (number) VALUES (?)', [i + 1])
  }
}
