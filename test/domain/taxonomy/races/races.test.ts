import { expect } from 'vitest'
import { thingOutcomeOf } from '../arena.ts'
import { TreeMaker, type Caller } from '../platform.ts'
import { atOnce, declareRaces, tally } from './racing.ts'
import { permutations, verbs, walk, type NodeLife, type Verb } from '../state-model.ts'
import { outcomeOf } from '../../outcomes.ts'

await declareRaces({
  'of crossing moves one is refused, so that no circle is closed': async (arena, name) => {
    const { one } = arena
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    const ids = [await tree.group('a'), await tree.group('b'), await tree.group('c')]
    const move = (id: string, parent_group_id: string) => (caller: Caller) =>
      outcomeOf(caller.client.moveGroup({ organisation, id, body: { parent_group_id } }))
    const race = async (round: number) => {
      const moves = ids.map((id, i) => move(id, ids[(i + 1) % ids.length] ?? ''))
      const outcomes = await atOnce(arena, round, ...moves)
      expect(tally(outcomes)).toEqual({ OK: 2, GROUP_MOVE_CYCLE: 1 })
      for (const [i, id] of ids.entries()) if (outcomes[i] === 'OK') expect(await move(id, '')(one)).toBe('OK')
    }
    return { organisation, round: race }
  },

  'of several creates of one name one is made': async (arena, name) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    const parents = [await tree.group('a'), await tree.group('b')]
    await arena.one.client.updateQuota({ id: 'taxonomy.workspaces', body: { default_limit: -1 } })
    const race = async (round: number) => {
      const body = { name: `${name}-${round}` }
      const group = (caller: Caller) =>
        outcomeOf(caller.client.createGroup({ organisation, body: { ...body, parent_group_id: parents[0] ?? '' } }))
      const root = (caller: Caller) => outcomeOf(caller.client.createOrganisation({ body }))
      const workspaces = parents.map(
        parent_group_id => (caller: Caller) =>
          outcomeOf(caller.client.createWorkspace({ organisation, body: { ...body, parent_group_id } })),
      )
      const outcomes = await atOnce(arena, round, group, group, root, root, ...workspaces)
      expect(tally(outcomes)).toEqual({
        OK: 3,
        GROUP_ALREADY_EXISTS: 1,
        ORGANISATION_ALREADY_EXISTS: 1,
        WORKSPACE_ALREADY_EXISTS: 1,
      })
    }
    return { organisation, round: race }
  },

  'nothing is made or changed in a group once its suspension is answered': async (arena, name) => {
    const { one } = arena
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    let id = ''
    let workspace = ''
    const found = async ({ client, countThings }: Caller) => {
      const { group_count, workspace_count } = await client.getGroup({ organisation, id })
      const { etag } = await client.getWorkspace({ organisation, id: workspace })
      return { group_count, workspace_count, etag, things: await countThings(workspace) }
    }
    const race = async (round: number) => {
      // Every fourth round has a new group, because each suspension causes work in all workspaces of the group.
      if (round % 4 === 0) {
        id = await tree.group(`g-${round}`)
        workspace = await tree.workspace(`w-${round}`, id)
      }
      const body = { name: `n-${round}`, parent_group_id: id }
      const description = `as of round ${round}`
      let counted: object = {}
      const before = await found(one)
      const [, group, child, thing, update] = await atOnce(
        arena,
        round,
        async caller => {
          await caller.client.suspendGroup({ organisation, id, body: {} })
          counted = await found(caller)
          return 'OK'
        },
        ({ client }) => outcomeOf(client.createGroup({ organisation, body })),
        ({ client }) => outcomeOf(client.createWorkspace({ organisation, body })),
        caller => thingOutcomeOf(caller.addThing(workspace)),
        ({ client }) => outcomeOf(client.updateWorkspace({ organisation, id: workspace, body: { description } })),
      )
      expect([group, child, update, thing]).toEqual([
        expect.toBeOneOf(['OK', 'PARENT_NOT_ACTIVE']),
        expect.toBeOneOf(['OK', 'PARENT_NOT_ACTIVE']),
        expect.toBeOneOf(['OK', 'PARENT_NOT_ACTIVE']),
        expect.toBeOneOf(['OK', 'WORKSPACE_NOT_ACTIVE']),
      ])
      const after = await found(one)
      expect(after).toEqual(counted)
      expect(after).toEqual({
        group_count: before.group_count + Number(group === 'OK'),
        workspace_count: before.workspace_count + Number(child === 'OK'),
        etag: update === 'OK' ? expect.not.stringMatching(before.etag) : before.etag,
        things: before.things + Number(thing === 'OK'),
      })
      await one.client.resumeGroup({ organisation, id, body: {} })
    }
    return { organisation, round: race }
  },

  'no node remains in a group after the deletion of the group': async (arena, name) => {
    const { one } = arena
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    const race = async (round: number) => {
      const id = await tree.group(`g-${round}`)
      await one.client.archiveGroup({ organisation, id, body: {} })
      const group = { name: 'child', parent_group_id: id }
      const override = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: id, limit: 5 } as const
      const outcomes = await atOnce(
        arena,
        round,
        ({ client }) => outcomeOf(client.deleteGroup({ organisation, id })),
        ({ client }) => outcomeOf(client.restoreGroup({ organisation, id, body: {} })),
        ({ client }) => outcomeOf(client.createGroup({ organisation, body: group })),
        ({ client }) => outcomeOf(client.createQuotaOverride({ quota: 'compute.vms', body: override })),
      )
      const deleted = ['OK', 'GROUP_NOT_FOUND', 'GROUP_PARENT_NOT_FOUND', 'QUOTA_OVERRIDE_SCOPE_INVALID']
      const restored = ['GROUP_STATE_INVALID', 'OK', 'OK', 'OK']
      const end = outcomes[0] === 'OK' ? deleted : restored
      // The creation of the child may run while the group is archived; the creation of the override may run before the
      // deletion.
      expect(outcomes).toEqual([
        end[0],
        end[1],
        expect.toBeOneOf([end[2], 'PARENT_NOT_ACTIVE']),
        expect.toBeOneOf([end[3], 'OK']),
      ])
    }
    return { organisation, round: race }
  },

  'verbs on one node act as if one came after the other': async (arena, name, lane) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    const id = await tree.group('g')
    await tree.workspace('w', id)
    const change = (verb: Verb) => (caller: Caller) =>
      outcomeOf(caller.client[`${verb}Group`]({ organisation, id, body: {} }))
    let life: NodeLife = { state: 'ACTIVE' }
    const race = async (round: number) => {
      // The rounds of all lanes cover all pairs of verbs.
      const pair = 4 * lane + round
      const chosen = [verbs[pair % 4] ?? 'suspend', verbs[(pair >> 2) % 4] ?? 'suspend', 'archive', 'restore'] as const
      const outcomes = await atOnce(arena, round, ...chosen.map(change))
      const { state } = await arena.other.client.getGroup({ organisation, id })
      const lives = possibleLives(life, chosen, outcomes).filter(each => state === wireState(each.state))
      expect(lives, `${chosen.join()} answered ${outcomes.join()}: ${state}`).not.toEqual([])
      life = lives[0] ?? life
      if (life.state !== 'ARCHIVED') return
      // The state after a restore shows the order in which the server applied the verbs.
      await arena.one.client.restoreGroup({ organisation, id, body: {} })
      const before = (await arena.one.client.getGroup({ organisation, id })).state
      const found = lives.find(each => before === wireState(each.before ?? 'ACTIVE'))
      expect(found, `${chosen.join()} answered ${outcomes.join()}: ${before} before`).toBeDefined()
      life = { state: found?.before ?? 'ACTIVE' }
    }
    return { organisation, round: race }
  },

  'areas follow a workspace that is moved away while its group is resumed': async (arena, name) => {
    const { one, other } = arena
    const tree = await TreeMaker.make(one.client, name)
    const { organisation } = tree
    const group = await tree.group('g')
    const id = await tree.workspace('w', group)
    const move = (caller: Caller, parent_group_id: string) =>
      outcomeOf(caller.client.moveWorkspace({ organisation, id, body: { parent_group_id } }))
    const race = async (round: number) => {
      const operation = await one.client.suspendGroup({ organisation, id: group, body: {} })
      const status = async () => (await other.client.getOperation({ id: operation.id })).status
      await expect.poll(status, { interval: 2 }).toBe('TAXONOMY_OPERATION_STATUS_DONE')
      const [, moved] = await atOnce(
        arena,
        round,
        ({ client }) => outcomeOf(client.resumeGroup({ organisation, id: group, body: {} })),
        async caller => {
          let outcome = await move(caller, '')
          while (outcome === 'PARENT_NOT_ACTIVE') outcome = await move(caller, '')
          return outcome
        },
      )
      expect(moved).toBe('OK')
      await arena.expectTree(organisation)
      expect(await move(one, group)).toBe('OK')
    }
    return { organisation, round: race }
  },
})

/** Returns the possible states of a node after verbs with these results, in any order of the verbs. */
const possibleLives = (life: NodeLife, chosen: readonly Verb[], outcomes: readonly string[]): readonly NodeLife[] =>
  permutations(chosen.map((verb, i) => ({ verb, outcome: outcomes[i] }))).flatMap(order => walk(life, order) ?? [])

const wireState = (state: string): string => `TAXONOMY_LIFECYCLE_STATE_${state}`
