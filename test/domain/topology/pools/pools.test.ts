import { describe, expect, it } from 'vitest'
import { addReference } from '../../../../domain/resources/references.ts'
import { addMember } from '../../../areas/members.ts'
import { capacity, PoolHost, small, target, zero } from './pool-host.ts'

const host = new PoolHost()

const failed = { rpc: 'FAILED_PRECONDITION', response: { status: 400 } } as const
const invalid = { rpc: 'INVALID_ARGUMENT', response: { status: 400 } } as const
const available = 'TOPOLOGY_RESOURCE_POOL_STATE_AVAILABLE'
const unavailable = 'TOPOLOGY_RESOURCE_POOL_STATE_UNAVAILABLE'

describe('a fresh server (scenario 1)', () => {
  it('has a pool with all of its target', async () => {
    const all = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 }
    const half = { vcpus: 256, memory_mib: 1_048_576 }
    const { resource_pools } = await host.api.listResourcePools()
    expect(resource_pools).toMatchObject([
      {
        name: 'local1-a-default',
        zone: 'local1-a',
        deployment_target: 'local-sim',
        capacity: all,
        reserved: zero,
        overcommit: { vcpus: 1, memory_mib: 1, disk_gib: 1 },
        numa_nodes: [half, half],
        allocatable: all,
        allocated: zero,
        available: all,
        allocation_count: 0,
        state: available,
      },
    ])
    expect(await host.api.getResourcePool({ id: 'local1-a-default' })).toEqual(resource_pools[0])
    expect(Object.keys(resource_pools[0] ?? {})).not.toContain('pinned')
  })

  it('shows pools to nobody who may not see them', async () => {
    const { api: theirs } = await addMember(host.platform, (await host.platform.admin()).api, {
      email: 'ann@pools.example',
      organisation_id: '',
    })
    const body = { name: 'theirs', zone: 'local1-a', deployment_target: 'local-sim', capacity: small }
    for (const call of [
      () => theirs.topology.listResourcePools(),
      () => theirs.topology.getResourcePool({ id: 'local1-a-default' }),
      () => theirs.topology.createResourcePool({ body }),
      () => theirs.topology.updateResourcePool({ id: 'local1-a-default', body: { schedulable: false } }),
      () => theirs.topology.deleteResourcePool({ id: 'local1-a-default' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
    }
  })
})

describe('a pool on a target with other pools (scenario 4)', () => {
  it('has at most what they leave', async () => {
    expect(await host.create('p1', { capacity: { ...small, vcpus: 6 } })).toMatchObject({
      operation_type: 'TOPOLOGY_OPERATION_TYPE_CREATE',
      resource_type: 'topology.resourcePools',
      status: 'TOPOLOGY_OPERATION_STATUS_DONE',
      scope_type: 'TOPOLOGY_SCOPE_TYPE_PLATFORM',
      scope_id: '',
    })
    await expect(host.create('p2', { capacity: { ...small, vcpus: 4 } })).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      code: 8_006_004,
      metadata: { dimension: 'vcpus', requested: '4', available: '2' },
      details: { precondition: [{ subject: 'par-h1' }] },
    })
    await host.create('p2')
    await expect(host.update('p1', 'capacity.vcpus', { capacity: { vcpus: 7 } })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      metadata: { dimension: 'vcpus', requested: '7', available: '6' },
    })
    await host.update('p2', 'capacity.vcpus', { capacity: { vcpus: 1 } })
    await host.update('p1', 'capacity.vcpus', { capacity: { vcpus: 7 } })
  })

  it.each([
    ['memory_mib', { vcpus: 0, memory_mib: 16_384, disk_gib: 500 }, '16384', '14336'],
    ['disk_gib', { vcpus: 0, memory_mib: 1, disk_gib: 481 }, '481', '480'],
  ])('names the first dimension that is short: %s', async (dimension, needed, requested, left) => {
    await expect(host.create('p3', { capacity: needed })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      metadata: { dimension, requested, available: left },
    })
  })

  it('keeps the target and the zone', async () => {
    for (const id of ['par-h1', (await host.api.getDeploymentTarget({ id: 'par-h1' })).id]) {
      await expect(host.api.deleteDeploymentTarget({ id })).rejects.toMatchObject({
        ...failed,
        reason: 'DEPLOYMENT_TARGET_IN_USE',
        details: { precondition: [{ type: 'topology.resourcePools', description: '2 left' }] },
      })
    }
    await expect(host.api.deleteZone({ id: 'eu-west1-a' })).rejects.toMatchObject({
      ...failed,
      reason: 'ZONE_IN_USE',
      details: { precondition: [{ type: 'topology.resourcePools', description: '2 left' }] },
    })
  })

  it.each([
    ['capacity', (body: object) => host.api.updateDeploymentTarget({ id: 'par-h1', update_mask: 'capacity', body })],
    ['a registration', (body: object) => host.api.registerDeploymentTarget({ body: { ...target('par-h1'), ...body } })],
  ])('holds the target: %s may not fall below them', async (_, change) => {
    await expect(change({ capacity: { ...capacity, vcpus: 7 } })).rejects.toMatchObject({
      ...failed,
      reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      message: expect.stringContaining('would have 7 vcpus; its pools have 8'),
    })
    await change({ capacity: { ...capacity, memory_mib: 2048 } })
    expect((await host.api.getDeploymentTarget({ id: 'par-h1' })).capacity.memory_mib).toBe(2048)
    await change({ capacity })
  })

  it('is told nothing by the registration of another target of its name', async () => {
    const body = target('par-h1', { location: 'local', capacity: zero })
    await expect(host.api.registerDeploymentTarget({ body })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_ALREADY_EXISTS',
    })
  })

  it('lets all of them go when it is deleted', async () => {
    await host.api.deleteResourcePool({ id: 'p1' })
    const { id } = await host.api.getResourcePool({ id: 'p2' })
    await host.api.deleteResourcePool({ id })
    await expect(host.api.getResourcePool({ id: 'p1' })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_NOT_FOUND',
      response: { status: 404 },
    })
    await host.create('p2', { capacity })
    await host.api.deleteResourcePool({ id: 'p2' })
  })
})

describe('a new pool', () => {
  it.each([
    ['zone', 'ZONE_NOT_FOUND', { zone: 'nowhere' }],
    ['deployment_target', 'DEPLOYMENT_TARGET_NOT_FOUND', { deployment_target: 'nothing' }],
    ['deployment_target', 'RESOURCE_POOL_LOCATION_MISMATCH', { zone: 'local1-a' }],
    ['reserved.memory_mib', 'FIELD_INVALID', { reserved: { memory_mib: 1025 } }],
    ['numa_nodes', 'NUMA_LAYOUT_INVALID', { numa_nodes: [{ vcpus: 3, memory_mib: 0 }] }],
    ['overcommit.vcpus', 'FIELD_INVALID', { overcommit: { vcpus: 16.01 } }],
    ['overcommit.memory_mib', 'FIELD_INVALID', { overcommit: { memory_mib: 1.505 } }],
    ['capacity.disk_gib', 'FIELD_INVALID', { capacity: { vcpus: 1, memory_mib: 1 } as never }],
  ])('is refused at %s with %s', async (field, reason, more) => {
    await expect(host.create('refused', more)).rejects.toMatchObject({
      ...invalid,
      reason,
      details: { badRequest: [{ field }] },
    })
  })

  it('has the only pool of its name', async () => {
    await host.create('named')
    await expect(host.create('named')).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_ALREADY_EXISTS',
      response: { status: 409 },
      details: { resource: { type: 'topology.resourcePools', name: 'named' } },
    })
    await host.api.deleteResourcePool({ id: 'named' })
  })

  it('can allocate its capacity less the reserve, as many times as it is overcommitted', async () => {
    await host.create('sized', {
      capacity: { vcpus: 7, memory_mib: 1001, disk_gib: 333 },
      reserved: { vcpus: 1, disk_gib: 33 },
      overcommit: { vcpus: 1.15, memory_mib: 1.1, disk_gib: 1.99 },
    })
    const allocatable = { vcpus: 6, memory_mib: 1101, disk_gib: 597 }
    const pool = await host.api.getResourcePool({ id: 'sized' })
    expect(pool).toMatchObject({ reserved: { vcpus: 1, memory_mib: 0, disk_gib: 33 }, allocatable })
    expect(pool).toMatchObject({ allocated: zero, available: allocatable, allocation_count: 0 })
    await host.update('sized', 'overcommit.vcpus,reserved', { overcommit: { vcpus: 16 } })
    expect(await host.api.getResourcePool({ id: 'sized' })).toMatchObject({
      reserved: zero,
      overcommit: { vcpus: 16, memory_mib: 1.1, disk_gib: 1.99 },
      allocatable: { vcpus: 112, memory_mib: 1101, disk_gib: 662 },
    })
    await host.api.deleteResourcePool({ id: 'sized' })
  })

  it('of the largest capacity is exact', async () => {
    const most = 2 ** 49 - 1
    const largest = { vcpus: most, memory_mib: most, disk_gib: most }
    const id = await host.createAlone(
      'huge',
      { capacity: largest, overcommit: { vcpus: 16, memory_mib: 1.5, disk_gib: 2 } },
      { capacity: largest },
    )
    const { allocatable } = await host.api.getResourcePool({ id })
    expect(allocatable).toEqual({ vcpus: 2 ** 53 - 16, memory_mib: 844_424_930_131_966, disk_gib: 2 ** 50 - 2 })
  })
})

describe('a pool', () => {
  it('that a storage class instance uses is not deleted', async () => {
    const id = await host.createAlone('stored')
    const holder = { type: 'storage.classInstances', id: 'an-instance' }
    await host.store.tx(tx => addReference(tx, { type: 'topology.resourcePools', id }, holder))
    await expect(host.api.deleteResourcePool({ id })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_IN_USE',
      details: { precondition: [{ type: 'storage.classInstances', description: '1 left' }] },
    })
  })

  it('changes what people call it, and neither its zone nor its target', async () => {
    const id = await host.createAlone('plain', { display_name: 'Plain', labels: { tier: 'a' } })
    const before = await host.api.getResourcePool({ id })
    await host.api.updateResourcePool({ id: 'plain', body: { display_name: 'Fancy', capacity, etag: before.etag } })
    const after = await host.api.getResourcePool({ id })
    expect(after).toEqual({
      ...before,
      display_name: 'Fancy',
      labels: {},
      etag: expect.not.stringMatching(before.etag),
      update_time: after.update_time,
    })
    const stale = { id, update_mask: 'schedulable', body: { schedulable: false, etag: before.etag } }
    await expect(host.api.updateResourcePool(stale)).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    for (const body of [{ zone: 'local1-a' }, { deployment_target: 'local-sim' }, { name: 'other' }]) {
      const change = host.api.updateResourcePool({ id, update_mask: Object.keys(body).join(), body })
      await expect(change).rejects.toMatchObject({ reason: 'FIELD_IMMUTABLE' })
    }
    for (const [mask, body, reason] of [
      ['reserved', { reserved: { vcpus: 9 } }, 'FIELD_INVALID'],
      ['capacity.vcpus', { capacity: { vcpus: 9 }, reserved: { vcpus: 10 } }, 'FIELD_INVALID'],
      ['numa_nodes', { numa_nodes: [{ vcpus: 9, memory_mib: 0 }] }, 'NUMA_LAYOUT_INVALID'],
    ] as const) {
      const change = { ...body, ...('numa_nodes' in body && { numa_nodes: [...body.numa_nodes] }) }
      await expect(host.update(id, mask, change)).rejects.toMatchObject({ reason })
    }
  })

  it('is available as long as it, its zone and its target are', async () => {
    await host.createAlone('state')
    const state = async () => (await host.api.getResourcePool({ id: 'state' })).state
    const turns = [
      (isOn: boolean) => host.update('state', 'schedulable', { schedulable: isOn }),
      (isOn: boolean) =>
        host.api.updateZone({ id: 'eu-west1-a', update_mask: 'schedulable', body: { schedulable: isOn } }),
      (isOn: boolean) => host.api[isOn ? 'enableLocation' : 'disableLocation']({ id: 'paris', body: {} }),
      (isOn: boolean) => {
        const body = { endpoint: isOn ? '' : 'https://agent.example' }
        return host.api.updateDeploymentTarget({ id: 'state', update_mask: 'endpoint', body })
      },
    ]
    for (const turn of turns) {
      expect(await state()).toBe(available)
      await turn(false)
      expect(await state()).toBe(unavailable)
      await turn(true)
    }
    expect(await state()).toBe(available)
  })
})
