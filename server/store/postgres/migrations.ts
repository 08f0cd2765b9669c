import type { Client } from 'pg'
import type { Connection } from '../connection.ts'
import { NewerStore } from '../format.ts'
import { Prepared, query } from './statements.ts'

/**
 * The migrations of the store's own tables, in numbered steps; a released step never changes. Tables of collections
 * follow from their declarations (tables.ts).
 */
const migrations: readonly string[] = [
  'CREATE TABLE ninefold_secrets (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, value BYTEA NOT NULL)',
  'CREATE TABLE ninefold_tables (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, definition TEXT NOT NULL)',
  'CREATE TABLE ninefold_generations (number BIGINT NOT NULL PRIMARY KEY)',
  'CREATE TABLE ninefold_formats (number BIGINT NOT NULL PRIMARY KEY)',
  'CREATE TABLE ninefold_builds (server TEXT COLLATE "C" NOT NULL PRIMARY KEY, lease_end TIMESTAMPTZ NOT NULL)',
]

/**
 * Creates the table of steps. Of concurrent servers some fail even with IF NOT EXISTS; another server has then created
 * the table.
 */
export async function makeMigrations(client: Client): Promise<void> {
  const run = async (sql: string): Promise<unknown> => query(client, new Prepared(), sql)
  const insert = 'INSERT INTO ninefold_migrations (number) VALUES (0) ON CONFLICT (number) DO NOTHING'
  try {
    await run('CREATE TABLE IF NOT EXISTS ninefold_migrations (number BIGINT NOT NULL PRIMARY KEY)')
  } catch (error) {
    await run(insert).catch(() => {
      throw error
    })
    return
  }
  await run(insert)
}

/**
 * Applies the missing steps, inside a transaction that locks the schema. Throws `NewerStore` for a store with further
 * steps.
 */
export async function migrate(session: Connection): Promise<void> {
  const applied = await appliedTo(session)
  for (const [i, sql] of migrations.entries()) {
    if (i < applied) continue
    await session.run(sql)
    await session.run('INSERT INTO ninefold_migrations (number) VALUES (?)', [i + 1])
  }
}

/** Whether a store has all steps. Throws `NewerStore` if it has further steps. */
export const isMigrated = async (connection: Connection): Promise<boolean> =>
  (await appliedTo(connection)) === migrations.length

async function appliedTo(connection: Connection): Promise<number> {
  const applied = Number((await connection.get('SELECT max(number) FROM ninefold_migrations'))?.[0])
  if (applied <= migrations.length) return applied
  throw new NewerStore(`it has schema version ${applied}, and this version knows ${migrations.length}`)
}
