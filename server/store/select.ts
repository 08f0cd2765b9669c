import type { Derived, Where } from '../../domain/ports/store.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { anyOf, encode, ownColumns, textColumn } from './columns.ts'
import { derivedName, derivedTable, type DerivedTable } from './derived.ts'
import { compileFilter } from './filter-sql.ts'
import { all, segmentsAfter, type Condition, type Segment } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, orderTerm, type Columns, type OrderTerm } from './order.ts'

const { key, version, body } = ownColumns

/** What is read of every document. */
const own: readonly string[] = [key, version, body]

/**
 * Reads at most `limit` documents that a condition holds for. The limit stands in the text: as a parameter SQLite would
 * compile the statement anew whenever it is bound.
 */
export function select(
  layout: Layout,
  { sql, parameters }: Condition,
  limit: number,
  order: string = key,
  taken: readonly string[] = own,
): Condition {
  const columns = taken.join(', ')
  return { sql: `SELECT ${columns} FROM ${layout.table} WHERE ${sql} ORDER BY ${order} LIMIT ${limit}`, parameters }
}

/** What a page is read by. */
export interface PageRequest {
  readonly query: ListQuery
  readonly where: Where
  readonly derived: Derived | undefined
  /** The names of columns that are read behind key, version and body. */
  readonly members: readonly string[]
}

/**
 * The statements that together yield the rows of a page, in its order, and one more: none of a later statement comes
 * before one of an earlier one.
 */
export function* selectPage(layout: Layout, { query, where, derived, members }: PageRequest): Generator<Condition> {
  const taken = [...own, ...members.map(name => textColumn(columnNamed(layout, name)).sql)]
  const made = derived && derivedTable(layout, derived)
  const columns: Columns = made?.columns ?? layout
  const order = query.order.map(field => orderTerm(columns, field))
  const filter = query.filter === undefined ? [] : [compileFilter(query.filter, columns)]
  const narrowed = [...equalities(layout, where), ...filter]
  const segments =
    query.after === undefined ? [{ ...all(narrowed), order }] : segmentsAfter(order, query.after, narrowed)
  const limit = query.size + 1
  for (const segment of segments) {
    yield made
      ? selectDerived(layout, made, segment, limit, taken)
      : select(layout, segment, limit, sortedBy(segment.order), taken)
  }
}

/**
 * Takes the first documents of each row of the table, which lie together in an index that begins with the columns they
 * follow from, and the first of all these. So it costs by the rows of the table and not by the documents there are.
 */
function selectDerived(
  layout: Layout,
  { fits, isFixed, table }: DerivedTable,
  segment: Segment,
  limit: number,
  taken: readonly string[],
): Condition {
  const nearest = segment.order.filter(({ field }) => !isFixed(field.name))
  const each = select(layout, all([fits, segment]), limit, sortedBy(nearest), ['rowid'])
  const sorted = segment.order.map(({ expression }, i) => `${expression} AS "_sort_${i}"`)
  const first =
    `SELECT ${[`${layout.table}.rowid AS "_row"`, ...sorted].join(', ')} FROM ${derivedName} CROSS JOIN ${layout.table} ` +
    `ON ${layout.table}.rowid IN (${each.sql}) ORDER BY ${sortedBy(segment.order)} LIMIT ${limit}`
  const placed = segment.order.map(({ descending }, i) => `"_first"."_sort_${i}"${descending ? ' DESC' : ''}`)
  return {
    sql:
      `${table.sql}SELECT ${taken.join(', ')} FROM (${first}) AS "_first" CROSS JOIN ${layout.table} ` +
      `ON ${layout.table}.rowid = "_first"."_row" ORDER BY ${placed.join(', ')}`,
    parameters: [...table.parameters, ...each.parameters],
  }
}

function sortedBy(order: readonly OrderTerm[]): string {
  return order.map(({ expression, descending }) => (descending ? `${expression} DESC` : expression)).join(', ')
}

/** One condition for each column of `where`; null stands for a member that is not set, a list for one of its values. */
export function equalities(layout: Layout, where: Where): Condition[] {
  return Object.entries(where).map(([name, value]): Condition => {
    const column = columnNamed(layout, name)
    if (isList(value)) return { sql: anyOf(column.sql), parameters: [JSON.stringify(value)] }
    return { sql: `${column.sql} IS ?`, parameters: [encode(column, value)] }
  })
}

const isList = (value: Where[string]): value is readonly string[] => Array.isArray(value)
