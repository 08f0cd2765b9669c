import type { Derived, Where } from '../../domain/ports/store.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { encode, ownColumns, textColumn } from './columns.ts'
import { derivedName, derivedTable, type DerivedTable } from './derived.ts'
import { compileFilter } from './filter-sql.ts'
import { all, equals, segmentsAfter, type Condition, type Segment } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, orderTerm, type Columns, type OrderTerm } from './order.ts'

const { key, version, body } = ownColumns

/** What is read of every document. */
const own: Condition = { sql: `${key}, ${version}, ${body}`, parameters: [] }

/**
 * Reads at most `limit` documents that a condition holds for. The limit stands in the text: as a parameter SQLite would
 * compile the statement anew whenever it is bound.
 */
export function select(
  layout: Layout,
  { sql, parameters }: Condition,
  limit: number,
  order: string = key,
  taken: Condition = own,
): Condition {
  return {
    sql: `SELECT ${taken.sql} FROM ${layout.table} WHERE ${sql} ORDER BY ${order} LIMIT ${limit}`,
    parameters: [...taken.parameters, ...parameters],
  }
}

/** What a page is read by. */
export interface PageRequest {
  readonly query: ListQuery
  readonly where: Where
  readonly derived: Derived | undefined
  /** The names of columns that are read behind key, version and body. */
  readonly members: readonly string[]
  /** What is read behind them, the same in every row of a statement. */
  readonly witness?: Condition | undefined
}

/** The version of a document, as a value of SQL. */
export const versionOf = ({ table }: Layout, id: string): Condition => ({
  sql: `(SELECT ${version} FROM ${table} WHERE ${key} = ?)`,
  parameters: [id],
})

/**
 * The statements that together yield the rows of a page, in its order, and one more: none of a later statement comes
 * before one of an earlier one.
 */
export function* selectPage(layout: Layout, request: PageRequest): Generator<Condition> {
  const { query, where, derived } = request
  const taken = takenOf(layout, request)
  const made = derived && derivedTable(layout, derived)
  const columns: Columns = made?.columns ?? layout
  const order = query.order.map(field => orderTerm(columns, field))
  const filter = query.filter === undefined ? [] : [compileFilter(query.filter, columns)]
  const narrowed = [...equalities(layout, where), ...filter]
  const segments =
    query.after === undefined ? [{ ...all(narrowed), order }] : segmentsAfter(order, query.after, narrowed)
  const limit = query.size + 1
  for (const segment of segments) {
    const sorted = { ...segment, order: layout.dialect.sortsFixed ? order : segment.order }
    yield made
      ? selectDerived(layout, made, sorted, limit, taken)
      : select(layout, sorted, limit, sortedBy(layout, sorted.order), taken)
  }
}

function takenOf(layout: Layout, { members, witness }: PageRequest): Condition {
  const columns = members.map(name => `, ${textColumn(columnNamed(layout, name)).sql}`).join('')
  if (witness === undefined) return { sql: own.sql + columns, parameters: [] }
  return { sql: `${own.sql}${columns}, ${witness.sql}`, parameters: witness.parameters }
}

/**
 * Takes the first documents of each row of the table, which lie together in an index that begins with the columns they
 * follow from, and the first of all these. So it costs by the rows of the table and not by the documents there are.
 */
function selectDerived(
  layout: Layout,
  { fits, isFixed, table: made }: DerivedTable,
  segment: Segment,
  limit: number,
  taken: Condition,
): Condition {
  const { dialect, table } = layout
  const nearest = sortedBy(
    layout,
    segment.order.filter(({ field }) => !isFixed(field.name)),
  )
  const fitting = all([fits, segment])
  const each = (read: string): string => select(layout, fitting, limit, nearest, { sql: read, parameters: [] }).sql
  const sorted = segment.order.map(({ expression }, i) => `${expression} AS "_sort_${i}"`)
  const first =
    `SELECT ${[`${table}.${dialect.row} AS "_row"`, ...sorted].join(', ')} FROM ${derivedName}` +
    `${dialect.joinEach(table, each)} ORDER BY ${sortedBy(layout, segment.order)} LIMIT ${limit}`
  const placed = segment.order.map((term, i) => dialect.sorted({ ...term, expression: `"_first"."_sort_${i}"` }))
  return {
    sql:
      `${made.sql}SELECT ${taken.sql} FROM (${first}) AS "_first" CROSS JOIN ${table} ` +
      `WHERE ${table}.${dialect.row} = "_first"."_row" ORDER BY ${placed.join(', ')}`,
    parameters: [...made.parameters, ...taken.parameters, ...fitting.parameters],
  }
}

const sortedBy = ({ dialect }: Layout, order: readonly OrderTerm[]): string =>
  order.map(term => dialect.sorted(term)).join(', ')

/** One condition for each column of `where`; null stands for a member that is not set, a list for one of its values. */
export function equalities(layout: Layout, where: Where): Condition[] {
  return Object.entries(where).map(([name, value]): Condition => {
    const column = columnNamed(layout, name)
    if (isList(value)) return layout.dialect.anyOf(column.sql, value)
    return equals(column.sql, encode(column, value))
  })
}

const isList = (value: Where[string]): value is readonly string[] => Array.isArray(value)
