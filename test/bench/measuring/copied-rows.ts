import type { Collection } from '../../../domain/ports/store.ts'
import { ownColumns } from '../../../server/store/columns.ts'
import { layoutOf } from '../../../server/store/layout.ts'
import { postgresDialect } from '../../../server/store/postgres/dialect.ts'
import { sqliteDialect } from '../../../server/store/sqlite/dialect.ts'
import { isPostgres } from '../../server/store/place.ts'

/**
 * Returns SQL that copies rows of a table: INSERT ... SELECT up to its FROM. `suffix` is an SQL expression, which is
 * appended to the keys and names of the copies.
 */
export function insertCopies(place: string, collection: Collection<never>, suffix: string): string {
  const { table, written } = layoutOf(collection, isPostgres(place) ? postgresDialect : sqliteDialect)
  const columns = [...Object.values(ownColumns), ...written.map(({ sql }) => sql)]
  const copied = columns.map(name =>
    name === ownColumns.key || name === '"name"' ? `${name} || '-' || ${suffix}` : name,
  )
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${copied.join(', ')}`
}
