import { inAttempts } from '../retries.ts'
import type { Connection, SqlRow, SqlValue } from '../connection.ts'
import { isOfServer, isPassing } from './errors.ts'
import type { ConnectionPool } from './pool.ts'
import { query, type Prepared } from './statements.ts'

/** Reads committed rows. Each statement runs on any connection of the pool, and is repeated after a lost connection. */
export class PooledConnection implements Connection {
  readonly #pool: ConnectionPool
  readonly #prepared: Prepared

  constructor(pool: ConnectionPool, prepared: Prepared) {
    this.#pool = pool
    this.#prepared = prepared
  }

  async get(sql: string, parameters?: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return (await this.all(sql, parameters))[0]
  }

  async all(sql: string, parameters?: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return (await this.#query(sql, parameters)).rows
  }

  async run(sql: string, parameters?: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, parameters)).changed
  }

  #query(sql: string, parameters?: readonly SqlValue[]): ReturnType<typeof query> {
    return this.#pool.track(() => inAttempts(() => this.#once(sql, parameters), isPassing))
  }

  async #once(sql: string, parameters?: readonly SqlValue[]): ReturnType<typeof query> {
    const client = await this.#pool.connect()
    try {
      const result = await query(client, this.#prepared, sql, parameters)
      client.release()
      return result
    } catch (error) {
      client.release(!isOfServer(error))
      throw error
    }
  }
}
