import { expect } from 'vitest'
import { TreeMaker, type Caller } from '../platform.ts'
import { atOnce, declareRaces, tally } from './racing.ts'
import { outcomeOf } from '../../outcomes.ts'

await declareRaces({
  'of calls with one Idempotency-Key one has an effect, and all have its answer': async (arena, name) => {
    const { organisation } = await TreeMaker.make(arena.one.client, name)
    const race = async (round: number) => {
      const request = { organisation, body: { name: `g-${round}` } }
      const options = { idempotencyKey: `${name}-${round}` }
      const create = async ({ client }: Caller) => JSON.stringify(await client.createGroup(request, options))
      const answers = await atOnce(arena, round, create, create, create, create)
      expect(new Set(answers).size).toBe(1)
      const { resource_id }: { readonly resource_id: string } = JSON.parse(answers[0] ?? '')
      const { operations } = await arena.other.client.listOperations({ filter: `resource_id = "${resource_id}"` })
      expect(operations).toHaveLength(1)
      expect((await arena.one.client.getGroup({ organisation, id: resource_id })).name).toBe(`g-${round}`)
    }
    return { organisation, round: race }
  },

  'of two bodies under one Idempotency-Key one is taken, and the other one told so': async (arena, name) => {
    const { organisation } = await TreeMaker.make(arena.one.client, name)
    const race = async (round: number) => {
      const options = { idempotencyKey: `${name}-${round}` }
      const create = (each: string) => (caller: Caller) =>
        outcomeOf(caller.client.createGroup({ organisation, body: { name: `${each}-${round}` } }, options))
      const outcomes = await atOnce(arena, round, create('a'), create('b'), create('a'), create('b'))
      expect(tally(outcomes)).toEqual({ OK: 2, IDEMPOTENCY_KEY_REUSED: 2 })
      expect(outcomes.slice(0, 2)).toEqual(outcomes.slice(2))
      const { groups } = await arena.other.client.listGroups({
        organisation,
        filter: `name = "a-${round}" OR name = "b-${round}"`,
      })
      expect(groups.map(group => group.name)).toEqual([outcomes[0] === 'OK' ? `a-${round}` : `b-${round}`])
    }
    return { organisation, round: race }
  },

  'an Idempotency-Key of failed calls can be used again': async (arena, name) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    await tree.group('taken')
    const race = async (round: number) => {
      const options = { idempotencyKey: `${name}-${round}` }
      const create = (each: string) => (caller: Caller) =>
        outcomeOf(caller.client.createGroup({ organisation, body: { name: each } }, options))
      const failed = await atOnce(arena, round, create('taken'), create('taken'), create('taken'))
      expect(tally(failed)).toEqual({ GROUP_ALREADY_EXISTS: 3 })
      expect(await create(`free-${round}`)(arena.other)).toBe('OK')
    }
    return { organisation, round: race }
  },

  'of updates that name one etag the first one wins': async (arena, name) => {
    const tree = await TreeMaker.make(arena.one.client, name)
    const { organisation } = tree
    const id = await tree.group('g')
    const race = async (round: number) => {
      const { etag } = await arena.other.client.getGroup({ organisation, id })
      const update = (each: string) => (caller: Caller) =>
        outcomeOf(caller.client.updateGroup({ organisation, id, body: { etag, description: `${each}-${round}` } }))
      const names = ['a', 'b', 'c', 'd']
      const outcomes = await atOnce(arena, round, ...names.map(update))
      expect(tally(outcomes)).toEqual({ OK: 1, ETAG_MISMATCH: 3 })
      const { description } = await arena.one.client.getGroup({ organisation, id })
      expect(description).toBe(`${names[outcomes.indexOf('OK')]}-${round}`)
    }
    return { organisation, round: race }
  },
})
