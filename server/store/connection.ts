import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { defineFunctions } from './functions.ts'

/** The values of a row in the order in which the statement names them. */
export type Row = readonly SQLOutputValue[]

/** Statements are kept by their text; filters of callers make new texts without end, so the least used one goes. */
const maxStatements = 256

/** While another process writes, the thread waits this long before the transaction backs off without blocking it. */
const busyTimeoutMs = 50

/** While another process opens or recovers the file there is nothing better to do than wait. */
const openTimeoutMs = 5000

const megabyte = 1024 * 1024

/** One connection to the file, with its prepared statements. All calls are synchronous and block the thread. */
export class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** A `snapshot` is opened for reading alone: it throws when there is no file. */
  constructor(file: string, role: 'writer' | 'reader' | 'snapshot') {
    const readOnly = role === 'snapshot'
    this.#database = new DatabaseSync(file, { timeout: openTimeoutMs, returnArrays: true, readOnly })
    if (!readOnly) this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    this.exec(`PRAGMA cache_size = ${role === 'reader' ? -65536 : -16384}; PRAGMA mmap_size = ${256 * megabyte}`)
    if (!readOnly) this.exec(`PRAGMA journal_size_limit = ${64 * megabyte}`)
    if (role === 'reader') this.exec('PRAGMA query_only = ON')
    defineFunctions(this.#database)
  }

  /** From here on a file that another process locks is reported soon; until then it is waited for. */
  endOpening(): void {
    this.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }

  /** Runs statements that take no parameter. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  get(sql: string, parameters: readonly SQLInputValue[] = []): Row | undefined {
    const row = this.#prepare(sql).get(...parameters)
    return row === undefined ? undefined : rowOf(row)
  }

  all(sql: string, parameters: readonly SQLInputValue[] = []): Row[] {
    return this.#prepare(sql)
      .all(...parameters)
      .map(rowOf)
  }

  /** The number of rows that changed. */
  run(sql: string, parameters: readonly SQLInputValue[] = []): number {
    return Number(this.#prepare(sql).run(...parameters).changes)
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) {
      this.#statements.delete(sql)
      this.#statements.set(sql, known)
      return known
    }
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    if (this.#statements.size > maxStatements) this.#dropOldest()
    return statement
  }

  #dropOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql)
      return
    }
  }
}

/** Node makes arrays a third faster than objects, but their type is that of objects. */
function rowOf(row: unknown): Row {
  if (Array.isArray(row)) return row
  throw new TypeError('the store is read in rows of arrays')
}
