import type { ClientBase } from 'pg'
import { storeUnavailable } from '../retries.ts'
import type { Connection, SqlRow, SqlValue } from '../connection.ts'
import { isOfServer, isPassing, convertedError } from './errors.ts'
import { query, type Prepared } from './statements.ts'

/** Begins a transaction whose statements see the database at the moment of the first statement. */
export const beginReading = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY'

/**
 * A transaction on one connection, whose statements run one after the other. After a failed statement all later
 * statements fail, because the server has given the transaction up. The transaction is READ COMMITTED, or stronger by
 * the server's settings.
 */
export class PostgresSession implements Connection {
  readonly #client: ClientBase
  readonly #prepared: Prepared
  #last: Promise<unknown> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined
  readonly #lose = (error: unknown): void => {
    this.#failure ??= { error: convertedError(error) }
  }

  constructor(client: ClientBase, prepared: Prepared) {
    this.#client = client
    this.#prepared = prepared
    // The server may close a connection while it is idle too; uncommitted changes are then rolled back.
    client.on('error', this.#lose)
  }

  /**
   * Runs `work` between `begin` and COMMIT, and returns its result; rolls back and throws if `work` or a statement
   * fails.
   */
  async transact<R>(work: () => Promise<R>, begin: string = 'BEGIN'): Promise<R> {
    await this.run(begin)
    let result: R
    try {
      result = await work()
      await this.#idle()
      if (this.#failure !== undefined) throw this.#failure.error
    } catch (error) {
      return this.#rollBack(error)
    }
    await this.#commit()
    return result
  }

  /** Releases the connection; returns true if the connection stays usable. */
  end(): boolean {
    this.#client.off('error', this.#lose)
    return this.isUsable
  }

  /** Whether the connection stays usable. */
  get isUsable(): boolean {
    return this.#failure === undefined || isOfServer(this.#failure.error)
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
    const run = (): ReturnType<typeof query> => this.#once(sql, parameters)
    const result = this.#last.then(run, run)
    this.#last = result
    return result
  }

  async #once(sql: string, parameters?: readonly SqlValue[]): ReturnType<typeof query> {
    if (this.#failure !== undefined) throw this.#failure.error
    try {
      return await query(this.#client, this.#prepared, sql, parameters)
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  /**
   * Rolls back and throws the error. A temporary failure is thrown in place of its consequence in `work`, so that the
   * transaction is repeated.
   */
  async #rollBack(thrown: unknown): Promise<never> {
    await this.#idle()
    const cause = this.#failure?.error
    if (this.isUsable) {
      try {
        await query(this.#client, this.#prepared, 'ROLLBACK')
      } catch (error) {
        this.#failure = { error }
      }
    }
    throw isPassing(cause) ? cause : thrown
  }

  /** Waits for the running statements, because `work` may not have awaited all of them. */
  async #idle(): Promise<void> {
    await Promise.allSettled([this.#last])
  }

  /**
   * Commits. After a lost connection it is unknown whether the server has committed, so the transaction is not
   * repeated.
   */
  async #commit(): Promise<void> {
    try {
      await this.run('COMMIT')
    } catch (error) {
      throw isOfServer(error) ? error : unknownOutcome()
    }
  }
}

const unknownOutcome = (): Error =>
  storeUnavailable('the store was lost while it committed, and may have done so; look before you try again')
