import { createHash } from 'node:crypto'
import type { Collection } from '../../domain/ports/store.ts'
import type { FilterField } from '../../runtime/filter/types.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import { ownColumns, quoteName } from './columns.ts'
import type { Direction } from './dialect.ts'
import { columnNamed, orderTerm, type Columns } from './order.ts'

/** An index of a table. */
export interface Index {
  readonly name: string
  /** The statement that creates the index, in the form of `sqlite_schema`. */
  readonly sql: string
  /** The members of the unique set of the index; absent for an index of another kind. */
  readonly unique?: readonly string[]
  /** The quoted column names of the unique set. */
  readonly columns?: readonly string[]
}

/**
 * Returns the indexes of a collection: one for each unique set, one for each declared index, and one for the default
 * order of its list (below its parent, if rows are listed only there), and one for each indexed map. A declared index takes over the direction of a
 * column in the default order, so that the index serves that order too. The name of an index follows from its
 * definition, so that a name means the same in versions with more indexes or another order.
 */
export function indexesOf(collection: Collection<never>, columns: Columns): readonly Index[] {
  const { name: table, list, listedBelow, uniques = [], indexes = [], indexedMaps = [] } = collection
  const order = (list === undefined ? [] : checkOrder(undefined, list)).map(field => orderTerm(columns, field))
  const descending = new Set(order.filter(term => term.descending).map(term => term.expression))
  const directed = (name: string): Direction => {
    const column = columnNamed(columns, name)
    return { expression: column.sql, descending: descending.has(column.sql), isNullable: column.isNullable }
  }
  const ascending = (name: string): Direction => ({ ...directed(name), descending: false })
  const key = { expression: ownColumns.key, descending: false, isNullable: false }
  const made: readonly (Pick<Index, 'columns' | 'unique'> & { readonly terms: readonly Direction[] })[] = [
    ...uniques.map(({ fields }) => ({
      unique: fields,
      columns: fields.map(name => columnNamed(columns, name).sql),
      terms: fields.map(ascending),
    })),
    ...indexes.map(names => ({ terms: [...names.map(directed), key] })),
    { terms: listedBelow === undefined ? order : [ascending(listedBelow), ...order] },
  ]
  const named = made.filter(isNeeded).map(({ terms, ...rest }): Index => {
    const kind = rest.unique ? uniqueIndex : 'CREATE INDEX'
    const keys = terms.map(term => columns.dialect.indexed(term)).join(', ')
    return { ...rest, ...indexOn(table, kind, `(${keys})`, keys) }
  })
  const maps = indexedMaps.flatMap(map => {
    const over = columns.dialect.mapIndex?.(fieldOf(collection, map))
    return over === undefined ? [] : [indexOn(table, 'CREATE INDEX', over, over)]
  })
  return [...new Map([...named, ...maps].map(index => [index.name, index])).values()]
}

function indexOn(table: string, kind: string, over: string, definition: string): Pick<Index, 'name' | 'sql'> {
  const name = `${table}_index_${createHash('sha256').update(`${kind} ${definition}`).digest('hex').slice(0, 12)}`
  return { name, sql: `${kind} ${quoteName(name)} ON ${quoteName(table)} ${over}` }
}

function fieldOf({ list, name }: Collection<never>, map: string): FilterField {
  const field = list?.fields.find(each => each.name === map && each.type === 'MAP')
  if (field) return field
  throw new Error(`the list of collection "${name}" has no map "${map}" to index`)
}

const uniqueIndex = 'CREATE UNIQUE INDEX'

/** Whether the statement of an index makes a unique index. */
export const isUnique = (sql: string): boolean => sql.startsWith(uniqueIndex)

/** Whether an index is needed: the key alone has an index already. */
function isNeeded({ terms }: { readonly terms: readonly Direction[] }): boolean {
  return terms.length > 1 || (terms.length === 1 && terms[0]?.expression !== ownColumns.key)
}
