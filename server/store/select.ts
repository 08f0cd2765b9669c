import type { Derived, Narrowing, NoneOf, Where } from '../../domain/ports/store.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { encode, ownColumns, textColumn } from './columns.ts'
import { derivedName, derivedTable, type DerivedTable } from './derived-fields.ts'
import type { SqlValue } from './connection.ts'
import { compileFilter } from './filter-sql.ts'
import { all, any, equals, segmentsAfter, type Segment } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, orderTerm, type Columns, type OrderTerm } from './order.ts'
import type { TextPart } from './statement-texts.ts'
import type { SqlCondition } from './condition.ts'

const { key, version, body } = ownColumns

/** The columns that are read of every document. */
const own: SqlCondition = { sql: `${key}, ${version}, ${body}`, parameters: [] }

/**
 * Returns a statement that reads at most `limit` documents with a condition. The limit is part of the text, because
 * SQLite would compile the statement again for each bound limit.
 */
export function select(
  layout: Layout,
  { sql, parameters }: SqlCondition,
  limit: number,
  order: string = key,
  taken: SqlCondition = own,
): SqlCondition {
  return {
    sql: `SELECT ${taken.sql} FROM ${layout.table} WHERE ${sql} ORDER BY ${order} LIMIT ${limit}`,
    parameters: [...taken.parameters, ...parameters],
  }
}

/** The input of a page. */
export interface PageRequest {
  readonly query: ListQuery
  readonly where: Narrowing
  readonly derived: Derived | undefined
  /** The names of columns that are read before key, version and body. */
  readonly members: readonly string[]
  /** The values that are read after the body, equal in all rows of a statement. */
  readonly witness?: SqlCondition | undefined
  /** Whether key and version are left out, because the reader only needs the texts of the documents. */
  readonly isBodyOnly?: boolean
}

type Taken = Pick<PageRequest, 'members' | 'witness' | 'isBodyOnly'>

/**
 * Returns the statement that reads the document of a key. The key is the last parameter, after the parameters of the
 * witness.
 */
export function selectOne(layout: Layout, request: Omit<Taken, 'isBodyOnly'>): string {
  const parts: TextPart[] = ['one', request.witness?.sql, ...request.members]
  const made = (): string => `SELECT ${takenOf(layout, request).sql} FROM ${layout.table} WHERE ${key} = ?`
  return layout.texts.of(parts, made)
}

/**
 * Iterates over the statements that together yield the rows of a page and one further row. The rows of the statements
 * follow each other in the order.
 */
export function* selectPage(layout: Layout, request: PageRequest): Generator<SqlCondition> {
  const { query, where, derived } = request
  const made = derived && derivedTable(layout, derived)
  const columns: Columns = made?.columns ?? layout
  const order = query.order.map(field => orderTerm(columns, field))
  const filter = query.filter === undefined ? [] : [compileFilter(query.filter, columns)]
  const narrowed = [...narrowing(layout, where), ...filter]
  const segments =
    query.after === undefined
      ? [{ conditions: narrowed, order }]
      : segmentsAfter(decisive(layout, order, isAlternatives(where) ? {} : where), query.after, narrowed)
  const limit = query.size + 1
  for (const { conditions, ...segment } of segments) {
    const sorted = { conditions, order: layout.dialect.sortsFixed ? order : segment.order }
    yield made
      ? selectDerived(layout, made, sorted, limit, takenOf(layout, request))
      : selectSegment(layout, sorted, limit, request)
  }
}

/** Returns the statement that reads the rows of a segment. The text of the statement is cached. */
function selectSegment(layout: Layout, segment: Segment, limit: number, request: PageRequest): SqlCondition {
  const { conditions, order } = segment
  const { isBodyOnly, members, witness } = request
  const parts: TextPart[] = [limit, isBodyOnly, witness?.sql, members.length, ...members]
  for (const { descending, expression } of order) parts.push(expression, descending)
  for (const { sql } of conditions) parts.push(sql)
  const parameters: SqlValue[] = witness ? [...witness.parameters] : []
  for (const condition of conditions) parameters.push(...condition.parameters)
  const made = (): string =>
    select(layout, all(conditions), limit, sortedBy(layout, order), takenOf(layout, request)).sql
  return { sql: layout.texts.of(parts, made), parameters }
}

/**
 * Returns the terms that determine the order of two rows. Later terms are redundant if the columns that `where` fixes
 * and the earlier terms form a unique set.
 */
function decisive({ indexes }: Layout, order: readonly OrderTerm[], where: Where): readonly OrderTerm[] {
  let count = order.length
  for (const { unique } of indexes) {
    const sorted = unique?.filter(name => !isFixed(where[name])).map(name => termOf(order, name))
    if (sorted?.every(at => at >= 0)) count = Math.min(count, Math.max(...sorted) + 1)
  }
  return order.slice(0, Math.max(count, 1))
}

const isFixed = (value: Where[string] | undefined): boolean =>
  value !== undefined && value !== null && typeof value !== 'object'

/**
 * Returns the index of the term that sorts by a column; -1 if there is no such term, or if rows may have no value in
 * the column.
 */
const termOf = (order: readonly OrderTerm[], name: string): number =>
  order.findIndex(({ column, isNullable }) => column === name && !isNullable)

function takenOf(layout: Layout, { isBodyOnly, members, witness }: Taken): SqlCondition {
  const columns = members.map(name => `${textColumn(columnNamed(layout, name)).sql}, `).join('')
  const sql = columns + (isBodyOnly ? body : own.sql)
  return witness === undefined ? { sql, parameters: [] } : { ...witness, sql: `${sql}, ${witness.sql}` }
}

/**
 * Returns the statement that reads the first documents of each row of the derived table, which are adjacent in an index
 * that begins with the table's columns, and that sorts the documents. The cost grows with the rows of the table, not
 * with the documents.
 */
function selectDerived(
  layout: Layout,
  { fits, isFixed, table: made }: DerivedTable,
  segment: Segment,
  limit: number,
  taken: SqlCondition,
): SqlCondition {
  const { dialect, table } = layout
  const nearest = sortedBy(
    layout,
    segment.order.filter(({ column }) => !isFixed(column)),
  )
  const fitting = all([fits, ...segment.conditions])
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

/**
 * Returns one condition for each column of `where`: null stands for an unset member, a list for one of its values, and
 * `noneOf` for any other value.
 */
export function equalities(layout: Layout, where: Where): SqlCondition[] {
  return Object.entries(where).map(([name, value]): SqlCondition => {
    const column = columnNamed(layout, name)
    if (isList(value)) return layout.dialect.anyOf(column.sql, value)
    if (isNoneOf(value)) return noneOf(column.sql, layout.dialect.anyOf(column.sql, value.noneOf))
    return equals(column.sql, encode(column, value))
  })
}

function narrowing(layout: Layout, where: Narrowing): readonly SqlCondition[] {
  return isAlternatives(where) ? [any(where.map(each => all(equalities(layout, each))))] : equalities(layout, where)
}

const isAlternatives = (where: Narrowing): where is readonly Where[] => Array.isArray(where)

/** Returns the condition that a column has none of some values, which also holds for unset values. */
const noneOf = (column: string, { sql, parameters }: SqlCondition): SqlCondition => ({
  sql: `${column} IS NULL OR NOT (${sql})`,
  parameters,
})

const isNoneOf = (value: Where[string]): value is NoneOf =>
  typeof value === 'object' && value !== null && !isList(value)

const isList = (value: Where[string]): value is readonly string[] => Array.isArray(value)
