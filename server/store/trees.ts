import { columnNamed } from './order.ts'
import type { Layout } from './layout.ts'
import { anyOf, ownColumns } from './columns.ts'

/** Reads documents and all that stand above or below them; takes a list of ids as JSON. A cycle ends where it began. */
export function selectTree(layout: Layout, parent: string, direction: 'above' | 'below'): string {
  const { key, version, body } = ownColumns
  const { sql } = columnNamed(layout, parent)
  const step = direction === 'above' ? `tree.parent = node.${key}` : `node.${sql} = tree.id`
  const row = `node.${key}, node.${sql}`
  return (
    `WITH RECURSIVE tree (id, parent) AS (SELECT ${row} FROM ${layout.table} AS node WHERE node.${anyOf(key)} ` +
    `UNION SELECT ${row} FROM tree JOIN ${layout.table} AS node ON ${step}) ` +
    `SELECT node.${key}, node.${version}, node.${body} FROM tree JOIN ${layout.table} AS node ON node.${key} = tree.id`
  )
}
