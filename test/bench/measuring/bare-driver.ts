import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** A prepared statement of the bare driver. */
export type Statement = (...parameters: string[]) => unknown

/** A database without the store of the server. */
export interface Driver {
  prepare(name: string, sql: string): Statement
  /** Runs statements in one transaction whose commit survives a crash. */
  durably(run: () => Promise<void>): Promise<void>
  /** Returns the size of the stored data in bytes, with the indexes. */
  bytes(): Promise<number>
  close(): Promise<void>
}

export function sqliteDriver(file: string): Driver {
  const database = new DatabaseSync(file, { returnArrays: true, timeout: 5000 })
  // The driver uses the same settings as the store.
  database.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA mmap_size = 2147483647')
  return {
    prepare(_name, sql) {
      const statement = database.prepare(sql)
      return (...parameters) => statement.all(...parameters)
    },
    async durably(run) {
      database.exec('BEGIN IMMEDIATE')
      await run()
      database.exec('COMMIT')
    },
    bytes: async () => statSync(file).size,
    close: async () => database.close(),
  }
}

export async function postgresDriver(url: string): Promise<Driver> {
  const client = new Client(url)
  await client.connect()
  return {
    prepare(name, sql) {
      let count = 0
      const text = sql.replace(/\?/g, () => `$${(count += 1)}`)
      return async (...values) => (await client.query<unknown[]>({ name, text, values, rowMode: 'array' })).rows
    },
    async durably(run) {
      await client.query('BEGIN')
      await run()
      await client.query('COMMIT')
    },
    async bytes() {
      const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size')
      return Number(rows[0]?.size)
    },
    close: () => client.end(),
  }
}

/** Returns the greatest key of a table among the rows that match a condition; an empty text if no row matches. */
export async function keyOf(driver: Driver, table: string, condition: string): Promise<string> {
  const sql = `SELECT _key FROM ${table} WHERE ${condition} ORDER BY _key DESC LIMIT 1`
  const rows: unknown = await driver.prepare(`key-${table}`, sql)()
  return Array.isArray(rows) ? String(rows[0]?.[0]) : ''
}
