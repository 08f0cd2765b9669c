import { checkFormat, formatIn, selectFormat, storeFormat } from '../format.ts'
import { checkKnown, layoutOf, type Layout } from '../layout.ts'
import type { PostgresOptions } from '../postgres.ts'
import { checkTables, StoreSnapshot } from '../snapshot.ts'
import { postgresDialect } from './dialect.ts'
import { isMigrated } from './migrations.ts'
import { connectedClient } from './pool.ts'
import { beginReading, PostgresSession } from './session.ts'
import { Prepared } from './statements.ts'
import { definitionsIn, presentIn } from './tables.ts'

/**
 * Opens a snapshot of a database, also while servers write to the database. Throws if a declared table or column is
 * missing; nothing is changed. The snapshot reports no damages, because PostgreSQL checks its files itself.
 */
export async function openPostgresSnapshot({
  url,
  collections = [],
  format = storeFormat,
}: PostgresOptions): Promise<StoreSnapshot> {
  const client = await connectedClient(url)
  const close = (): Promise<void> => client.end()
  try {
    const layouts = collections.map(collection => layoutOf(collection, postgresDialect))
    const session = new PostgresSession(client, new Prepared())
    await session.run(beginReading)
    await checkVersion(session, layouts, format)
    await checkTables(session, layouts)
    return new StoreSnapshot(session, new Map(layouts.map(layout => [layout.collection, layout])), {
      store: 'database',
      damages: async () => [],
      verify: () => {},
      close,
    })
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Throws `NewerStore` if a newer version has written the store. `checkTables` finds the parts that an older version
 * lacks.
 */
async function checkVersion(session: PostgresSession, layouts: readonly Layout[], format: number): Promise<void> {
  if (!(await isMigrated(session))) return
  const found = formatIn(await session.get(selectFormat))
  checkFormat(found, format)
  const known = await definitionsIn(session)
  for (const layout of layouts) {
    const definition = known.get(layout.collection)
    if (definition !== undefined) checkKnown(layout, presentIn(definition), found < format)
  }
}
