import { expect, it } from 'vitest'
import type { Transaction } from '../../../domain/ports/store.ts'
import { followings, newFollowing } from '../../../domain/taxonomy/cascade/following.ts'
import { archivals, groups, organisations, trees, workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { quotaOverrides } from '../../../domain/taxonomy/quotas/quota-overrides-store.ts'
import { createBuiltInQuotas } from '../../../domain/taxonomy/quotas/quotas.ts'
import { fixedMembers } from '../../../domain/taxonomy/quotas/quotas-built-in.ts'
import { quotas } from '../../../domain/taxonomy/quotas/quotas-store.ts'
import { quotaTotals, quotaUsages } from '../../../domain/taxonomy/quotas/usage.ts'
import { copy, leftStore, patch, remove, type Names } from './broken-store.ts'

const state = <Name extends string>(name: Name) => `TAXONOMY_LIFECYCLE_STATE_${name}` as const

const { active, archived, deleting, suspended } = {
  active: state('ACTIVE'),
  archived: state('ARCHIVED'),
  deleting: state('DELETING'),
  suspended: state('SUSPENDED'),
}

const left = await leftStore()

it('finds nothing in the store of a platform', async () => {
  expect(await (await left.copy()).findings()).toEqual([])
})

/** Returns the id of the row with the usage of `compute.vcpus` in the workspace `web`. */
const usageOf = ({ web }: Names): string => `compute.vcpus/${web}`
const totalOf = ({ acme }: Names): string => `compute.vcpus/${acme}`

/** Inserts groups whose names are their ids, and updates the group count of the organisation. */
async function addGroups(tx: Transaction, { acme, eng }: Names, added: readonly { id: string; parent: string }[]) {
  for (const { id, parent } of added) await copy(tx, groups, eng, { id, name: id, parent_group_id: parent })
  await patch(tx, trees, acme, { group_count: 2 + added.length })
}

const oneOf = `must be one of ${active}, ${suspended}, ${archived}`
const parentRule = 'parent_group_id must be the id of one of its groups, or empty for the organisation itself'

interface Case {
  readonly name: string
  readonly breaks: (tx: Transaction, names: Names) => Promise<unknown>
  readonly findings: readonly string[]
  /** The tables whose unique indexes would prevent the fault. */
  readonly without?: readonly string[]
}

const cases: readonly Case[] = [
  {
    name: 'a group under a group that is not there',
    breaks: (tx, { plat }) => patch(tx, groups, plat, { parent_group_id: 'gone' }),
    findings: [`taxonomy.groups plat: has the parent group gone, which organisation acme does not have; ${parentRule}`],
  },
  {
    name: 'a group under a group of another organisation',
    breaks: (tx, { plat, theirs }) => patch(tx, groups, plat, { parent_group_id: theirs }),
    findings: [
      `taxonomy.groups plat: has the parent group theirs, which organisation acme does not have; ${parentRule}`,
    ],
  },
  {
    name: 'a workspace under a group that is not there',
    breaks: (tx, { old }) => patch(tx, workspaces, old, { parent_group_id: 'gone' }),
    findings: [
      `taxonomy.workspaces old: has the parent group gone, which organisation acme does not have; ${parentRule}`,
    ],
  },
  {
    name: 'a group of an organisation that is not there',
    breaks: async (tx, { other, theirs }) => {
      await patch(tx, groups, theirs, { organisation_id: 'gone' })
      await patch(tx, trees, other, { group_count: 0 })
    },
    findings: [
      'taxonomy.groups theirs: belongs to organisation "gone", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a workspace of an organisation that is not there',
    breaks: async (tx, { acme, old }) => {
      await patch(tx, workspaces, old, { organisation_id: 'gone' })
      await patch(tx, followings, old, { organisation_id: 'gone' })
      await patch(tx, trees, acme, { workspace_count: 1 })
    },
    findings: [
      'taxonomy.workspaces old: belongs to organisation "gone", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a group below itself',
    breaks: (tx, { theirs }) => patch(tx, groups, theirs, { parent_group_id: theirs }),
    findings: [
      'taxonomy.groups theirs: is its own ancestor: theirs under theirs; one of these groups must have another parent',
    ],
  },
  {
    name: 'two groups below each other',
    breaks: (tx, { eng, plat }) => patch(tx, groups, eng, { parent_group_id: plat }),
    findings: [
      'taxonomy.groups eng: is its own ancestor: eng under plat under eng; one of these groups must have another parent',
      'taxonomy.quotaOverrides cap: limits GROUP eng, which does not exist; the override must be deleted too',
    ],
  },
  {
    name: 'groups that nest too deep',
    breaks: (tx, names) =>
      addGroups(
        tx,
        names,
        Array.from({ length: 9 }, (_, i) => ({ id: `d${i}`, parent: i === 0 ? names.plat : `d${i - 1}` })),
      ),
    findings: ['taxonomy.groups d8: is 11 levels deep; at most 10 are allowed'],
  },
  {
    name: 'too many groups under one group',
    breaks: (tx, names) =>
      addGroups(
        tx,
        names,
        Array.from({ length: 301 }, (_, i) => ({ id: `c${i}`, parent: names.plat })),
      ),
    findings: ['taxonomy.groups plat: has 301 child groups; at most 300 are allowed'],
  },
  {
    name: 'too many groups under an organisation',
    breaks: (tx, names) =>
      addGroups(
        tx,
        names,
        Array.from({ length: 300 }, (_, i) => ({ id: `c${i}`, parent: '' })),
      ),
    findings: ['taxonomy.organisations acme: has 301 child groups; at most 300 are allowed'],
  },
  {
    name: 'two groups of one name under one parent',
    without: ['taxonomy_groups'],
    breaks: async (tx, { acme, eng }) => {
      await copy(tx, groups, eng, { id: 'x' })
      await patch(tx, trees, acme, { group_count: 3 })
    },
    findings: ['taxonomy.groups x: has the name "eng" of group eng under the same parent; names must be unique there'],
  },
  {
    name: 'two workspaces of one name in one organisation',
    without: ['taxonomy_workspaces'],
    breaks: async (tx, { acme, eng, web }) => {
      await copy(tx, workspaces, web, { id: 'x', parent_group_id: eng })
      await patch(tx, trees, acme, { workspace_count: 3 })
    },
    findings: [
      'taxonomy.workspaces x: has the name "web" of workspace web of the same organisation; names must be unique there',
    ],
  },
  {
    name: 'two organisations of one name',
    without: ['taxonomy_organisations'],
    breaks: async (tx, { acme }) => {
      const effective_state_source = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: 'x' } as const
      await copy(tx, organisations, acme, { id: 'x', effective_state_source })
      await tx.insert(trees, { id: 'x', tree_version: 1, group_count: 0, workspace_count: 0 })
    },
    findings: ['taxonomy.organisations x: has the name "acme" of organisation acme; names must be unique'],
  },
  {
    name: 'an organisation without a tree',
    breaks: (tx, { other }) => remove(tx, trees, other),
    findings: ['taxonomy.trees other: is missing; every organisation has a row that its changes lock'],
  },
  {
    name: 'a tree without an organisation',
    breaks: tx => tx.insert(trees, { id: 'gone', tree_version: 1, group_count: 0, workspace_count: 0 }),
    findings: [
      'taxonomy.trees gone: belongs to organisation "gone", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a tree that counts wrong',
    breaks: (tx, { acme }) => patch(tx, trees, acme, { group_count: 5, workspace_count: 1 }),
    findings: [
      'taxonomy.trees acme: counts 5 groups; the organisation has 2',
      'taxonomy.trees acme: counts 1 workspaces; the organisation has 2',
    ],
  },
  {
    name: 'a usage of a workspace that is gone',
    breaks: (tx, names) => copy(tx, quotaUsages, usageOf(names), { id: 'compute.vcpus/gone', workspace_id: 'gone' }),
    findings: [
      'taxonomy.quotaUsages compute.vcpus/gone: belongs to workspace "gone", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a usage elsewhere than its workspace',
    breaks: (tx, names) =>
      patch(tx, quotaUsages, usageOf(names), { organisation_id: names.other, parent_group_id: '' }),
    findings: [
      'taxonomy.quotaUsages compute.vcpus/web: has the organisation_id "other"; by workspace web it must be "acme"',
      'taxonomy.quotaUsages compute.vcpus/web: has the parent_group_id ""; by workspace web it must be "plat"',
    ],
  },
  {
    name: 'a usage of another id than its own',
    breaks: async (tx, names) => {
      await copy(tx, quotaUsages, usageOf(names), { id: 'x' })
      await remove(tx, quotaUsages, usageOf(names))
    },
    findings: ['taxonomy.quotaUsages x: has the id "x"; by workspace web it must be "compute.vcpus/web"'],
  },
  {
    name: 'a usage below nothing',
    breaks: async (tx, names) => {
      await patch(tx, quotaUsages, usageOf(names), { amount: -3 })
      await patch(tx, quotaTotals, totalOf(names), { amount: -3 })
    },
    findings: ['taxonomy.quotaUsages compute.vcpus/web: holds -3; it must be a whole number from 0'],
  },
  {
    name: 'usage and total of a quota that is not there',
    breaks: async (tx, names) => {
      const { acme, web } = names
      await copy(tx, quotaUsages, usageOf(names), { id: `x/${web}`, quota_id: 'x' })
      await copy(tx, quotaTotals, totalOf(names), { id: `x/${acme}`, quota_id: 'x' })
    },
    findings: [
      'taxonomy.quotaTotals x/acme: belongs to quota "x", which does not exist; the row must be deleted too',
      'taxonomy.quotaUsages x/web: belongs to quota "x", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a total that is not the sum',
    breaks: (tx, names) => patch(tx, quotaTotals, totalOf(names), { amount: 9 }),
    findings: ['taxonomy.quotaTotals compute.vcpus/acme: holds 9; the workspaces of the organisation use 2'],
  },
  {
    name: 'a sum without a total',
    breaks: (tx, names) => remove(tx, quotaTotals, totalOf(names)),
    findings: ['taxonomy.quotaTotals compute.vcpus/acme: is missing; the workspaces of the organisation use 2'],
  },
  {
    name: 'a total of another id than its own',
    breaks: async (tx, names) => {
      await copy(tx, quotaTotals, totalOf(names), { id: 'x' })
      await remove(tx, quotaTotals, totalOf(names))
    },
    findings: ['taxonomy.quotaTotals x: has the id of another total; it must be "compute.vcpus/acme"'],
  },
  {
    name: 'a total of an organisation that is gone',
    breaks: (tx, names) => copy(tx, quotaTotals, totalOf(names), { id: 'compute.vcpus/gone', organisation_id: 'gone' }),
    findings: [
      'taxonomy.quotaTotals compute.vcpus/gone: belongs to organisation "gone", which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'an override at a group that is gone',
    breaks: (tx, { cap }) => patch(tx, quotaOverrides, cap, { scope_id: 'gone' }),
    findings: [
      'taxonomy.quotaOverrides cap: limits GROUP gone, which does not exist; the override must be deleted too',
    ],
  },
  {
    name: 'an override of a quota that is not there',
    breaks: (tx, { cap }) => patch(tx, quotaOverrides, cap, { quota_id: 'x' }),
    findings: ['taxonomy.quotaOverrides cap: is of quota "x", which does not exist'],
  },
  {
    name: 'an override of a quota that a workspace cannot use',
    breaks: (tx, { cap, web }) =>
      patch(tx, quotaOverrides, cap, {
        quota_id: 'taxonomy.groups',
        scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE',
        scope_id: web,
      }),
    findings: [
      'taxonomy.quotaOverrides cap: limits taxonomy.groups at WORKSPACE web; a workspace has no nodes to count',
    ],
  },
  {
    name: 'an override with an invalid limit',
    breaks: (tx, { cap }) => patch(tx, quotaOverrides, cap, { limit: -2 }),
    findings: ['taxonomy.quotaOverrides cap: has the limit -2; it must be a whole number from -1'],
  },
  {
    name: 'two overrides of one quota at one node',
    without: ['taxonomy_quota_overrides'],
    breaks: (tx, { cap }) => copy(tx, quotaOverrides, cap, { id: 'x' }),
    findings: ['taxonomy.quotaOverrides x: has the same quota and node as override cap: compute.vcpus at GROUP eng'],
  },
  {
    name: 'a quota that is missing, once',
    breaks: tx => remove(tx, quotas, 'compute.vcpus'),
    findings: [
      'taxonomy.quotas compute.vcpus: is missing; the quota is built in, and the next start of a server creates it again',
    ],
  },
  ...fixedMembers.map((member): Case => ({
    name: `a quota with another ${member} than it is built in with`,
    breaks: tx => patch(tx, quotas, 'storage.bytes', { [member]: 'x' }),
    findings: [
      expect.stringMatching(
        new RegExp(
          `^taxonomy\\.quotas storage\\.bytes: has the ${member} "x"; it is built in with "[A-Z].+", and the next`,
        ),
      ),
    ],
  })),
  {
    name: 'a quota that is not built in',
    breaks: tx => copy(tx, quotas, 'compute.vms', { id: 'x' }),
    findings: ['taxonomy.quotas x: is not built in; only built-in quotas may exist'],
  },
  {
    name: 'a quota with an invalid default limit',
    breaks: tx => patch(tx, quotas, 'compute.vms', { default_limit: -2 }),
    findings: ['taxonomy.quotas compute.vms: has the default limit -2; it must be a whole number from -1'],
  },
  {
    name: 'an archived node that cannot be restored',
    breaks: (tx, { old }) => remove(tx, archivals, old),
    findings: ['taxonomy.workspaces old: is archived, but has no former state to which a restoration could lead'],
  },
  {
    name: 'a state kept for nodes that are not archived',
    breaks: async (tx, { acme, eng, web }) => {
      for (const id of [acme, eng, web]) await tx.insert(archivals, { id, state: active })
    },
    findings: [
      `taxonomy.archivals acme: keeps a state for organisation acme, which is ${active}; only archived nodes are restored`,
      `taxonomy.archivals eng: keeps a state for group eng, which is ${active}; only archived nodes are restored`,
      `taxonomy.archivals web: keeps a state for workspace web, which is ${active}; only archived nodes are restored`,
    ],
  },
  {
    name: 'a state kept for a node that is gone',
    breaks: tx => tx.insert(archivals, { id: 'gone', state: active }),
    findings: ['taxonomy.archivals gone: belongs to node "gone", which does not exist; the row must be deleted too'],
  },
  {
    name: 'a node that would be restored to the archive',
    breaks: (tx, { old }) => patch(tx, archivals, old, { state: archived }),
    findings: [
      `taxonomy.archivals old: would restore workspace old to ${archived}; it must be ${active} or ${suspended}`,
    ],
  },
  {
    name: 'a group in a state that groups do not have',
    breaks: (tx, { theirs }) => patch(tx, groups, theirs, { state: deleting }),
    findings: [`taxonomy.groups theirs: has the state ${deleting}; it ${oneOf}`],
  },
  {
    name: 'an organisation with another effective state than its own',
    breaks: (tx, { other }) => patch(tx, organisations, other, { effective_state: suspended }),
    findings: [
      `taxonomy.organisations other: has the effective state ${suspended} through other; an organisation has no parent, so the effective state must be ${active} through itself`,
    ],
  },
  {
    name: 'a following whose work does not exist',
    breaks: (tx, { old }) => patch(tx, followings, old, { work: 'w' }),
    findings: ['taxonomy.followings old: names the work w, which does not exist'],
  },
  {
    name: 'a following of a workspace that is gone',
    breaks: (tx, { acme }) => tx.insert(followings, newFollowing('gone', acme, '')),
    findings: [
      'taxonomy.followings gone: belongs to workspace gone, which does not exist; the row must be deleted too',
    ],
  },
  {
    name: 'a following in another organisation than its workspace',
    breaks: (tx, { old, other }) => patch(tx, followings, old, { organisation_id: other }),
    findings: ['taxonomy.followings old: has the organisation_id "other"; by its workspace it must be "acme"'],
  },
  {
    name: 'a state that no area has followed or will follow',
    breaks: (tx, { eng }) => patch(tx, groups, eng, { state: suspended }),
    findings: [
      `taxonomy.workspaces web: is effectively ${suspended}, but the areas have applied ${active}, and no work applies the effective state`,
    ],
  },
  {
    name: 'a workspace that no work is deleting',
    breaks: (tx, { old }) => patch(tx, workspaces, old, { state: deleting }),
    findings: ['taxonomy.workspaces old: is being deleted, but no work purges it'],
  },
]

it.each(cases)('finds $name', async ({ breaks, findings, without = [] }) => {
  const store = await left.copy()
  await store.change(tx => breaks(tx, left.names), ...without)
  expect(await store.findings()).toEqual(findings)
})

it('finds nothing in quotas that a start has repaired, and all their limits remain', async () => {
  const store = await left.copy()
  await store.change(async tx => {
    await patch(tx, quotas, 'compute.vms', { description: 'x', default_limit: 7 })
    await patch(tx, quotas, 'compute.vcpus', { default_limit: 8 })
    await remove(tx, quotas, 'storage.bytes')
  })
  expect(await store.findings()).toHaveLength(2)
  await store.change(tx => createBuiltInQuotas(tx, 0))
  expect(await store.findings()).toEqual([])
  await store.change(async tx => {
    expect((await tx.get(quotas, 'compute.vms'))?.value.default_limit).toBe(7)
    expect((await tx.get(quotas, 'compute.vcpus'))?.value.default_limit).toBe(8)
  })
})

it('a damaged quota does not prevent the start, and keeps its readable limits', async () => {
  const store = await left.copy()
  await store.sql(`UPDATE taxonomy_quotas SET _body = '{"default_limit":7' WHERE _key = 'compute.vms'`)
  await store.change(tx => createBuiltInQuotas(tx, 0))
  expect(await store.findings()).toEqual([
    expect.stringMatching(/^taxonomy_quotas compute\.vms: has a damaged document/),
  ])
})
