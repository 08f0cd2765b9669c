import { setImmediate } from 'node:timers/promises'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import type { Collection } from '../../../domain/ports/store.ts'
import { storeFile, type StorePlace } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { keptTables } from '../../postgres/schemas.ts'
import { schemaOf, statement, testFolder, testStoreUrl, type Later } from './harness.ts'
import { openPlace } from './place.ts'

/**
 * Returns an empty place: a data folder, and a schema of PostgreSQL when the tests run on PostgreSQL. `later` removes
 * the place, by default after the running test.
 */
export async function testStorePlace(later: Later = onTestFinished): Promise<StorePlace> {
  return { dataDir: join(testFolder(later), 'data'), ...(await testStoreUrl(later)) }
}

/** Opens another store on the place of a running platform. */
export async function openBeside(place: StorePlace, collections: readonly Collection<never>[]): Promise<ServerStore> {
  // Opening a SQLite file blocks the thread while another transaction runs, and a transaction in this process needs the
  // thread to end.
  await setImmediate()
  return openPlace(place.storeUrl ?? storeFile(place.dataDir), collections)
}

/** Runs a statement on a separate connection, past the checks of an open store. */
export async function runSql({ dataDir, storeUrl }: StorePlace, sql: string): Promise<void> {
  if (storeUrl !== undefined) return statement(storeUrl, sql)
  const database = new DatabaseSync(storeFile(dataDir), { timeout: 5000 })
  database.exec(sql)
  database.close()
}

/** Removes the table of a collection from a place as if its server had never known the collection. */
export async function forgetTable(place: StorePlace, table: string): Promise<void> {
  await runSql(place, `DROP TABLE ${table}`)
  // A server on PostgreSQL records the tables that it made, and makes no recorded table.
  if (place.storeUrl !== undefined) await runSql(place, `DELETE FROM ninefold_tables WHERE name = '${table}'`)
}

/** Locks a table against all writers (on SQLite, the whole file). Returns a function that releases the lock. */
export async function holdStore({ dataDir, storeUrl }: StorePlace, table: string): Promise<() => Promise<void>> {
  if (storeUrl === undefined) {
    const database = new DatabaseSync(storeFile(dataDir))
    database.exec('BEGIN IMMEDIATE')
    return async () => database.close()
  }
  const client = new Client({ connectionString: storeUrl })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`)
  return () => client.end()
}

/** Copies the data that an ended platform with these collections has left to a new place, and returns this place. */
export async function copyPlace(
  from: StorePlace,
  collections: readonly Collection<never>[],
  later: Later = onTestFinished,
): Promise<StorePlace> {
  const to = { dataDir: join(testFolder(later), 'data'), ...(await testStoreUrl(later, collections)) }
  cpSync(from.dataDir, to.dataDir, { recursive: true })
  if (from.storeUrl !== undefined && to.storeUrl !== undefined) await copySchema(from.storeUrl, to.storeUrl)
  return to
}

async function copySchema(fromUrl: string, toUrl: string): Promise<void> {
  const [from, to] = [schemaOf(fromUrl), schemaOf(toUrl)]
  const client = new Client({ connectionString: toUrl })
  await client.connect()
  try {
    const textsOf = async (sql: string): Promise<readonly string[]> =>
      (await client.query<[string]>({ text: sql, values: [from], rowMode: 'array' })).rows.map(([text]) => text)
    const tables = await textsOf('SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = $1')
    const copied = tables.filter(table => !keptTables.includes(table))
    // The new place may have rows that every start of a platform writes.
    const copies = copied.map(table => `DELETE FROM ${to}.${table}; INSERT INTO ${to}.${table} TABLE ${from}.${table}`)
    await client.query(copies.join('; '))
  } finally {
    await client.end()
  }
}
