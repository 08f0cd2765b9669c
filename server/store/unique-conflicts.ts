import { ownColumns } from './columns.ts'
import type { SqlRow } from './connection.ts'
import type { Index } from './indexes.ts'
import type { Layout } from './layout.ts'
import { columnNamed } from './order.ts'

/** The maximal length of a quoted value in characters. */
const maxShown = 80

/**
 * Returns a statement that finds an example: the keys of two documents with equal values of a unique set, and the
 * values.
 */
export function selectRepeated(layout: Layout, { unique = [] }: Index): string {
  const columns = unique.map(name => columnNamed(layout, name).sql)
  const { key } = ownColumns
  return (
    `SELECT min(${key}), max(${key}), ${columns.join(', ')} FROM ${layout.table} ` +
    `WHERE ${columns.map(column => `${column} IS NOT NULL`).join(' AND ')} ` +
    `GROUP BY ${columns.join(', ')} HAVING count(*) > 1 LIMIT 1`
  )
}

/**
 * The error of documents that share values of a set that this version declares as unique, so that the index of the set
 * cannot be made.
 */
export class RepeatedValues extends Error {
  override readonly name = 'RepeatedValues'

  /** `row` is a row of `selectRepeated`; without it, `cause` describes the example. */
  constructor({ collection }: Layout, { unique = [] }: Index, row: SqlRow | undefined, cause?: unknown) {
    const [one, other, ...values] = (row ?? []).map(shown)
    const example =
      row === undefined
        ? `${shown(cause instanceof Error ? cause.message : String(cause))}`
        : `${one} and ${other} have ${unique.map((name, i) => `${name} ${values[i]}`).join(' and ')}`
    super(
      `documents in table ${collection} share ${unique.join(' and ')}, which this version takes for unique: ${example}; ` +
        'change or delete one of them by the version that wrote them, and start this one again',
      { cause },
    )
  }
}

const shown = (value: unknown): string => JSON.stringify(String(value).slice(0, maxShown))
