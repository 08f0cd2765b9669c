import { describe, expect, it } from 'vitest'
import { workspaces } from '../../../../domain/taxonomy/tree/nodes.ts'
import { workspacesList } from '../../../../output/taxonomy/filters.ts'
import { checkFilter } from '../../../../runtime/filter/check.ts'
import { checkOrder } from '../../../../runtime/ordering.ts'
import type { SortKey } from '../../../../runtime/filter/types.ts'
import { all } from '../../../../server/store/keyset.ts'
import { equalities, select, selectPage } from '../../../../server/store/select.ts'
import { explain } from '../../../server/store/sqlite/explain.ts'

const organisation = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const group = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'
const where = { organisation_id: organisation }
const time = '2026-01-01T00:00:00.000000000Z'

interface Listed {
  readonly filter?: string
  readonly order?: string
  readonly after?: readonly SortKey[]
  /** The columns by which the index is searched. */
  readonly by: string
}

/** Lists of the workspaces of one organisation that an index serves, both the condition and the order. */
const lists: readonly Listed[] = [
  { by: '(organisation_id=?)' },
  { order: 'name desc', by: '(organisation_id=?)' },
  { filter: `parent_group_id = "${group}"`, by: '(organisation_id=? AND parent_group_id=?)' },
  { filter: 'parent_group_id = ""', by: '(organisation_id=? AND parent_group_id=?)' },
  { filter: 'state = TAXONOMY_LIFECYCLE_STATE_ARCHIVED', by: '(organisation_id=? AND state=?)' },
  { filter: 'name = "web"', by: '(organisation_id=? AND name=?)' },
  { filter: 'name > "a" AND name < "b"', by: '(organisation_id=? AND name>? AND name<?)' },
  { order: 'create_time', by: '(organisation_id=?)' },
  { filter: `create_time >= ${time}`, order: 'create_time', by: '(organisation_id=? AND create_time>?)' },
  { after: ['web', group], by: '(organisation_id=? AND name>?)' },
  {
    filter: `parent_group_id = "${group}"`,
    after: ['web', group],
    by: '(organisation_id=? AND parent_group_id=? AND name>?)',
  },
  { order: 'create_time', after: [time, group], by: '(organisation_id=? AND create_time>?)' },
]

describe('workspaces of an organisation', () => {
  it.each(lists)('with filter "$filter" and order "$order" are read by $by in their order', async asked => {
    const { filter = '', order = '', after, by } = asked
    const query = {
      size: 20,
      filter: checkFilter(filter, workspacesList),
      order: checkOrder(order, workspacesList),
      after,
      now: 0,
    }
    const plans = await explain(workspaces, layout =>
      selectPage(layout, { query, where, derived: undefined, members: ['parent_group_id', 'state'] }),
    )
    const steps = plans.flat().map(({ detail }) => detail)
    expect(steps.join('; ')).not.toContain('TEMP B-TREE FOR ORDER BY')
    const last = steps.findLast(step => !step.startsWith('USE TEMP B-TREE FOR LAST TERM'))
    expect(last).toMatch(/^SEARCH taxonomy_workspaces USING (?:COVERING )?INDEX/)
    expect(last).toContain(by)
  })

  it.each([
    ['all', {}],
    ['those of some groups', { parent_group_id: [group, organisation] }],
  ])('%s are walked by id, without a sort for every page', async (_name, more) => {
    const plans = await explain(workspaces, layout => {
      const behind = { sql: '"_key" > ?', parameters: [group] }
      return [select(layout, all([...equalities(layout, { ...where, ...more }), behind]), 100)]
    })
    const steps = plans.flat().map(({ detail }) => detail)
    expect(steps.join('; ')).not.toContain('TEMP B-TREE FOR ORDER BY')
    expect(steps[0]).toContain('(organisation_id=? AND _key>?)')
  })

  it('that may be active are found without a full scan', async () => {
    const plans = await explain(workspaces, layout => {
      const found = { ...where, parent_group_id: [group, ''], state: ['TAXONOMY_LIFECYCLE_STATE_ACTIVE'] }
      const { sql, parameters } = all(equalities(layout, found))
      return [{ sql: `SELECT 1 FROM ${layout.table} WHERE ${sql} LIMIT 1`, parameters }]
    })
    expect(plans.flat()[0]?.detail).toContain('(organisation_id=? AND parent_group_id=? AND state=?)')
  })
})
