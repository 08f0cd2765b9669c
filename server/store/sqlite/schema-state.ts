import { checkFormat, formatIn, selectFormat } from '../format.ts'
import { checkKnown, type Layout } from '../layout.ts'
import type { SqliteConnection } from './connection.ts'
import { restoreAdvice, StoreFault } from './store-file.ts'
import { columnTypes, indexesIn } from './tables.ts'

/**
 * Returns the schema version of a file; undefined if no server has ever started on the file. Throws `StoreFault` if
 * another program, or a version of this program with more than `known` steps, has written the file.
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

/** The schema steps and the format number of a program. */
interface Known {
  readonly schema: number
  readonly format: number
}

/**
 * Returns the schema version of a file, as `checkSchema` does. Throws `NewerStore` too if a newer version of the
 * program has extended the file.
 */
export function checkVersion(
  connection: SqliteConnection,
  known: Known,
  layouts: readonly Layout[],
): number | undefined {
  const version = checkSchema(connection, known.schema)
  const found = version === known.schema ? formatIn(connection.get(selectFormat)) : 0
  checkFormat(found, known.format)
  for (const layout of layouts) {
    const [columns, indexes] = [columnTypes(connection, layout).keys(), indexesIn(connection, layout)]
    checkKnown(layout, { columns, indexes }, found < known.format)
  }
  return version
}

/** Throws as `checkVersion` does, and `StoreFault` unless a file has all declared tables and columns. */
export function requireSchema(connection: SqliteConnection, known: Known, layouts: readonly Layout[]): void {
  const version = checkVersion(connection, known, layouts)
  if (version === undefined) {
    throw new StoreFault(
      `holds nothing: no server has ever been started on it, or it was copied without its log (the file that ends in -wal); copy both, or ${restoreAdvice}`,
    )
  }
  const missing = layouts.flatMap(layout => missingIn(connection, layout))
  if (version === known.schema && missing.length === 0) return
  const lack = missing.length === 0 ? `schema version ${known.schema}` : listed(missing)
  throw new StoreFault(
    `was written by an older version: it lacks ${lack}; "ninefold serve" of this version brings it up to date. If this version has served it already, it is damaged: then ${restoreAdvice}`,
  )
}

function missingIn(connection: SqliteConnection, layout: Layout): readonly string[] {
  const { collection, written } = layout
  const present = columnTypes(connection, layout)
  if (present.size === 0) return [`table ${collection}`]
  return written
    .filter(({ affinity, name }) => present.get(name) !== affinity)
    .map(({ name }) => `column ${name} of ${collection}`)
}

function listed([first, ...others]: readonly string[]): string {
  return others.length === 0 ? String(first) : `${first} and ${others.length} more`
}
