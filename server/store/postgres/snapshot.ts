import { layoutOf } from '../layout.ts'
import type { PostgresOptions } from '../postgres.ts'
import { checkTables, StoreSnapshot } from '../snapshot.ts'
import { postgresDialect } from './dialect.ts'
import { connectedClient } from './pool.ts'
import { beginReading, Session } from './session.ts'
import { Prepared } from './statements.ts'

/**
 * Reads a database that servers may be writing, as of one moment. Throws when it lacks a table or column of the
 * declarations: nothing is made and nothing is changed. The server itself finds what is wrong with its files.
 */
export async function openPostgresSnapshot({ url, collections = [] }: PostgresOptions): Promise<StoreSnapshot> {
  const client = await connectedClient(url)
  const close = (): Promise<void> => client.end()
  try {
    const layouts = collections.map(collection => layoutOf(collection, postgresDialect))
    const session = new Session(client, new Prepared())
    await session.run(beginReading)
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
