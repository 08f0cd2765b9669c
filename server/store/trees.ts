import { columnNamed } from './order.ts'
import type { Layout } from './layout.ts'
import { ownColumns } from './columns.ts'
import type { SqlCondition } from './condition.ts'

/**
 * Returns the statement that reads documents with all their ancestors or descendants. A cycle ends at its beginning.
 */
export function selectTree(
  layout: Layout,
  parent: string,
  direction: 'above' | 'below',
  ids: readonly string[],
): SqlCondition {
  const { key, version, body } = ownColumns
  const { sql } = columnNamed(layout, parent)
  const step = direction === 'above' ? `tree.parent = node.${key}` : `node.${sql} = tree.id`
  const start = layout.dialect.anyOf(`node.${key}`, ids)
  const row = `node.${key}, node.${sql}`
  const query =
    `WITH RECURSIVE tree (id, parent) AS (SELECT ${row} FROM ${layout.table} AS node WHERE ${start.sql} ` +
    `UNION SELECT ${row} FROM tree${layout.dialect.joinBy(layout.table, step)}) ` +
    `SELECT node.${key}, node.${version}, node.${body} FROM tree` +
    layout.dialect.joinBy(layout.table, `node.${key} = tree.id`)
  return { sql: query, parameters: start.parameters }
}
