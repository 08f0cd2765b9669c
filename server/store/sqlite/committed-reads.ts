import type { Connection, Row, SqlValue } from '../connection.ts'
import type { SqliteConnection } from './connection.ts'

/**
 * Reads what is committed: on the writer's connection while it has no transaction, on the reader's meanwhile. With each
 * commit of another connection SQLite throws away all pages that one has in memory, so that the reader's first read
 * behind a commit costs twenty times as much as the writer's, which has made that commit itself.
 */
export class CommittedReads implements Connection {
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection

  constructor(writer: SqliteConnection, reader: SqliteConnection) {
    this.#writer = writer
    this.#reader = reader
  }

  get(sql: string, parameters?: readonly SqlValue[]): Row | undefined {
    return this.#connection.get(sql, parameters)
  }

  all(sql: string, parameters?: readonly SqlValue[]): readonly Row[] {
    return this.#connection.all(sql, parameters)
  }

  run(): never {
    throw new Error('what is committed is read only')
  }

  get #connection(): SqliteConnection {
    return this.#writer.isTransaction ? this.#reader : this.#writer
  }
}
