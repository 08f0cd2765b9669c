import type { Connection, SqlRow, SqlValue } from '../connection.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Reads committed rows: on the writer's connection while the writer has no transaction, otherwise on the reader's
 * connection. SQLite drops all cached pages of a connection after a commit of another connection. The reader's first
 * read after a commit therefore costs twenty times as much as the writer's.
 */
export class CommittedReads implements Connection {
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection

  constructor(writer: SqliteConnection, reader: SqliteConnection) {
    this.#writer = writer
    this.#reader = reader
  }

  get(sql: string, parameters?: readonly SqlValue[]): SqlRow | undefined {
    return this.#connection.get(sql, parameters)
  }

  all(sql: string, parameters?: readonly SqlValue[]): readonly SqlRow[] {
    return this.#connection.all(sql, parameters)
  }

  run(): never {
    throw new Error('what is committed is read only')
  }

  get #connection(): SqliteConnection {
    return this.#writer.isTransaction ? this.#reader : this.#writer
  }
}
