import { isRecord } from '../../runtime/validation.ts'
import type { SqlValue } from './connection.ts'
import { updateText, type Layout } from './layout.ts'

/** A statement that changes rows. */
export interface Write {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** A document with its id and its text. */
export interface WrittenDocument {
  readonly id: string
  readonly document: unknown
  readonly text: string
}

/** Returns the stored text of a document. Throws `TypeError` as `HiddenMembers.write` does. */
export function textOf({ hidden }: Layout, document: unknown): string {
  return hidden === undefined || !isRecord(document) ? JSON.stringify(document) : hidden.write(document)
}

/** Returns the statement that inserts a document with version 1. */
export const insertOf = (layout: Layout, { document, id, text }: WrittenDocument): Write => ({
  sql: layout.insert,
  values: [id, text, ...columnValues(layout, document)],
})

/** The number of rows that one statement inserts: more rows make no statement faster. */
const rowsPerInsert = 64

/** Returns the statements that insert documents with version 1, and the number of documents of each. */
export function insertsOf(
  layout: Layout,
  documents: readonly WrittenDocument[],
): readonly (Write & { readonly count: number })[] {
  const inserts: (Write & { readonly count: number })[] = []
  for (let start = 0; start < documents.length; start += rowsPerInsert) {
    const rows = documents.slice(start, start + rowsPerInsert)
    const values = rows.flatMap(({ document, id, text }) => [id, text, ...columnValues(layout, document)])
    inserts.push({ sql: layout.insertMany(rows.length), values, count: rows.length })
  }
  return inserts
}

/**
 * Returns the statement that replaces a version of a document. `before` is the replaced document, if it is known:
 * unchanged columns are not set again, because SQLite would write each of their indexes.
 */
export function updateOf(
  layout: Layout,
  { document, id, text }: WrittenDocument,
  version: number,
  before?: unknown,
): Write {
  const values = columnValues(layout, document)
  const known = before === undefined ? undefined : knownValues(layout, before)
  const changed = known && values.flatMap((value, i) => (value === known[i] ? [] : [i]))
  const sql = changed && partialUpdate(layout, changed)
  if (changed === undefined || sql === undefined) return { sql: layout.update, values: [text, ...values, id, version] }
  return { sql, values: [text, ...changed.map(i => values[i] ?? null), id, version] }
}

/** Returns the column values of a document, in the order of `Layout.written`. */
const columnValues = (layout: Layout, document: unknown): SqlValue[] =>
  layout.written.map(column => column.valueOf(document))

/** Returns the column values of a document; undefined for a damaged document, which an update may repair. */
function knownValues(layout: Layout, document: unknown): readonly SqlValue[] | undefined {
  try {
    return columnValues(layout, document)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * The maximal number of cached statements of a collection that update some columns. The handlers change documents in
 * few ways, so the limit is rarely reached.
 */
const maxUpdates = 64

function partialUpdate({ table, updates, written }: Layout, changed: readonly number[]): string | undefined {
  const places = changed.join()
  const known = updates.get(places)
  if (known !== undefined || updates.size >= maxUpdates) return known
  const text = updateText(
    table,
    changed.flatMap(i => written[i]?.sql ?? []),
  )
  updates.set(places, text)
  return text
}
