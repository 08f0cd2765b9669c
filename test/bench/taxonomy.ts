import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { trees } from '../../domain/taxonomy/tree/nodes.ts'
import { workspacesList } from '../../output/taxonomy/filters.ts'
import type { ListContext } from '../../runtime/context.ts'
import { checkFilter } from '../../runtime/filter/check.ts'
import { checkOrder } from '../../runtime/ordering.ts'
import type { SortKey } from '../../runtime/filter/types.ts'
import { callContext } from '../call-context.ts'
import type { Group } from './measuring/in-process.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { treePlatform, type TreePlatform } from './measuring/tree-platform.ts'

/**
 * This program prints CPU times over a tree of 100,000 workspaces: lists compared with the bare statement for the same
 * rows, reads that depend on the tree compared with the same reads over 1,000 workspaces, and mutations compared with
 * an empty tree.
 */

const large = await treePlatform({ groups: 300, workspaces: 100_000 })
const small = await treePlatform({ groups: 300, workspaces: 1000 })
try {
  await print(...pageGroups(await middleOf(large)), readGroup())
  for (const [title, run] of treeReads()) {
    const contenders = [small, large].map((platform, i) =>
      once(`of ${i === 0 ? '1,000' : '100,000'} workspaces`, run(platform)),
    )
    await print({ title, contenders })
  }
  await print(mutationGroup())
} finally {
  await large.close()
  await small.close()
}

function once(name: string, run: () => unknown): Contender {
  return { name, run, units: 1 }
}

async function print(...groups: readonly Group[]): Promise<void> {
  for (const { title, contenders } of groups) {
    const times = await measure(contenders)
    printGroup(
      title,
      contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
    )
  }
}

function context(filter: string, order: string, size: number, after?: readonly SortKey[]): ListContext {
  const query = { size, filter: checkFilter(filter, workspacesList), order: checkOrder(order, workspacesList), after }
  return { ...callContext(), query: { ...query, now: 0 } }
}

/** Returns the sort keys, a name and an id, of a workspace in the middle of the default order. */
async function middleOf({ bare, organisation }: TreePlatform): Promise<readonly SortKey[]> {
  const sql = 'SELECT name, _key FROM taxonomy_workspaces WHERE organisation_id = ? ORDER BY name LIMIT 1 OFFSET 50000'
  const row: unknown = bare.prepare(sql).get(organisation)
  return Array.isArray(row) ? row : []
}

/**
 * Returns the contenders that read a page of workspaces by an index; the bare statement reads the columns of the
 * response.
 */
function pageGroups(middle: readonly SortKey[]): readonly Group[] {
  const { groups, organisation } = large
  const suspended = 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED'
  const parent = groups[5] ?? ''
  const asked = [
    { title: 'the first page', where: '', parameters: [], filter: '', query: '' },
    {
      title: 'a page in the middle',
      where: 'AND name > ?',
      parameters: [String(middle[0])],
      filter: '',
      after: middle,
    },
    {
      title: 'the first page of a parent',
      where: 'AND parent_group_id = ?',
      parameters: [parent],
      filter: `parent_group_id = "${parent}"`,
    },
    {
      title: 'the first page of a state',
      where: 'AND state = ?',
      parameters: [suspended],
      filter: `state=${suspended}`,
    },
  ]
  return asked.flatMap(({ title, where, parameters, filter, after }) =>
    [20, 100].map(size => ({
      title: `${title}, ${size} workspaces`,
      contenders: [
        once('the bare statement', bareRead(where, parameters, size)),
        once('listWorkspaces', listing(large, filter, '', size, after)),
        ...(after
          ? []
          : [once('a whole call', calling(`workspaces?page_size=${size}&filter=${encodeURIComponent(filter)}`))]),
      ],
    })),
  )

  function bareRead(where: string, parameters: readonly string[], size: number): () => unknown {
    const sql =
      'SELECT _key, _version, _body, parent_group_id, state FROM taxonomy_workspaces ' +
      `WHERE organisation_id = ? ${where} ORDER BY name, _key LIMIT ${size + 1}`
    const statement = large.bare.prepare(sql)
    return () => statement.all(organisation, ...parameters)
  }
}

function listing(
  { handlers, organisation }: TreePlatform,
  filter: string,
  order: string,
  size: number,
  after?: readonly SortKey[],
): () => unknown {
  const given = context(filter, order, size, after)
  return () => handlers.workspaces.listWorkspaces({ organisation }, given)
}

function calling(path: string): () => unknown {
  return () => large.call('GET', `/taxonomy/v1/organisations/${large.organisation}/${path}`)
}

/** Returns the contenders that read one workspace. */
function readGroup(): Group {
  const { bare, handlers, organisation } = large
  const id = someWorkspace(large)
  const statement = bare.prepare('SELECT _key, _version, _body FROM taxonomy_workspaces WHERE _key = ?')
  const given = context('', '', 20)
  return {
    title: 'a workspace',
    contenders: [
      once('the bare statement', () => statement.get(id)),
      once('getWorkspace', () => handlers.workspaces.getWorkspace({ organisation, id }, given)),
      once('a whole call', calling(`workspaces/${id}`)),
    ],
  }
}

/** Returns the id of a workspace at depth ten. */
function someWorkspace({ bare, groups, organisation }: TreePlatform): string {
  const sql = 'SELECT _key FROM taxonomy_workspaces WHERE organisation_id = ? AND parent_group_id = ? LIMIT 1'
  const row: unknown = bare.prepare(sql).get(organisation, groups[9] ?? '')
  return Array.isArray(row) ? String(row[0]) : ''
}

type Read = (platform: TreePlatform) => () => unknown

/**
 * Returns reads of the tree, most of which depend on ancestors or descendants; the cost of a read must not grow with
 * the number of workspaces.
 */
function treeReads(): readonly (readonly [title: string, run: Read])[] {
  const state = (name: string): string => `effective_state = TAXONOMY_LIFECYCLE_STATE_${name}`
  const list =
    (filter: string, order = ''): Read =>
    platform =>
      listing(platform, filter, order, 20)
  return [
    ['requireActive', requireActive],
    ['getWorkspace', getWorkspace],
    ['a page by the default order', list('')],
    ['a page of those effectively ACTIVE', list(state('ACTIVE'))],
    ['a page of those effectively SUSPENDED', list(state('SUSPENDED'))],
    ['a page of those effectively DELETING, of which there are none', list(state('DELETING'))],
    ['a page by effective state', list('', 'effective_state')],
    ['a page by effective state, the strictest first', list('', 'effective_state desc')],
    ['a page of those below a group', platform => list(`ancestors.id:"${platform.groups[5]}"`)(platform)],
    ['getEffectiveQuota of a workspace', effectiveQuota],
    ['a page of groups with their counts', groupsPage],
  ]
}

function requireActive(platform: TreePlatform): () => unknown {
  const id = someWorkspace(platform)
  return () => platform.store.tx(tx => taxonomyFunctions.requireActive(tx, id))
}

function getWorkspace(platform: TreePlatform): () => unknown {
  const { handlers, organisation } = platform
  const id = someWorkspace(platform)
  const given = context('', '', 20)
  return () => handlers.workspaces.getWorkspace({ organisation, id }, given)
}

function effectiveQuota(platform: TreePlatform): () => unknown {
  const { handlers, organisation } = platform
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: someWorkspace(platform) } as const
  return () => handlers.effectiveQuotas.getEffectiveQuota({ organisation, id: 'compute.vcpus', ...scope })
}

function groupsPage({ handlers, organisation }: TreePlatform): () => unknown {
  const given = context('', '', 20)
  return () => handlers.groups.listGroups({ organisation }, given)
}

/**
 * Returns the contenders that change the tree by whole calls, and for comparison a transaction that changes one row.
 * Each figure includes the CPU time of the commit, but not the wait for the disk.
 */
function mutationGroup(): Group {
  const { groups, organisation, store } = large
  const base = `/taxonomy/v1/organisations/${organisation}`
  const verbs = async (node: string): Promise<void> => {
    for (const verb of ['suspend', 'resume']) await large.call('POST', `${node}:${verb}`, {})
  }
  let made = 0
  return {
    title: 'a mutation',
    contenders: [
      once('a transaction that changes one row', () =>
        store.tx(async tx => {
          const tree = await tx.get(trees, organisation)
          if (tree) await tx.update(trees, organisation, tree.value, tree.version)
        }),
      ),
      once('createWorkspace', () =>
        large.call('POST', `${base}/workspaces`, { name: `made-${(made += 1)}`, parent_group_id: groups[5] }),
      ),
      { ...once('suspend or resume a group at the top', () => verbs(`${base}/groups/${groups[0]}`)), units: 2 },
      { ...once('suspend or resume the organisation', () => verbs(base)), units: 2 },
    ],
  }
}
