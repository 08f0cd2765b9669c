import type { Client } from 'pg'
import { inAttempts } from '../attempts.ts'
import { generationIn, selectGeneration } from '../generation.ts'
import type { Layout } from '../layout.ts'
import { isPassing } from './errors.ts'
import { connectedClient } from './pool.ts'
import { Session } from './session.ts'
import { Prepared } from './statements.ts'
import { columnsAhead, definitionsIn, fillAhead, prepareTable } from './tables.ts'

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
      await fillTables(client, layouts)
      return await holdingSchema(client, session => bringUp(session, layouts))
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

/** Runs `work` in a transaction that no other server that starts runs beside. */
async function holdingSchema<R>(client: Client, work: (session: Session) => Promise<R>): Promise<R> {
  const session = new Session(client, new Prepared())
  try {
    return await session.transact(async () => {
      await session.get('SELECT number FROM ninefold_migrations WHERE number = 0 FOR UPDATE')
      return work(session)
    })
  } finally {
    session.end()
  }
}

/** Fills new columns in many transactions, of which each keeps others waiting for a moment only. */
async function fillTables(client: Client, layouts: readonly Layout[]): Promise<void> {
  for (const layout of await holdingSchema(client, session => layoutsAhead(session, layouts))) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after
      const fill = (): Promise<string | undefined> => holdingSchema(client, session => fillAhead(session, layout, from))
      after = await inAttempts(fill, isPassing)
    }
  }
}

async function layoutsAhead(session: Session, layouts: readonly Layout[]): Promise<readonly Layout[]> {
  if ((await appliedTo(session)) !== migrations.length) return []
  const known = await definitionsIn(session)
  return layouts.filter(layout => columnsAhead(layout, known.get(layout.collection)).length > 0)
}

const appliedTo = async (session: Session): Promise<number> =>
  Number((await session.get('SELECT max(number) FROM ninefold_migrations'))?.[0])

async function bringUp(session: Session, layouts: readonly Layout[]): Promise<number> {
  await checkEncoding(session)
  const applied = await appliedTo(session)
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
  const known = await definitionsIn(session)
  for (const layout of layouts) await prepareTable(session, layout, known.get(layout.collection))
  return generationIn(await session.get(selectGeneration))
}

/** In other encodings bytes do not sort by code point. */
async function checkEncoding(session: Session): Promise<void> {
  const encoding = String((await session.get('SHOW server_encoding'))?.[0])
  if (encoding !== 'UTF8') throw new Error(`the database is in the encoding ${encoding}; make one in UTF8`)
}
