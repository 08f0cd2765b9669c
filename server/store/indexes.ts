import type { Collection } from '../../domain/ports/store.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import { ownColumns, quoteName } from './columns.ts'
import { columnNamed, orderTerm, type Columns } from './order.ts'

export interface Index {
  readonly name: string
  /** The statement that creates it, as `sqlite_schema` keeps it. */
  readonly sql: string
}

/**
 * The indexes of a collection: one for each unique set, one for each declared index, one for the default order of its
 * list, below its parent where it is listed there alone. A declared index takes over the direction of a column of the
 * default order, so that it serves that order too.
 */
export function indexesOf(collection: Collection<never>, columns: Columns): readonly Index[] {
  const { name: table, list, listedBelow, uniques = [], indexes = [] } = collection
  const order = (list === undefined ? [] : checkOrder(undefined, list)).map(field => orderTerm(columns, field))
  const terms = order.map(term => (term.descending ? `${term.expression} DESC` : term.expression))
  const descending = new Set(order.filter(term => term.descending).map(term => term.expression))
  const plain = (name: string): string => columnNamed(columns, name).sql
  const directed = (name: string): string => (descending.has(plain(name)) ? `${plain(name)} DESC` : plain(name))
  const made = [
    ...uniques.map(({ fields }) => ({ unique: true, terms: fields.map(plain) })),
    ...indexes.map(names => ({ unique: false, terms: [...names.map(directed), ownColumns.key] })),
    { unique: false, terms: listedBelow === undefined ? terms : [plain(listedBelow), ...terms] },
  ]
  return made.filter(isNeeded).map((index, i) => {
    const name = `${table}_index_${i + 1}`
    const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX'
    return { name, sql: `CREATE ${kind} ${quoteName(name)} ON ${quoteName(table)} (${index.terms.join(', ')})` }
  })
}

/** The key has an index of its own. */
function isNeeded({ terms }: { readonly terms: readonly string[] }): boolean {
  return terms.length > 1 || (terms.length === 1 && terms[0] !== ownColumns.key)
}
