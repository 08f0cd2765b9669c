import type { Client } from 'pg'
import { inAttempts } from '../attempts.ts'
import { generationIn, selectGeneration } from '../generation.ts'
import type { Layout } from '../layout.ts'
import { isPassing } from './errors.ts'
import { connectedClient } from './pool.ts'
import { Session } from './session.ts'
import { Prepared } from './statements.ts'
import { prepareTable } from './tables.ts'

/**
 * The store's own tables in numbered steps; a step that was released never changes. Tables of collections are made
 * from their declarations (tables.ts).
 */
const migrations: readonly string[] = [
  'CREATE TABLE ninefold_secrets (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, value BYTEA NOT NULL)',
  'CREATE TABLE ninefold_tables (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, definition TEXT NOT NULL)',
  'CREATE TABLE ninefold_generations (number BIGINT NOT NULL PRIMARY KEY)',
]

/**
 * Brings the store's own tables and those of `layouts` up to date in one transaction. Servers that start at once do it
 * one after the other: each locks the row 0 of the migrations first. Throws when a newer version of the program has
 * written the store. Answers the generation of the tables.
 */
export async function prepareSchema(url: string, layouts: readonly Layout[]): Promise<number> {
  return inAttempts(async () => {
    const client = await connectedClient(url)
    try {
      await makeMigrations(client)
      const session = new Session(client, new Prepared())
      return await session.transact(() => bringUp(session, layouts))
    } finally {
      await client.end().catch(() => undefined)
    }
  }, isPassing)
}

/** Of servers that make the table at once some fail, IF NOT EXISTS or not; then another has made it. */
async function makeMigrations(client: Client): Promise<void> {
  const [create, insert] = [
    'CREATE TABLE IF NOT EXISTS ninefold_migrations (number BIGINT NOT NULL PRIMARY KEY)',
    'INSERT INTO ninefold_migrations (number) VALUES (0) ON CONFLICT (number) DO NOTHING',
  ]
  try {
    await new Session(client, new Prepared()).run(create)
  } catch (error) {
    await new Session(client, new Prepared()).run(insert).catch(() => {
      throw error
    })
    return
  }
  await new Session(client, new Prepared()).run(insert)
}

async function bringUp(session: Session, layouts: readonly Layout[]): Promise<number> {
  await session.get('SELECT number FROM ninefold_migrations WHERE number = 0 FOR UPDATE')
  await checkEncoding(session)
  const applied = Number((await session.get('SELECT max(number) FROM ninefold_migrations'))?.[0])
  if (applied > migrations.length) {
    throw new Error(
      `the store has schema version ${applied}, this program knows ${migrations.length}; start the newer version`,
    )
  }
  for (const [i, sql] of migrations.entries()) {
    if (i < applied) continue
    await session.run(sql)
    await session.run('INSERT INTO ninefold_migrations (number) VALUES (?)', [i + 1])
  }
  for (const layout of layouts) await prepareTable(session, layout)
  return generationIn(await session.get(selectGeneration))
}

/** In other encodings bytes do not sort by code point. */
async function checkEncoding(session: Session): Promise<void> {
  const encoding = String((await session.get('SHOW server_encoding'))?.[0])
  if (encoding !== 'UTF8') throw new Error(`the database is in the encoding ${encoding}; make one in UTF8`)
}
