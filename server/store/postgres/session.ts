import type { ClientBase } from 'pg'
import { storeUnavailable } from '../retries.ts'
import type { Connection, Row, SqlValue } from '../connection.ts'
import { isOfServer, isPassing, toldError } from './errors.ts'
import { query, type Prepared } from './statements.ts'

/** Begins a transaction whose statements see the database as of one moment, that of the first of them. */
export const beginReading = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY'

/**
 * One transaction on one connection, whose statements run one after the other. Behind a failed one all fail, since the
 * server has given the transaction up. It is READ COMMITTED, or stronger when the server's settings say so.
 */
export class Session implements Connection {
  readonly #client: ClientBase
  readonly #prepared: Prepared
  #last: Promise<unknown> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined
  readonly #lose = (error: unknown): void => {
    this.#failure ??= { error: toldError(error) }
  }

  constructor(client: ClientBase, prepared: Prepared) {
    this.#client = client
    this.#prepared = prepared
    // The server ends a connection while nothing runs on it, too; what was not committed by then is undone.
    client.on('error', this.#lose)
  }

  /** Runs `work` between `begin` and COMMIT; rolls back and throws when either it or a statement fails. */
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

  /** Lets go of the connection; whether it can be used further. */
  end(): boolean {
    this.#client.off('error', this.#lose)
    return this.isUsable
  }

  /** Whether the connection can be used further. */
  get isUsable(): boolean {
    return this.#failure === undefined || isOfServer(this.#failure.error)
  }

  async get(sql: string, parameters?: readonly SqlValue[]): Promise<Row | undefined> {
    return (await this.all(sql, parameters))[0]
  }

  async all(sql: string, parameters?: readonly SqlValue[]): Promise<readonly Row[]> {
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

  /** What passes is told rather than what came of it: then the transaction is run again, whatever `work` threw. */
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

  /** Statements that nobody waits for may be under way. */
  async #idle(): Promise<void> {
    await Promise.allSettled([this.#last])
  }

  /** Of a connection that is lost here nobody knows whether the server has committed, so nothing is run again. */
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
