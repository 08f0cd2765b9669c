import type { Where } from '../../domain/ports/store.ts'
import type { ListQuery } from '../../runtime/pagination.ts'
import { encode, ownColumns } from './columns.ts'
import { compileFilter } from './filter-sql.ts'
import { all, segmentsAfter, type Condition } from './keyset.ts'
import type { Layout } from './layout.ts'
import { columnNamed, orderTerm, type OrderTerm } from './order.ts'

/** Reads documents that a condition holds for; ends with a parameter for their largest number. */
export function select(layout: Layout, condition: Condition, order: string = ownColumns.key): Condition {
  const { key, version, body } = ownColumns
  const { sql, parameters } = condition
  return {
    sql: `SELECT ${key}, ${version}, ${body} FROM ${layout.table} WHERE ${sql} ORDER BY ${order} LIMIT ?`,
    parameters,
  }
}

/** The statements that together yield the rows of a page, in its order; none of a later one comes before. */
export function* selectPage(layout: Layout, query: ListQuery, where: Where): Generator<Condition> {
  const order = query.order.map(field => orderTerm(layout, field))
  const filter = query.filter === undefined ? [] : [compileFilter(query.filter, layout)]
  const narrowed = [...equalities(layout, where), ...filter]
  const segments = query.after === undefined ? [{ ...all([]), order }] : segmentsAfter(order, query.after)
  for (const segment of segments) yield select(layout, all([...narrowed, segment]), sortedBy(segment.order))
}

function sortedBy(order: readonly OrderTerm[]): string {
  return order.map(({ expression, descending }) => (descending ? `${expression} DESC` : expression)).join(', ')
}

/** One condition for each column of `where`; null stands for a member that is not set. */
export function equalities(layout: Layout, where: Where): Condition[] {
  return Object.entries(where).map(([name, value]): Condition => {
    const column = columnNamed(layout, name)
    return { sql: `${column.sql} IS ?`, parameters: [encode(column, value)] }
  })
}
