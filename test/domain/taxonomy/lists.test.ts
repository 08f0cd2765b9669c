import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupsList, organisationsList, workspacesList } from '../../../output/taxonomy/filters.ts'
import { checkFilter } from '../../../runtime/filter/check.ts'
import { matches } from '../../../runtime/filter/evaluate.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { checkOrder, compareRows } from '../../../runtime/ordering.ts'
import { Faults } from '../../../runtime/validation.ts'
import { answerChecks } from '../../answer-check.ts'
import { filterTexts, orderTexts } from './list-queries.ts'
import { treePlatform, TreeMaker } from './platform.ts'
import { randomTree } from './listed-tree.ts'

// Every purge fails, so that a forcibly deleted node stays DELETING.
const platform = await treePlatform({ purge: () => Promise.reject(new Error('not now')) })
const { client } = platform
const checks = await answerChecks('taxonomy', 'Group', 'Organisation', 'Workspace')

interface Row {
  readonly id: string
  readonly name: string
}

interface Asked {
  readonly filter?: string
  readonly order_by?: string
  readonly page_size?: number
  readonly page_token?: string
}

/** A list of nodes: organisations, groups or workspaces. */
interface List {
  readonly title: string
  readonly fields: ListFields
  page(asked: Asked): Promise<{ readonly rows: readonly Row[]; readonly next: string }>
  readonly check: (value: unknown, faults: Faults) => boolean
  readonly path: string
}

function listsOf(title: string, organisation: string): readonly [groups: List, workspaces: List] {
  return [
    {
      title: `groups of ${title}`,
      fields: groupsList,
      async page(asked) {
        const { groups: rows, next_page_token: next } = await client.listGroups({ organisation, ...asked })
        return { rows, next }
      },
      check: checks.Group,
      path: `organisations/${organisation}/groups`,
    },
    {
      title: `workspaces of ${title}`,
      fields: workspacesList,
      async page(asked) {
        const { workspaces: rows, next_page_token: next } = await client.listWorkspaces({ organisation, ...asked })
        return { rows, next }
      },
      check: checks.Workspace,
      path: `organisations/${organisation}/workspaces`,
    },
  ]
}

const organisations: List = {
  title: 'organisations',
  fields: organisationsList,
  async page(asked) {
    const { organisations: rows, next_page_token: next } = await client.listOrganisations(asked)
    return { rows, next }
  },
  check: checks.Organisation,
  path: 'organisations',
}

const treeIds: string[] = []
for (const seed of [1, 2, 3]) treeIds.push(await randomTree(client, `random-${seed}`, seed))
const [one = '', two = '', archivedOne = ''] = treeIds
await client.suspendOrganisation({ id: two, body: {} })
await client.archiveOrganisation({ id: archivedOne, body: { reason: 'over' } })
await deleteSome(archivedOne)

const lists: readonly List[] = [
  organisations,
  ...listsOf('a tree', one),
  ...listsOf('a suspended one', two),
  ...listsOf('an archived one', archivedOne),
]

/** Deletes the first three workspaces of an archived organisation by force. */
async function deleteSome(organisation: string): Promise<void> {
  const { workspaces } = await client.listWorkspaces({ organisation, page_size: 3 })
  for (const { id } of workspaces) await client.deleteWorkspace({ organisation, id, force: true })
}

async function walk(list: List, asked: Asked = {}): Promise<readonly Row[]> {
  const rows: Row[] = []
  let page_token = ''
  do {
    const page = await list.page({ ...asked, page_token })
    rows.push(...page.rows)
    page_token = page.next
  } while (page_token !== '')
  return rows
}

const namesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ name }) => name)

describe.each(lists)('the list of $title', list => {
  it('shows the rows that any filter over its fields matches, inherited fields included', async () => {
    const rows = await walk(list)
    expect(rows.length).toBeGreaterThan(2)
    await fc.assert(
      fc.asyncProperty(filterTexts(list.fields, rows), async filter => {
        const wanted = checkFilter(filter, list.fields)
        const expected = rows.filter(row => wanted === undefined || matches(wanted, row))
        expect(namesOf(await walk(list, { filter, page_size: 100 }))).toEqual(namesOf(expected))
      }),
      { numRuns: 120 },
    )
  })

  it('walked by any order shows each row once, in that order', async () => {
    const rows = await walk(list)
    await fc.assert(
      fc.asyncProperty(orderTexts(list.fields), fc.integer({ min: 2, max: 20 }), async (order_by, page_size) => {
        const order = checkOrder(order_by, list.fields)
        const expected = [...rows].sort((a, b) => compareRows(order, a, b))
        expect(namesOf(await walk(list, { order_by, page_size }))).toEqual(namesOf(expected))
      }),
      { numRuns: 25 },
    )
  })

  it.each(list.fields.fields.filter(({ sortable }) => sortable).map(({ name }) => name))(
    'is sorted by %s in both directions, even if a filter excludes rows',
    async name => {
      const filter = 'NOT effective_state = TAXONOMY_LIFECYCLE_STATE_ACTIVE OR name:"*1*"'
      const wanted = checkFilter(filter, list.fields)
      const rows = (await walk(list)).filter(row => wanted && matches(wanted, row))
      for (const direction of ['asc', 'desc']) {
        const order_by = `${name} ${direction}`
        const order = checkOrder(order_by, list.fields)
        const expected = [...rows].sort((a, b) => compareRows(order, a, b))
        expect(namesOf(await walk(list, { order_by, filter, page_size: 3 }))).toEqual(namesOf(expected))
      }
    },
  )

  it('returns exactly the members of the schema, each once', async () => {
    const text = await platform.get(`${list.path}?page_size=100`)
    const answer: Readonly<Record<string, readonly unknown[]>> = JSON.parse(text)
    expect(JSON.stringify(answer)).toBe(text)
    const [rows = []] = Object.values(answer)
    expect(rows.length).toBeGreaterThan(2)
    for (const row of rows) {
      const faults = new Faults()
      expect([list.check(row, faults), faults.list]).toEqual([true, []])
    }
  })

  it('returns each row as the get of the row returns it', async () => {
    for (const { id, ...rest } of await walk(list)) {
      const alone: unknown = JSON.parse(await platform.get(`${list.path}/${id}`))
      expect(alone).toEqual({ id, ...rest })
    }
  })
})

it('the compared lists have states of all kinds', async () => {
  const found = new Set<string>()
  for (const organisation of treeIds) {
    for await (const row of client.iterateWorkspaces({ organisation })) found.add(`${row.state} ${row.effective_state}`)
  }
  const short = [...found].map(pair => pair.replaceAll('TAXONOMY_LIFECYCLE_STATE_', '')).sort()
  expect(short).toEqual([
    'ACTIVE ACTIVE',
    'ACTIVE ARCHIVED',
    'ACTIVE SUSPENDED',
    'ARCHIVED ARCHIVED',
    'DELETING DELETING',
    'SUSPENDED ARCHIVED',
    'SUSPENDED SUSPENDED',
  ])
})

describe('a filter by ancestor', async () => {
  const tree = await TreeMaker.make(client, 'ancestry')
  const { organisation } = tree
  const top = await tree.group('top')
  const middle = await tree.group('middle', top)
  const beside = await tree.group('beside')
  await tree.workspace('at-root')
  await tree.workspace('at-top', top)
  await tree.workspace('at-middle', middle)
  await tree.workspace('at-beside', beside)
  const [groups, workspaces] = listsOf('ancestry', organisation)

  it.each([
    ['the organisation', organisation, ['beside', 'middle', 'top'], ['at-beside', 'at-middle', 'at-root', 'at-top']],
    ['a group', top, ['middle'], ['at-middle', 'at-top']],
    ['a group without groups', middle, [], ['at-middle']],
    ['a group of another organisation', one, [], []],
    ['an id that nothing has', '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', [], []],
    ['a text that is not an id', `it's "none"`, [], []],
    ['the empty text', '', [], []],
    ['__proto__', '__proto__', [], []],
  ])('finds all nodes anywhere below %s', async (_, id, expectedGroups, expectedWorkspaces) => {
    const filter = `ancestors.id:${JSON.stringify(id)}`
    expect(namesOf(await walk(groups, { filter }))).toEqual(expectedGroups)
    expect(namesOf(await walk(workspaces, { filter }))).toEqual(expectedWorkspaces)
  })

  it('excludes nodes with NOT, and combines with other conditions', async () => {
    const below = `ancestors.id:"${top}"`
    expect(namesOf(await walk(workspaces, { filter: `NOT ${below}` }))).toEqual(['at-beside', 'at-root'])
    expect(namesOf(await walk(workspaces, { filter: `${below} AND name = "at-top"` }))).toEqual(['at-top'])
    expect(namesOf(await walk(workspaces, { filter: `${below} OR name = "at-root"` }))).toHaveLength(3)
    expect(namesOf(await walk(workspaces, { filter: `${below} AND ancestors.id:"${middle}"` }))).toEqual(['at-middle'])
  })

  it('uses the new place of a node immediately after a move', async () => {
    const filter = `ancestors.id:"${beside}"`
    expect(namesOf(await walk(groups, { filter }))).toEqual([])
    await client.moveGroup({ organisation, id: middle, body: { parent_group_id: beside } })
    expect(namesOf(await walk(groups, { filter }))).toEqual(['middle'])
    expect(namesOf(await walk(workspaces, { filter }))).toEqual(['at-beside', 'at-middle'])
    await client.moveGroup({ organisation, id: middle, body: { parent_group_id: top } })
    expect(namesOf(await walk(groups, { filter }))).toEqual([])
  })
})

describe('a page token', () => {
  it('is valid only for the organisation of its list', async () => {
    for (const kind of ['listGroups', 'listWorkspaces'] as const) {
      const { next_page_token: page_token } = await client[kind]({ organisation: one, page_size: 2 })
      expect(page_token).not.toBe('')
      await expect(client[kind]({ organisation: two, page_size: 2, page_token })).rejects.toMatchObject({
        reason: 'PAGE_TOKEN_INVALID',
      })
      await expect(client[kind]({ organisation: one, page_size: 2, page_token })).resolves.toBeDefined()
    }
  })

  it('is valid only for its filter and order, inherited fields included', async () => {
    const filter = 'effective_state = TAXONOMY_LIFECYCLE_STATE_SUSPENDED'
    const asked = { organisation: two, page_size: 2, filter, order_by: 'effective_state' }
    const { next_page_token: page_token } = await client.listWorkspaces(asked)
    await expect(client.listWorkspaces({ ...asked, page_token })).resolves.toBeDefined()
    for (const other of [{ filter: '' }, { order_by: 'effective_state desc' }, { order_by: '' }]) {
      await expect(client.listWorkspaces({ ...asked, ...other, page_token })).rejects.toMatchObject({
        reason: 'PAGE_TOKEN_INVALID',
      })
    }
  })

  it('continues at its position after changes of the tree', async () => {
    const tree = await TreeMaker.make(client, 'walked')
    const { organisation } = tree
    const top = await tree.group('top')
    for (const name of ['a', 'b', 'c', 'd']) await tree.workspace(name, top)
    const [, list] = listsOf('walked', organisation)
    const asked = { filter: `ancestors.id:"${top}"`, page_size: 2 }
    const first = await list.page(asked)
    const { resource_id: late } = await client.createWorkspace({
      organisation,
      body: { name: 'aa', parent_group_id: top },
    })
    await tree.workspace('e', top)
    const second = await list.page({ ...asked, page_token: first.next })
    const third = await list.page({ ...asked, page_token: second.next })
    expect([first, second, third].flatMap(({ rows }) => namesOf(rows))).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await client.getWorkspace({ organisation, id: late })).toMatchObject({ parent_group_id: top })
  })
})

describe('a read of a tree', () => {
  it('shows the present tree, whatever was read before', async () => {
    const tree = await TreeMaker.make(client, 'changing')
    const { organisation } = tree
    const top = await tree.group('top')
    const web = await tree.workspace('web', top)
    const seen = async () => {
      const [{ workspaces }, { groups }, alone] = await Promise.all([
        client.listWorkspaces({ organisation, filter: 'effective_state:*' }),
        client.listGroups({ organisation }),
        client.getWorkspace({ organisation, id: web }),
      ])
      expect(workspaces).toEqual([alone])
      const { ancestors, effective_state } = alone
      const counts = groups.map(({ name, group_count, workspace_count }) => [name, group_count, workspace_count])
      return { state: effective_state.slice(25), above: ancestors.map(({ name }) => name), counts }
    }
    const under = (parent_group_id: string) =>
      client.moveWorkspace({ organisation, id: web, body: { parent_group_id } })
    expect(await seen()).toEqual({ state: 'ACTIVE', above: ['changing', 'top'], counts: [['top', 0, 1]] })
    await client.suspendGroup({ organisation, id: top, body: {} })
    expect((await seen()).state).toBe('SUSPENDED')
    await client.resumeGroup({ organisation, id: top, body: {} })
    expect((await seen()).state).toBe('ACTIVE')
    const low = await tree.group('low', top)
    await under(low)
    const counts = [
      ['low', 0, 1],
      ['top', 1, 1],
    ]
    expect(await seen()).toEqual({ state: 'ACTIVE', above: ['changing', 'top', 'low'], counts })
    await client.moveGroup({ organisation, id: low, body: { parent_group_id: '' } })
    expect((await seen()).above).toEqual(['changing', 'low'])
    await client.archiveOrganisation({ id: organisation, body: {} })
    expect((await seen()).state).toBe('ARCHIVED')
  })

  it('is refused for an unknown organisation', async () => {
    const organisation = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
    const filter = 'effective_state:*'
    await expect(client.listWorkspaces({ organisation, filter })).rejects.toMatchObject({
      reason: 'ORGANISATION_NOT_FOUND',
    })
    await expect(client.listGroups({ organisation })).rejects.toMatchObject({ reason: 'ORGANISATION_NOT_FOUND' })
    await expect(client.getGroup({ organisation, id: organisation })).rejects.toMatchObject({
      reason: 'ORGANISATION_NOT_FOUND',
    })
  })

  it('is refused after the end of the organisation', async () => {
    const { organisation } = await TreeMaker.make(client, 'passing')
    expect((await client.listGroups({ organisation })).groups).toEqual([])
    await client.archiveOrganisation({ id: organisation, body: {} })
    await client.deleteOrganisation({ id: organisation })
    const gone = { reason: 'ORGANISATION_NOT_FOUND' }
    await expect(client.listGroups({ organisation })).rejects.toMatchObject(gone)
    await expect(client.getGroup({ organisation, id: organisation })).rejects.toMatchObject(gone)
    await expect(client.getWorkspace({ organisation, id: organisation })).rejects.toMatchObject(gone)
  })
})
