import { describe, expect, it } from 'vitest'
import { allocations } from '../../../../domain/topology/pools/allocations-store.ts'
import { poolCollection } from '../../../../domain/topology/pools/pools-store.ts'
import { consumerOf } from '../using-area.ts'
import { need, nothing, poolZone } from './pool-zone.ts'

const at = poolZone()
const poolOf = (id: string) => at.api.getResourcePool({ id })

describe('allocate', () => {
  it('takes the capacity from the pool with the highest share of memory left, and keeps its etag', async () => {
    await at.addPool('a', need(8, 1000, 100))
    const pool = await at.addPool('b', need(8, 2000, 100))
    const { etag, update_time } = await poolOf(pool)
    expect(await at.using.allocate(at.zone, need(2, 500, 10), at.thing())).toEqual({
      kind: 'allocated',
      resource_pool: pool,
      nodes: [],
    })
    expect(await poolOf(pool)).toMatchObject({
      etag,
      update_time,
      allocation_count: 1,
      allocated: need(2, 500, 10),
      available: need(6, 1500, 90),
    })
  })

  it('counts what is allocated already', async () => {
    const [a, b] = [await at.addPool('a', need(8, 1000, 100)), await at.addPool('b', need(8, 1000, 100))]
    const pools: string[] = []
    for (const name of ['1', '2', '3', '4']) {
      const outcome = await at.using.allocate(at.zone, need(1, 100, 1), at.thing(name))
      pools.push(outcome.kind === 'allocated' ? outcome.resource_pool : outcome.kind)
    }
    expect(pools).toEqual([a, b, a, b])
  })

  it('counts what the same transaction has allocated', async () => {
    await at.addPool('a', need(8, 1000, 100))
    await at.addPool('b', need(8, 1000, 100))
    const outcomes = await at.using.within(async (tx, topology) => [
      await topology.allocate(tx, at.zone, need(5, 500, 0), consumerOf(at.thing('1'))),
      await topology.allocate(tx, at.zone, need(5, 500, 0), consumerOf(at.thing('2'))),
      await topology.allocate(tx, at.zone, need(5, 0, 0), consumerOf(at.thing('3'))),
    ])
    expect(outcomes).toMatchObject([
      { resource_pool: `${at.zone}-a` },
      { resource_pool: `${at.zone}-b` },
      { kind: 'capacity', dimension: 'vcpus', requested: 5, available: 3 },
    ])
    expect(await at.using.allocate(at.zone, need(3, 0, 0), at.thing('4'))).toMatchObject({
      resource_pool: `${at.zone}-a`,
    })
  })

  it('takes nothing in a transaction that is rolled back', async () => {
    const pool = await at.addPool('a', need(8, 1000, 100))
    await at.using.allocate(at.zone, need(1, 1, 1), at.thing('first'))
    const failing = at.using.within(async (tx, topology) => {
      await topology.allocate(tx, at.zone, need(7, 1, 1), consumerOf(at.thing()))
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await poolOf(pool)).toMatchObject({ allocation_count: 1, allocated: need(1, 1, 1) })
    expect(await at.using.allocate(at.zone, need(7, 1, 1), at.thing())).toMatchObject({ kind: 'allocated' })
  })

  it('pins the NUMA nodes of a guest, and gives the nodes back', async () => {
    const numa_nodes = [
      { vcpus: 4, memory_mib: 400 },
      { vcpus: 4, memory_mib: 500 },
    ]
    await at.addPool('a', need(8, 1000, 100), { numa_nodes })
    const guest = { ...need(3, 300, 1), numa: [{ vcpus: 3, memory_mib: 300 }] }
    expect(await at.using.allocate(at.zone, guest, at.thing('1'))).toMatchObject({ nodes: [0] })
    expect(await at.using.allocate(at.zone, guest, at.thing('2'))).toMatchObject({ nodes: [1] })
    expect(await at.using.allocate(at.zone, { ...guest, vcpus: 2 }, at.thing('3'))).toEqual({ kind: 'numa' })
    expect(await at.using.allocate(at.zone, need(2, 300, 1), at.thing('4'))).toMatchObject({
      kind: 'allocated',
      nodes: [],
    })
    await at.using.giveBack(at.thing('1'))
    expect(await at.using.allocate(at.zone, guest, at.thing('5'))).toMatchObject({ nodes: [0] })
  })

  it('refuses a consumer that holds capacity', async () => {
    const pool = await at.addPool('a', need(8, 1000, 100))
    await at.using.allocate(at.zone, need(1, 1, 1), at.thing())
    await expect(at.using.allocate(at.zone, need(1, 1, 1), at.thing())).rejects.toThrow('holds capacity already')
    expect(await poolOf(pool)).toMatchObject({ allocation_count: 1 })
  })

  it.each([
    [
      'a cordoned zone',
      () => at.api.updateZone({ id: at.zone, update_mask: 'schedulable', body: { schedulable: false } }),
    ],
    ['a zone whose location is disabled', () => at.api.disableLocation({ id: at.zone, body: {} })],
  ])('answers that %s is unavailable', async (_, change) => {
    await at.addPool('a', need(8, 1000, 100))
    await change()
    expect(await at.using.allocate(at.zone, nothing, at.thing())).toEqual({ kind: 'unavailable' })
  })

  it('answers that a zone is unavailable that does not exist', async () => {
    expect(await at.using.allocate('nowhere', nothing, at.thing())).toEqual({ kind: 'unavailable' })
  })

  const shut = { kind: 'capacity', dimension: 'vcpus', requested: 1, available: 0 }
  it.each([
    ['without pools', async () => {}],
    ['whose only pool is cordoned', () => at.addPool('a', need(8, 1000, 100), { schedulable: false })],
    [
      'whose only pool is on a target with a failed probe',
      async () => {
        await at.addPool('a', need(8, 1000, 100))
        await at.using.allocate(at.zone, nothing, at.thing('first'))
        await at.api.updateDeploymentTarget({
          id: at.zone,
          update_mask: 'endpoint',
          body: { endpoint: 'https://far.test' },
        })
      },
    ],
    [
      'whose only pool was deleted',
      async () => {
        const pool = await at.addPool('a', need(8, 1000, 100))
        await at.using.allocate(at.zone, nothing, at.thing('first'))
        await at.using.giveBack(at.thing('first'))
        await at.api.deleteResourcePool({ id: pool })
      },
    ],
  ])('answers that no vcpus are available in a zone %s', async (_, prepare) => {
    await prepare()
    expect(await at.using.allocate(at.zone, need(1, 1, 1), at.thing())).toEqual(shut)
  })

  it.each([
    [need(9, 1, 1), { kind: 'capacity', dimension: 'vcpus', requested: 9, available: 8 }],
    [need(1, 2001, 1), { kind: 'capacity', dimension: 'memory_mib', requested: 2001, available: 2000 }],
    [need(1, 1, 101), { kind: 'capacity', dimension: 'disk_gib', requested: 101, available: 100 }],
    [need(8, 2000, 1), { kind: 'combined' }],
    [{ ...need(1, 1, 1), numa: [{ vcpus: 1, memory_mib: 1 }] }, { kind: 'numa' }],
  ])('answers why %j has no room, and takes nothing', async (wanted, outcome) => {
    const pools = [await at.addPool('a', need(8, 1000, 100)), await at.addPool('b', need(4, 2000, 100))]
    expect(await at.using.allocate(at.zone, wanted, at.thing())).toEqual(outcome)
    for (const pool of pools) expect(await poolOf(pool)).toMatchObject({ allocation_count: 0, allocated: nothing })
    expect(await at.using.allocate(at.zone, need(8, 1, 1), at.thing())).toMatchObject({ resource_pool: `${at.zone}-a` })
  })

  it('sees at once what an operator changes', async () => {
    const pool = await at.addPool('a', need(8, 1000, 100))
    await at.using.allocate(at.zone, need(8, 1, 1), at.thing('1'))
    const change = (update_mask: string, body: object) => at.api.updateResourcePool({ id: pool, update_mask, body })
    await change('capacity', { capacity: need(9, 1000, 100) })
    expect(await at.using.allocate(at.zone, need(1, 1, 1), at.thing('2'))).toMatchObject({ kind: 'allocated' })
    await change('overcommit', { overcommit: { vcpus: 2, memory_mib: 1, disk_gib: 1 } })
    expect(await at.using.allocate(at.zone, need(9, 1, 1), at.thing('3'))).toMatchObject({ kind: 'allocated' })
    await change('overcommit', { overcommit: { vcpus: 3, memory_mib: 1, disk_gib: 1 } })
    await change('schedulable', { schedulable: false })
    expect(await at.using.allocate(at.zone, need(1, 1, 1), at.thing('4'))).toMatchObject(shut)
    await at.addPool('b', need(1, 1, 1))
    expect(await at.using.allocate(at.zone, need(1, 1, 1), at.thing('5'))).toMatchObject({
      resource_pool: `${at.zone}-b`,
    })
  })
})

it('does not trust a cached pool beyond what its row has', async () => {
  const pool = await at.addPool('a', need(8, 1000, 100))
  await at.using.allocate(at.zone, need(1, 1, 1), at.thing('first'))
  const setAvailable = (vcpus: number) =>
    at.using.within(async tx => {
      const row = await tx.find(poolCollection, { name: pool })
      const available = { vcpus, memory_mib: 999, disk_gib: 99 }
      if (row) await tx.update(poolCollection, row.id, { ...row.value, available }, row.version)
    })
  // This change bypasses the ledger of the zone; no part of the platform makes such a change.
  await setAvailable(2)
  const short = { kind: 'capacity', dimension: 'vcpus', requested: 7, available: 2 }
  expect(await at.using.allocate(at.zone, need(7, 1, 1), at.thing())).toEqual(short)
  await setAvailable(7)
})

it('leaves a sound store', async () => {
  expect(await at.findings()).toEqual([])
  expect(await at.using.within(tx => tx.count(allocations))).toBeGreaterThan(0)
})
