import { expect } from 'vitest'
import { thingOutcomeOf, type Arena } from '../arena.ts'
import { TreeMaker, type Caller } from '../platform.ts'
import { atOnce, declareRaces, tally } from './racing.ts'
import { outcomeOf } from '../../outcomes.ts'

await declareRaces({
  'workspaces under one limit consume exactly the available amount': async (arena, name) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    const group = await tree.group('g')
    const inner = await tree.group('inner', group)
    const workspaces = [await tree.workspace('a', group), await tree.workspace('b', inner)]
    const limit = await limitAt(arena, 'compute.vcpus', group)
    const race = async (round: number) => {
      const usage = 6 * round
      await limit.set(usage + 8)
      const takes = [...workspaces, ...workspaces].map(
        workspace => (caller: Caller) => thingOutcomeOf(caller.addThing(workspace, { vcpus: 3 })),
      )
      expect(tally(await atOnce(arena, round, ...takes))).toEqual({ OK: 2, QUOTA_EXCEEDED: 2 })
      expect(await limit.usage()).toBe(usage + 6)
    }
    return { organisation, round: race }
  },

  'of workspaces and groups that are made under one limit as many are as fit': async (arena, name) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    const group = await tree.group('g')
    const limits = [
      await limitAt(arena, 'taxonomy.workspaces', group),
      await limitAt(arena, 'taxonomy.groups', group),
    ] as const
    const race = async (round: number) => {
      for (const limit of limits) await limit.set(round + 1)
      const makes = ['a', 'b', 'c'].flatMap(each => {
        const body = { name: `${each}-${round}`, parent_group_id: group }
        return [
          ({ client }: Caller) => outcomeOf(client.createWorkspace({ organisation, body })),
          ({ client }: Caller) => outcomeOf(client.createGroup({ organisation, body })),
        ]
      })
      const outcomes = await atOnce(arena, round, ...makes)
      for (const [i, limit] of limits.entries()) {
        const made = outcomes.filter((_, place) => place % 2 === i)
        expect(tally(made)).toEqual({ OK: 1, QUOTA_EXCEEDED: 2 })
        expect(await limit.usage()).toBe(round + 1)
      }
    }
    return { organisation, round: race }
  },

  'moves into a group with limits succeed as far as there is room': async (arena, name) => {
    const { one } = arena
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    const capped = await tree.group('capped')
    const nodes: { readonly id: string; readonly isGroup: boolean }[] = []
    for (const each of ['a', 'b', 'c']) {
      const workspace = await tree.workspace(each)
      const group = await tree.group(each)
      nodes.push({ id: workspace, isGroup: false }, { id: group, isGroup: true })
      for (const id of [workspace, await tree.workspace(`in-${each}`, group)]) await one.addThing(id, { vcpus: 2 })
    }
    const limit = await limitAt(arena, 'compute.vcpus', capped)
    await limit.set(5)
    const move =
      ({ id, isGroup }: (typeof nodes)[number], parent_group_id: string) =>
      (caller: Caller) => {
        const request = { organisation, id, body: { parent_group_id } }
        return outcomeOf(isGroup ? caller.client.moveGroup(request) : caller.client.moveWorkspace(request))
      }
    const race = async (round: number) => {
      const outcomes = await atOnce(arena, round, ...nodes.map(node => move(node, capped)))
      expect(tally(outcomes)).toEqual({ OK: 2, QUOTA_EXCEEDED: 4 })
      expect(await limit.usage()).toBe(4)
      for (const [i, node] of nodes.entries()) if (outcomes[i] === 'OK') expect(await move(node, '')(one)).toBe('OK')
    }
    return { organisation, round: race }
  },

  'a workspace that consumes a quota and moves under a limit does one of both': async (arena, name) => {
    const { one } = arena
    await one.client.updateQuota({ id: 'taxonomy.workspaces', body: unlimited })
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    const parent_group_id = await tree.group('capped')
    const limit = await limitAt(arena, 'compute.vcpus', parent_group_id)
    await limit.set(2)
    const race = async (round: number) => {
      const id = await tree.workspace(`w-${round}`)
      const outcomes = await atOnce(
        arena,
        round,
        caller => thingOutcomeOf(caller.addThing(id, { vcpus: 3 })),
        ({ client }) => outcomeOf(client.moveWorkspace({ organisation, id, body: { parent_group_id } })),
      )
      expect(tally(outcomes)).toEqual({ OK: 1, QUOTA_EXCEEDED: 1 })
      expect(await limit.usage()).toBe(0)
    }
    return { organisation, round: race }
  },
})

const unlimited = { default_limit: -1 }

/**
 * Creates the only limit of a quota at a group. Returns functions that set the limit and read the usage below the
 * group.
 */
async function limitAt({ one, other }: Arena, quota: string, scope_id: string) {
  await one.client.updateQuota({ id: quota, body: unlimited })
  const body = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id, limit: 0 } as const
  const { resource_id: id } = await one.client.createQuotaOverride({ quota, body })
  return {
    set: (limit: number) => one.client.updateQuotaOverride({ quota, id, body: { limit } }),
    usage: async () => (await other.client.getQuotaOverride({ quota, id })).usage,
  }
}
