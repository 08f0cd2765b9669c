import { beforeEach, describe, expect, it } from 'vitest'
import type { CapacityNeed } from '../../../../domain/ports/topology.ts'
import { need, nothing, poolZone } from './pool-zone.ts'

const at = poolZone()
const poolOf = (id: string) => at.api.getResourcePool({ id })

describe('an allocation', () => {
  const numa_nodes = [
    { vcpus: 4, memory_mib: 400 },
    { vcpus: 4, memory_mib: 500 },
  ]
  const guest = (...nodes: number[]): CapacityNeed => ({
    ...need(8, 900, 20),
    numa: nodes.map(memory_mib => ({ vcpus: 2, memory_mib })),
  })
  let pool: string

  beforeEach(async () => {
    pool = await at.addPool('a', need(10, 1000, 100), { numa_nodes })
    await at.using.allocate(at.zone, need(4, 400, 20), at.thing())
  })

  it.each([
    ['grows', need(10, 1000, 100)],
    ['shrinks', need(0, 0, 20)],
    ['grows and shrinks', need(0, 1000, 40)],
    ['stays', need(4, 400, 20)],
  ])('%s within its pool, once for any number of repeats', async (_, next) => {
    const { etag, update_time } = await poolOf(pool)
    for (let i = 0; i < 3; i += 1) {
      expect(await at.using.resize(at.thing(), next)).toEqual({ kind: 'allocated', resource_pool: pool, nodes: [] })
      expect(await poolOf(pool)).toMatchObject({ allocated: next, allocation_count: 1, etag, update_time })
    }
  })

  it.each([
    ['vcpus', need(11, 0, 0), 7, 6],
    ['memory_mib', need(0, 1100, 101), 700, 600],
    ['disk_gib', need(10, 1000, 101), 81, 80],
  ])('does not grow beyond the %s of its pool', async (dimension, next, requested, available) => {
    const outcome = { kind: 'capacity', dimension, requested, available }
    expect(await at.using.resize(at.thing(), next)).toEqual(outcome)
    expect(await at.using.reallocate(at.thing(), next)).toEqual(outcome)
    expect(await poolOf(pool)).toMatchObject({ allocated: need(4, 400, 20), available: need(6, 600, 80) })
  })

  it('stays in its pool where another pool has room', async () => {
    await at.addPool('b', need(100, 10_000, 1000))
    expect(await at.using.resize(at.thing(), need(11, 0, 0))).toMatchObject({ kind: 'capacity', available: 6 })
  })

  it('pins, keeps and unpins NUMA nodes', async () => {
    expect(await at.using.resize(at.thing(), guest(300))).toMatchObject({ nodes: [0] })
    // A changed guest gets new host nodes: only host node 1 has room for 500 MiB.
    expect(await at.using.resize(at.thing(), guest(300, 500))).toMatchObject({ nodes: [0, 1] })
    expect(await at.using.resize(at.thing(), guest(500, 400))).toMatchObject({ nodes: [1, 0] })
    expect(await at.using.reallocate(at.thing(), guest(500, 400))).toMatchObject({ nodes: [1, 0] })
    expect(await at.using.resize(at.thing(), guest(600))).toEqual({ kind: 'numa' })
    expect(
      await at.using.allocate(at.zone, { ...nothing, numa: [{ vcpus: 1, memory_mib: 1 }] }, at.thing('2')),
    ).toEqual({
      kind: 'numa',
    })
    expect(await at.using.resize(at.thing(), need(0, 0, 20))).toMatchObject({ nodes: [] })
    expect(
      await at.using.allocate(at.zone, { ...nothing, numa: [{ vcpus: 1, memory_mib: 1 }] }, at.thing('2')),
    ).toMatchObject({
      nodes: [0],
    })
  })

  it('keeps the node of an unchanged guest, though a lower node is free again', async () => {
    const small = { ...nothing, numa: [{ vcpus: 4, memory_mib: 100 }] }
    expect(await at.using.resize(at.thing(), small)).toMatchObject({ nodes: [0] })
    expect(await at.using.allocate(at.zone, small, at.thing('2'))).toMatchObject({ nodes: [1] })
    await at.using.giveBack(at.thing())
    expect(await at.using.resize(at.thing('2'), { ...small, disk_gib: 1 })).toMatchObject({ nodes: [1] })
    await at.using.resize(at.thing('2'), nothing)
    expect(await at.using.reallocate(at.thing('2'), small)).toMatchObject({ nodes: [0] })
  })

  it('is resized and released, but not reallocated, in a pool or zone that is not AVAILABLE', async () => {
    const cordon = (schedulable: boolean) =>
      at.api.updateResourcePool({ id: pool, update_mask: 'schedulable', body: { schedulable } })
    const setEndpoint = (endpoint: string) =>
      at.api.updateDeploymentTarget({ id: at.zone, update_mask: 'endpoint', body: { endpoint } })
    const states = [
      [() => cordon(false), () => cordon(true)],
      [() => setEndpoint('https://far.test'), () => setEndpoint('')],
      [
        () => at.api.updateZone({ id: at.zone, update_mask: 'schedulable', body: { schedulable: false } }),
        () => at.api.updateZone({ id: at.zone, update_mask: 'schedulable', body: { schedulable: true } }),
      ],
      [() => at.api.disableLocation({ id: at.zone, body: {} }), () => at.api.enableLocation({ id: at.zone, body: {} })],
    ] as const
    for (const [shut, open] of states) {
      await shut()
      expect(await at.using.reallocate(at.thing(), need(5, 400, 20))).toEqual({ kind: 'unavailable' })
      expect(await at.using.resize(at.thing(), need(6, 400, 20))).toMatchObject({ kind: 'allocated' })
      await open()
      expect(await at.using.reallocate(at.thing(), need(5, 400, 20))).toMatchObject({ kind: 'allocated' })
    }
    await at.api.disableLocation({ id: at.zone, body: {} })
    await at.using.giveBack(at.thing())
    expect(await poolOf(pool)).toMatchObject({ allocation_count: 0, allocated: nothing })
  })

  it('is given back once, and is unallocated from then on', async () => {
    await at.using.giveBack(at.thing())
    await at.using.giveBack(at.thing())
    expect(await poolOf(pool)).toMatchObject({
      allocation_count: 0,
      allocated: nothing,
      available: need(10, 1000, 100),
    })
    expect(await at.using.resize(at.thing(), nothing)).toEqual({ kind: 'unallocated' })
    expect(await at.using.reallocate(at.thing(), nothing)).toEqual({ kind: 'unallocated' })
    await at.api.deleteResourcePool({ id: pool })
  })

  it('holds its pool, its target and its zone', async () => {
    await expect(at.api.deleteResourcePool({ id: pool })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_IN_USE',
      details: { precondition: [{ type: 'using.things', description: '1 left' }] },
    })
    await expect(
      at.api.updateResourcePool({ id: pool, update_mask: 'reserved.vcpus', body: { reserved: need(7, 0, 0) } }),
    ).rejects.toMatchObject({ reason: 'RESOURCE_POOL_CAPACITY_IN_USE' })
    await expect(at.api.deleteDeploymentTarget({ id: at.zone })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_IN_USE',
    })
    await expect(at.api.deleteZone({ id: at.zone })).rejects.toMatchObject({ reason: 'ZONE_IN_USE' })
  })
})

it('leaves a sound store', async () => {
  expect(await at.findings()).toEqual([])
})
