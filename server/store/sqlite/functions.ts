import type { DatabaseSync } from 'node:sqlite'
import { matches } from '../../../runtime/filter/evaluate.ts'
import type { Filter } from '../../../runtime/filter/types.ts'
import { storedTimestamp } from '../../../runtime/timestamps.ts'

/** The names of the functions for filters that are added to SQLite. */
export const sqlFunctions = {
  /**
   * The function `(value as JSON, pieces as JSON)`, which returns 1 if the text consists of the pieces, with any
   * characters between them.
   */
  like: 'ninefold_like',
  /** The function `(text)`, which returns the canonical text of a timestamp, and NULL for other text. */
  timestamp: 'ninefold_timestamp',
} as const

/** Adds `sqlFunctions` to a connection. Values are passed as JSON, because SQLite cuts texts at their first NUL. */
export function defineFunctions(database: DatabaseSync): void {
  const options = { deterministic: true }
  const filters = new LastFilter()
  database.function(sqlFunctions.like, options, (value, pieces) => {
    if (typeof value !== 'string' || value === 'null' || typeof pieces !== 'string') return null
    return matches(filters.of(pieces), { value: JSON.parse(value) }) ? 1 : 0
  })
  database.function(sqlFunctions.timestamp, options, text =>
    typeof text === 'string' ? (storedTimestamp(text) ?? null) : null,
  )
}

/** Caches the filter of the last call, because a query passes the same pieces for every row. */
class LastFilter {
  #text = ''
  #filter: Filter | undefined

  of(text: string): Filter {
    if (this.#filter !== undefined && text === this.#text) return this.#filter
    const parsed: unknown = JSON.parse(text)
    const pieces = Array.isArray(parsed) ? parsed.map(String) : []
    const field = { name: 'value', type: 'STRING', operators: [] } as const
    this.#text = text
    return (this.#filter = { kind: 'like', field, pieces, negated: false })
  }
}
