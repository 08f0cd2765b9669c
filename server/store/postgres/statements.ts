import type { ClientBase } from 'pg'
import type { SqlRow, SqlValue } from '../connection.ts'
import { convertedError } from './errors.ts'
import { numbered } from './placeholders.ts'
import { escapeText } from './text.ts'

/**
 * The maximal number of undeclared prepared statements: filters of callers make an unlimited number of texts, and the
 * server's memory is limited.
 */
const maxNoticed = 200

/** The number of the run in which the store first prepares a statement. */
const oftenEnough = 3

/** The statements that each connection prepares once, so that the server neither parses nor plans them again. */
export class Prepared {
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  #noticed = 0

  /** Declares a frequent statement. */
  add(sql: string): void {
    if (!this.#names.has(sql)) this.#names.set(sql, `ninefold_${this.#names.size + 1}`)
  }

  /** Returns the name of a prepared statement; undefined if preparing it does not pay. */
  nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql)
    if (name !== undefined || this.#noticed >= maxNoticed) return name
    const count = (this.#counts.get(sql) ?? 0) + 1
    if (count < oftenEnough) {
      if (this.#counts.size >= maxNoticed) this.#counts.clear()
      this.#counts.set(sql, count)
      return undefined
    }
    this.#counts.delete(sql)
    this.#noticed += 1
    this.add(sql)
    return this.#names.get(sql)
  }
}

/** Runs one statement. Throws `ConnectionLost`, ENGINE_UNAVAILABLE, or the server's error about the statement. */
export async function query(
  client: ClientBase,
  prepared: Prepared,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<{ readonly rows: readonly SqlRow[]; readonly changed: number; readonly command: string }> {
  const name = prepared.nameOf(sql)
  try {
    const { rows, rowCount, command } = await client.query<SqlValue[]>({
      ...(name === undefined ? {} : { name }),
      text: numbered(sql),
      values: parameters.map(value => (typeof value === 'string' ? escapeText(value) : value)),
      rowMode: 'array',
    })
    return { rows, changed: rowCount ?? 0, command }
  } catch (error) {
    throw convertedError(error)
  }
}
