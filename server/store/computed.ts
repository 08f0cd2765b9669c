import type { Collection } from '../../domain/ports/store.ts'
import type { SortKey } from '../../runtime/filter/types.ts'
import { derivedColumn, quoteName, type Column } from './columns.ts'
import type { Dialect } from './dialect.ts'

/**
 * Returns the columns of computed values, keyed by name. Their `valueOf` throws `TypeError` as the `valueOf` of other
 * columns does.
 */
export function computedColumns({ computed = {} }: Collection<never>, dialect: Dialect): ReadonlyMap<string, Column> {
  const columns = Object.entries(computed).map(([name, { of, type }]): readonly [string, Column] => {
    const column = derivedColumn(name, type, quoteName(name), dialect)
    const valueOf: Column['valueOf'] = document => column.valueOf({ [name]: valueFrom(name, of, document) })
    return [name, { ...column, valueOf }]
  })
  return new Map(columns)
}

/**
 * Returns a computed value. Throws `TypeError` for any error of the computation, because a damaged document may have
 * values of any type.
 */
function valueFrom(name: string, of: (document: never) => unknown, document: unknown): unknown {
  try {
    // Code reads and writes a collection with documents of its type only; the error of a damaged document is caught
    // here.
    return of(document as never)
  } catch (cause) {
    throw new TypeError(`column "${name}" cannot be computed`, { cause })
  }
}

/**
 * Returns the names of the columns that replace list fields in orders, keyed by field. Throws for a field that the list
 * does not sort by.
 */
export function orderedByOf(collection: Collection<never>): ReadonlyMap<string, string> {
  const { list, name, orderedBy = {} } = collection
  const sortable = new Set(list?.fields.filter(field => field.sortable).map(field => field.name))
  const unknown = Object.keys(orderedBy).find(field => !sortable.has(field))
  if (unknown !== undefined) throw new Error(`the list of collection "${name}" does not sort by a field "${unknown}"`)
  return new Map(Object.entries(orderedBy))
}

/** Returns the sort key of a document in a column; the column encodes the key to the same value. */
export function sortKeyIn(column: Column, document: unknown): SortKey {
  const value = column.valueOf(document)
  if (value === null || value instanceof Uint8Array) return null
  if (column.type === 'BOOLEAN') return value === 1
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
