import { beforeAll, describe, expect, it } from 'vitest'
import { pinnedText } from '../../../../domain/topology/pools/pinned.ts'
import { poolCollection } from '../../../../domain/topology/pools/pools-store.ts'
import { zoneLedgers } from '../../../../domain/topology/pools/zone-ledger.ts'
import { PoolHost, target, zero } from './pool-host.ts'

const host = new PoolHost()

const failed = { rpc: 'FAILED_PRECONDITION', response: { status: 400 } } as const
const invalid = { rpc: 'INVALID_ARGUMENT', response: { status: 400 } } as const

describe('the NUMA nodes of a pool', () => {
  const node = (vcpus: number, memory_mib: number) => ({ vcpus, memory_mib })

  it('share those of a target that declares nodes', async () => {
    const numa_nodes = [node(4, 8192), node(4, 8192)]
    await host.api.registerDeploymentTarget({ body: target('numa', { numa_nodes }) })
    const on = { deployment_target: 'numa', capacity: { vcpus: 4, memory_mib: 8192, disk_gib: 1 } }
    await host.create('numa-1', { ...on, numa_nodes: [node(3, 1024)] })
    for (const [field, nodes] of [
      ['numa_nodes[0]', [node(2, 0)]],
      ['numa_nodes[0]', [node(0, 7169)]],
      ['numa_nodes[2]', [node(1, 0), node(0, 0), node(0, 0)]],
    ] as const) {
      await expect(host.create('numa-2', { ...on, numa_nodes: [...nodes] })).rejects.toMatchObject({
        ...invalid,
        reason: 'NUMA_LAYOUT_INVALID',
        details: { badRequest: [{ field }] },
      })
    }
    await host.create('numa-2', { ...on, numa_nodes: [node(1, 7168), node(3, 1024)] })
    await expect(host.update('numa-1', 'numa_nodes', { numa_nodes: [node(4, 0)] })).rejects.toMatchObject({
      reason: 'NUMA_LAYOUT_INVALID',
    })
    await host.update('numa-1', 'numa_nodes', { numa_nodes: [node(3, 0), node(1, 7168)] })
    for (const nodes of [[node(4, 8192)], [node(4, 8192), node(3, 8192)]]) {
      const change = { id: 'numa', update_mask: 'numa_nodes', body: { numa_nodes: nodes } }
      await expect(host.api.updateDeploymentTarget(change)).rejects.toMatchObject({
        ...failed,
        reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      })
    }
    // A target that declares no nodes does not limit the nodes of its pools.
    await host.api.updateDeploymentTarget({ id: 'numa', update_mask: 'numa_nodes', body: { numa_nodes: [] } })
    await host.update('numa-1', 'numa_nodes', { numa_nodes: [node(4, 0)] })
    const again = { ...target('numa'), numa_nodes }
    await expect(host.api.registerDeploymentTarget({ body: again })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      message: expect.stringContaining('NUMA node 0'),
    })
  })

  it('may not fall below what is pinned to them, or go with it', async () => {
    const id = await host.createAlone('pinned', { numa_nodes: [node(4, 4096), node(4, 4096), node(0, 4096)] })
    const pinned = pinnedText([node(2, 1024), node(0, 0), node(0, 1)])
    await host.useOf(id, { allocated: { ...zero, vcpus: 2, memory_mib: 1025 }, allocation_count: 1, pinned })
    for (const nodes of [
      [node(1, 4096), node(0, 0), node(0, 1)],
      [node(2, 1023), node(0, 0), node(0, 1)],
      [node(2, 1024), node(0, 0)],
      [],
    ]) {
      await expect(host.update(id, 'numa_nodes', { numa_nodes: nodes })).rejects.toMatchObject({
        ...failed,
        reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
        message: expect.stringContaining('NUMA node'),
      })
    }
    await host.update(id, 'numa_nodes', { numa_nodes: [node(2, 1024), node(0, 0), node(0, 1)] })
    expect((await host.store.get(poolCollection, id))?.value.pinned).toBe(pinned)
    await host.useOf(id, { pinned: pinnedText([node(2, 1024), node(0, 0), node(0, 0)]) })
    await host.update(id, 'numa_nodes', { numa_nodes: [node(2, 1024)] })
    expect((await host.store.get(poolCollection, id))?.value.pinned).toBe('2:1024')
    await host.update(id, 'numa_nodes', { numa_nodes: [node(2, 1024), node(1, 1)] })
    expect((await host.store.get(poolCollection, id))?.value.pinned).toBe('2:1024 0:0')
  })
})

describe('a pool with allocations', () => {
  const allocated = { vcpus: 5, memory_mib: 4096, disk_gib: 100 }
  let id: string

  beforeAll(async () => {
    id = await host.createAlone('busy')
    await host.useOf(id, { allocated, allocation_count: 3 })
  })

  it('has less available, and the rest as before', async () => {
    expect(await host.api.getResourcePool({ id })).toMatchObject({
      allocated,
      available: { vcpus: 3, memory_mib: 12_288, disk_gib: 400 },
      allocation_count: 3,
    })
  })

  it.each([
    ['capacity', 'capacity.vcpus', { capacity: { vcpus: 4 } }],
    ['a reserve', 'reserved.memory_mib', { reserved: { memory_mib: 12_289 } }],
    ['all of it', 'capacity', { capacity: { vcpus: 5, memory_mib: 4096, disk_gib: 99 } }],
  ])('takes no %s that leaves less than is allocated', async (_, mask, body) => {
    await expect(host.update(id, mask, body)).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
      code: 8_006_005,
      details: { resource: { type: 'topology.resourcePools', name: id }, precondition: [{ subject: id }] },
    })
  })

  it('keeps what is allocated through changes of the rest', async () => {
    await host.update(id, 'capacity,overcommit', { capacity: allocated, overcommit: { vcpus: 2 } })
    expect(await host.api.getResourcePool({ id })).toMatchObject({
      allocatable: { ...allocated, vcpus: 10 },
      allocated,
      available: { ...zero, vcpus: 5 },
    })
    await expect(host.update(id, 'overcommit.vcpus,reserved.vcpus', { reserved: { vcpus: 1 } })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
    })
  })

  it('is not deleted, not by its cordon either', async () => {
    await host.update(id, 'schedulable', { schedulable: false })
    await expect(host.api.deleteResourcePool({ id })).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_IN_USE',
      details: { resource: { name: id } },
    })
    await host.useOf(id, { allocated: zero, allocation_count: 0 })
    await host.api.deleteResourcePool({ id })
  })
})

describe('the version of a zone, by which the cached facts of its pools are judged', () => {
  const version = async (zone = 'eu-west1-a') => {
    const { id } = await host.api.getZone({ id: zone })
    return (await host.store.get(zoneLedgers, id))?.version ?? 0
  }

  it('grows with each change of its pools that placement looks at', async () => {
    const changes = [
      () => host.createAlone('moved'),
      () => host.update('moved', 'capacity.vcpus', { capacity: { vcpus: 7 } }),
      () => host.update('moved', 'reserved', { reserved: { vcpus: 1 } }),
      () => host.update('moved', 'overcommit', { overcommit: { disk_gib: 2 } }),
      () => host.update('moved', 'numa_nodes', { numa_nodes: [{ vcpus: 1, memory_mib: 1 }] }),
      () => host.update('moved', 'schedulable', { schedulable: false }),
      () => host.api.deleteResourcePool({ id: 'moved' }),
    ]
    for (const change of changes) {
      const before = await version()
      await change()
      expect(await version()).toBe(before + 1)
    }
  })

  it('stays where nothing of that changes, and where a change is refused', async () => {
    await host.createAlone('still')
    const before = await version()
    await host.update('still', 'labels,display_name', { labels: { tier: 'a' }, display_name: 'Still' })
    await host.update('still', 'schedulable', { schedulable: true })
    await expect(host.update('still', 'capacity.vcpus', { capacity: { vcpus: 9 } })).rejects.toThrow()
    expect(await version()).toBe(before)
  })

  it('grows in all zones of a target whose probe ends otherwise', async () => {
    await host.api.createZone({ body: { name: 'eu-west1-b', location: 'paris' } })
    await host.api.registerDeploymentTarget({ body: target('probed') })
    for (const zone of ['eu-west1-a', 'eu-west1-b'])
      await host.create(`on-${zone}`, { deployment_target: 'probed', zone })
    for (const endpoint of ['https://agent.example', '']) {
      const before = [await version(), await version('eu-west1-b')]
      await host.api.registerDeploymentTarget({ body: target('probed', { endpoint }) })
      expect([await version(), await version('eu-west1-b')]).toEqual(before.map(each => each + 1))
    }
  })

  it('goes with the zone', async () => {
    await host.api.createZone({ body: { name: 'eu-west1-c', location: 'paris' } })
    await host.createAlone('leaving', { zone: 'eu-west1-c' })
    await host.api.deleteResourcePool({ id: 'leaving' })
    const { id } = await host.api.getZone({ id: 'eu-west1-c' })
    expect(await host.store.get(zoneLedgers, id)).toBeDefined()
    await host.api.deleteZone({ id })
    expect(await host.store.get(zoneLedgers, id)).toBeUndefined()
  })
})
