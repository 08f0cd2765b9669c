import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Connection, Row, SqlValue } from '../connection.ts'
import { defineFunctions } from './functions.ts'

/** Statements are kept by their text, up to twice as many; filters of callers make new texts without end. */
const maxRecent = 128

/** While another process writes, the thread waits this long before the transaction backs off without blocking it. */
const busyTimeoutMs = 50

/** While another process opens or recovers the file there is nothing better to do than wait. */
const openTimeoutMs = 5000

const megabyte = 1024 * 1024

/**
 * What of the file is read in place, which is all that SQLite can: pages behind it are copied, at twice the cost of a
 * read of one row. Memory is taken by what is read alone, and given back when others need it.
 */
const mappedBytes = 2048 * megabyte - 1

/** One connection to the file, with its prepared statements. All calls are synchronous and block the thread. */
export class SqliteConnection implements Connection {
  readonly file: string
  readonly #database: DatabaseSync
  #recent = new Map<string, StatementSync>()
  /** What was asked for before those: who is asked for again returns, the others go together. */
  #older = new Map<string, StatementSync>()

  /** A `snapshot` is opened for reading alone: it throws when there is no file. A URL may carry parameters of SQLite. */
  constructor(file: string | URL, role: 'writer' | 'reader' | 'snapshot') {
    const readOnly = role === 'snapshot'
    this.file = String(file)
    this.#database = new DatabaseSync(file, { timeout: openTimeoutMs, returnArrays: true, readOnly })
    // In a file that is still empty this lets free pages be given back (reclaim.ts); in others it says nothing, or would write.
    if (role === 'writer' && this.get('PRAGMA auto_vacuum')?.[0] === 0) this.exec('PRAGMA auto_vacuum = INCREMENTAL')
    if (!readOnly) this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    // In KiB; what is read beside a transaction must be read anew behind each commit in any case.
    this.exec(`PRAGMA cache_size = ${role === 'writer' ? -65536 : -16384}; PRAGMA mmap_size = ${mappedBytes}`)
    if (!readOnly) this.exec(`PRAGMA journal_size_limit = ${64 * megabyte}`)
    if (role === 'reader') this.exec('PRAGMA query_only = ON')
    defineFunctions(this.#database)
  }

  /** From here on a file that another process locks is reported soon; until then it is waited for. */
  endOpening(timeoutMs = busyTimeoutMs): void {
    this.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
  }

  /** Runs statements that take no parameter. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  get(sql: string, parameters: readonly SqlValue[] = []): Row | undefined {
    const row = this.#prepare(sql).get(...parameters)
    return row === undefined ? undefined : rowOf(row)
  }

  all(sql: string, parameters: readonly SqlValue[] = []): readonly Row[] {
    return rowsOf(this.#prepare(sql).all(...parameters))
  }

  /** The number of rows that changed. */
  run(sql: string, parameters: readonly SqlValue[] = []): number {
    return Number(this.#prepare(sql).run(...parameters).changes)
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#recent.clear()
    this.#older.clear()
    this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    const recent = this.#recent.get(sql)
    if (recent !== undefined) return recent
    const statement = this.#older.get(sql) ?? this.#database.prepare(sql)
    if (this.#recent.size === maxRecent) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(sql, statement)
    return statement
  }
}

/** All rows of an answer are alike. */
function rowsOf(rows: readonly unknown[]): readonly Row[] {
  if (rows.length > 0) rowOf(rows[0])
  return rows as readonly Row[]
}

/** Node makes arrays a third faster than objects, but their type is that of objects. */
function rowOf(row: unknown): Row {
  if (Array.isArray(row)) return row
  throw new TypeError('the store is read in rows of arrays')
}
