import type { Collection, Reader } from '../../../domain/ports/store.ts'
import type { Connection, SqlRow, SqlValue } from '../../../server/store/connection.ts'
import type { Dialect } from '../../../server/store/dialect.ts'
import { layoutOf } from '../../../server/store/layout.ts'
import { StoreReader } from '../../../server/store/reader.ts'
import type { SqlCondition } from '../../../server/store/condition.ts'

/** Returns the SQL statements of a read of a collection, run on a connection that finds no rows. */
export async function statementsOf(
  collection: Collection<never>,
  dialect: Dialect,
  read: (reader: Reader) => Promise<unknown>,
): Promise<readonly SqlCondition[]> {
  const statements: SqlCondition[] = []
  const all = (sql: string, parameters: readonly SqlValue[] = []): readonly SqlRow[] => {
    statements.push({ sql, parameters })
    return []
  }
  const connection: Connection = { all, get: (...statement) => all(...statement)[0], run: () => 0 }
  await read(new StoreReader(connection, new Map([[collection.name, layoutOf(collection, dialect)]])))
  return statements
}
