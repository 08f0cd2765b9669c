import type { Connection } from '../connection.ts'
import type { Index } from '../indexes.ts'
import type { Layout } from '../layout.ts'
import { unfilledIndex, unfilledPrefix } from './fill.ts'
import { columnsAhead, retyped, type TableDefinition } from './tables.ts'

/** An index in the database. An invalid index is being built, or was interrupted. */
export interface PresentIndex {
  readonly table: string
  readonly isValid: boolean
}

/** The indexes of all tables, keyed by name. */
export type PresentIndexes = ReadonlyMap<string, PresentIndex>

/** Returns the indexes of all tables, keyed by name, valid or not. */
export async function indexesIn(connection: Connection): Promise<PresentIndexes> {
  const rows = await connection.all(
    'SELECT made.relname, owner.relname, CASE WHEN pg_index.indisvalid THEN 1 ELSE 0 END FROM pg_index ' +
      'JOIN pg_class AS made ON made.oid = pg_index.indexrelid JOIN pg_class AS owner ON owner.oid = pg_index.indrelid ' +
      'JOIN pg_namespace ON pg_namespace.oid = made.relnamespace WHERE pg_namespace.nspname = current_schema()',
  )
  return new Map(
    rows.map(([name, table, valid]) => [String(name), { table: String(table), isValid: Number(valid) === 1 }]),
  )
}

/**
 * Returns the missing indexes of a table that can be built ahead. Indexes on a column whose type changes are built with
 * the column.
 */
export function indexesAhead(
  layout: Layout,
  known: TableDefinition | undefined,
  present: PresentIndexes,
): readonly Index[] {
  if (known === undefined || retyped(layout, known).length > 0) return []
  return wantedIn(layout, known).filter(({ name }) => !(name in known.indexes) && present.get(name)?.isValid !== true)
}

function wantedIn(layout: Layout, known: TableDefinition): readonly Index[] {
  const columns = columnsAhead(layout, known)
  return columns.length === 0 ? layout.indexes : [unfilledIndex(layout, columns), ...layout.indexes]
}

/**
 * Returns the names of a table's indexes that were built ahead and are not in use: of this version the invalid ones, of
 * other versions all.
 */
export function leftovers(
  layout: Layout,
  known: TableDefinition | undefined,
  present: PresentIndexes,
): readonly string[] {
  if (known === undefined) return []
  const wanted = new Set(wantedIn(layout, known).map(({ name }) => name))
  const found = [...present].filter(([name, { isValid, table }]) => {
    const isMade =
      table === layout.collection && (name.startsWith(`${table}_index_`) || name.startsWith(unfilledPrefix))
    return isMade && !(name in known.indexes) && !(isValid && wanted.has(name))
  })
  return found.map(([name]) => name)
}
