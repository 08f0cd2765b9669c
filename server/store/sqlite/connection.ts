import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Connection, SqlRow, SqlValue } from '../connection.ts'
import { defineFunctions } from './functions.ts'

/**
 * The minimal number of statements that are cached by their text when the cache is full, and half of the maximal
 * number; filters of callers make an unlimited number of texts.
 */
const maxRecent = 128

/**
 * The time in milliseconds for which the thread waits while another process writes, before the transaction is delayed
 * without blocking.
 */
const busyTimeoutMs = 50

/** The time in milliseconds for which the thread waits while another process opens or recovers the file. */
const openTimeoutMs = 5000

const megabyte = 1024 * 1024

/**
 * The mapped part of the file in bytes. Pages beyond this part are copied. SQLite ends a mapping after each commit of
 * another connection, which takes time for each page that was read: a larger part would hold the thread for as long as
 * a page of rows takes, after each walk over many rows (decision 27).
 */
const mappedBytes = 16 * megabyte

/** A connection to the file, with its prepared statements. All calls are synchronous and block the thread. */
export class SqliteConnection implements Connection {
  readonly file: string
  readonly #database: DatabaseSync
  #isWaiting = true
  #recent = new Map<string, StatementSync>()
  /**
   * The older half of the cached statements: a used statement returns to the younger half, and the rest is dropped
   * together.
   */
  #older = new Map<string, StatementSync>()

  /** A `snapshot` is opened read-only and throws if there is no file. A URL may carry parameters of SQLite. */
  constructor(file: string | URL, role: 'writer' | 'reader' | 'snapshot') {
    const readOnly = role === 'snapshot'
    this.file = String(file)
    this.#database = new DatabaseSync(file, { timeout: openTimeoutMs, returnArrays: true, readOnly })
    // In an empty file this enables the reclaiming of free pages (reclaim.ts); in other files it has no effect, or
    // would write.
    if (role === 'writer' && this.get('PRAGMA auto_vacuum')?.[0] === 0) this.exec('PRAGMA auto_vacuum = INCREMENTAL')
    if (!readOnly) this.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    // The size in KiB. Reads beside a transaction must read pages again after each commit in any case.
    this.exec(`PRAGMA cache_size = ${role === 'writer' ? -65536 : -16384}; PRAGMA mmap_size = ${mappedBytes}`)
    if (!readOnly) this.exec(`PRAGMA journal_size_limit = ${64 * megabyte}`)
    // Deleted and replaced bytes are overwritten with zeros, because they may have been secrets.
    if (role === 'writer') this.exec('PRAGMA secure_delete = ON')
    if (role === 'reader') this.exec('PRAGMA query_only = ON')
    defineFunctions(this.#database)
  }

  /**
   * Ends the opening: from now on, the connection waits at most `timeoutMs` for a file that another process locks.
   * Before, it waits `openTimeoutMs`.
   */
  endOpening(timeoutMs = busyTimeoutMs): void {
    this.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
  }

  /**
   * Sets whether the commits of the following transactions wait for the disk; at first, they do. The next commit that
   * waits also saves the commits before it. Throws in a transaction.
   */
  waitForDisk(isWaiting: boolean): void {
    if (isWaiting === this.#isWaiting) return
    this.exec(`PRAGMA synchronous = ${isWaiting ? 'FULL' : 'NORMAL'}`)
    this.#isWaiting = isWaiting
  }

  /** Runs statements without parameters. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  get(sql: string, parameters: readonly SqlValue[] = []): SqlRow | undefined {
    const row = this.#prepare(sql).get(...parameters)
    return row === undefined ? undefined : rowOf(row)
  }

  all(sql: string, parameters: readonly SqlValue[] = []): readonly SqlRow[] {
    return rowsOf(this.#prepare(sql).all(...parameters))
  }

  /** Returns the number of changed rows. */
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

/**
 * Returns the rows of a result as arrays of values. Checks the first row only, because all rows of a result have the
 * same form.
 */
function rowsOf(rows: readonly unknown[]): readonly SqlRow[] {
  if (rows.length > 0) rowOf(rows[0])
  return rows as readonly SqlRow[]
}

/** Returns a row as an array of values. Node.js makes arrays a third faster than objects, but types them as objects. */
function rowOf(row: unknown): SqlRow {
  if (Array.isArray(row)) return row
  throw new TypeError('the store is read in rows of arrays')
}
