import { describe, expect, it } from 'vitest'
import type { Collection, Derived } from '../../../../domain/ports/store.ts'
import type { Filter } from '../../../../runtime/filter/types.ts'
import type { ListQuery } from '../../../../runtime/pagination.ts'
import { layoutOf } from '../../../../server/store/layout.ts'
import { selectPage } from '../../../../server/store/select.ts'
import { sqliteDialect } from '../../../../server/store/sqlite/dialect.ts'
import { isNear, looseBoxes, query, rank } from '../box-queries.ts'
import type { Box } from '../harness.ts'
import { explain } from './explain.ts'

describe('the plan of a page with derived fields', () => {
  const collection: Collection<Box> = { ...looseBoxes, indexes: [['parent', 'state', 'create_time']] }
  const derived: Derived = {
    from: ['parent', 'state'],
    fields: [rank, isNear],
    rows: [{ from: ['p', 'NEW'], values: [1, true] }],
  }
  const near: Filter = { kind: 'compare', field: isNear, operator: '=', value: true }
  const named: Filter = {
    kind: 'compare',
    field: { name: 'name', type: 'STRING', operators: [] },
    operator: '=',
    value: 'a',
  }
  const variants: readonly [string, Partial<ListQuery>][] = [
    ['by a derived field', { filter: near }],
    ['by a field that is not derived', { filter: { kind: 'not', term: near } }],
    ['by both kinds', { filter: { kind: 'and', terms: [near, named] } }],
    ['behind a row', { filter: near, after: ['2026-01-01T00:00:00.000000000Z', 'a'] }],
    ['sorted by a derived field first', { order: [{ field: rank, descending: true }, ...query().order] }],
  ]

  it.each(variants)(
    '%s, searches an index for each entry of the table and sorts only the rows found',
    async (_, more) => {
      const plans = await explain(collection, layout =>
        selectPage(layout, { query: query(more), where: {}, derived, members: [] }),
      )
      for (const plan of plans) {
        const each = plan.find(({ detail }) => detail.startsWith('CORRELATED'))
        const within = plan.filter(({ parent }) => parent === each?.id).map(({ detail }) => detail)
        expect(within).toHaveLength(1)
        expect(within[0]).toMatch(/^SEARCH test_boxes USING (?:COVERING )?INDEX .*\(parent=\? AND state=\?/)
      }
    },
  )
})

it('statements contain their limit as text, unless it would cause new compilations', () => {
  const request = { query: query({ size: 30 }), where: {}, derived: undefined, members: [] }
  for (const { sql } of selectPage(layoutOf(looseBoxes, sqliteDialect), request)) expect(sql).toMatch(/LIMIT 31$/)
})
