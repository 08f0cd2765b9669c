import type { Layout } from '../layout.ts'
import type { SqliteConnection } from './connection.ts'
import { restoreAdvice, StoreFault } from './store-file.ts'

/**
 * The schema version of a file; undefined where no server has ever started. Throws `StoreFault` when another program has
 * written it, or a version of this one that knows more than `known` steps.
 */
export function checkSchema(connection: SqliteConnection, known: number): number | undefined {
  const tables = connection.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`).map(([name]) => String(name))
  if (tables.length === 0) return undefined
  if (!tables.includes('ninefold_migrations')) {
    throw new StoreFault(`is the database of another program: it has no table ninefold_migrations; ${restoreAdvice}`)
  }
  const version = Number(connection.get('SELECT coalesce(max(number), 0) FROM ninefold_migrations')?.[0])
  if (version <= known) return version
  throw new StoreFault(
    `was written by a newer version: it has schema version ${version}, this program knows ${known}; use the newer version`,
  )
}

/** Throws `StoreFault` unless a file has all that the declarations name. */
export function requireSchema(connection: SqliteConnection, known: number, layouts: readonly Layout[]): void {
  const version = checkSchema(connection, known)
  if (version === undefined) {
    throw new StoreFault(
      `holds nothing: no server has ever been started on it, or it was copied without its log (the file that ends in -wal); copy both, or ${restoreAdvice}`,
    )
  }
  const missing = layouts.flatMap(layout => missingIn(connection, layout))
  if (version === known && missing.length === 0) return
  const lack = missing.length === 0 ? `schema version ${known}` : listed(missing)
  throw new StoreFault(
    `was written by an older version: it lacks ${lack}; "ninefold serve" of this version brings it up to date. If this version has served it already, it is damaged: then ${restoreAdvice}`,
  )
}

function missingIn(connection: SqliteConnection, { collection, written }: Layout): readonly string[] {
  const rows = connection.all('SELECT name, type FROM pragma_table_info(?)', [collection])
  if (rows.length === 0) return [`table ${collection}`]
  const present = new Map(rows.map(([name, type]) => [name, type]))
  return written
    .filter(({ affinity, name }) => present.get(name) !== affinity)
    .map(({ name }) => `column ${name} of ${collection}`)
}

function listed([first, ...others]: readonly string[]): string {
  return others.length === 0 ? String(first) : `${first} and ${others.length} more`
}
