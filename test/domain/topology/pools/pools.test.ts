import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pinnedText } from '../../../../domain/topology/pools/pinned.ts'
import { poolCollection, type StoredPool } from '../../../../domain/topology/pools/pools-store.ts'
import { minus } from '../../../../domain/topology/pools/capacity.ts'
import { addReference } from '../../../../domain/resources/references.ts'
import type { Ninefold } from '../../../../output/client.ts'
import type { DeploymentTargetRegistrationInput, ResourcePoolInput } from '../../../../output/topology/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'
import { addMember } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'

let platform: TestPlatform
let api: Ninefold['topology']
let store: ServerStore

beforeAll(async () => {
  platform = await testPlatform({ later: afterAll })
  api = (await platform.admin()).api.topology
  store = await openBeside(platform.config, storeCollections(areas))
  afterAll(() => store.close())
  await api.registerDeploymentTarget({ body: target('par-h1') })
  await api.approveLocation({ id: 'paris', body: { region: 'eu-west1' } })
  await api.createZone({ body: { name: 'eu-west1-a', location: 'paris' } })
})

const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
const zero = { vcpus: 0, memory_mib: 0, disk_gib: 0 }

const target = (name: string, more: Partial<DeploymentTargetRegistrationInput> = {}) => ({
  name,
  location: 'paris',
  driver: 'TOPOLOGY_DRIVER_SIMULATED' as const,
  capacity,
  ...more,
})

const small = { vcpus: 2, memory_mib: 1024, disk_gib: 10 }

/** Creates a pool on `par-h1`. */
const create = (name: string, more: Partial<ResourcePoolInput> = {}) =>
  api.createResourcePool({
    body: { name, zone: 'eu-west1-a', deployment_target: 'par-h1', capacity: small, ...more },
  })

/** Creates a target of its own for a pool of the same name. */
async function createAlone(
  name: string,
  more: Partial<ResourcePoolInput> = {},
  host: Partial<DeploymentTargetRegistrationInput> = {},
): Promise<string> {
  await api.registerDeploymentTarget({ body: target(name, host) })
  const { resource_id } = await create(name, { deployment_target: name, capacity, ...more })
  return resource_id
}

const update = (id: string, update_mask: string, body: object) => api.updateResourcePool({ id, update_mask, body })

/** Writes a use into the row of a pool, as allocations do. */
const useOf = (id: string, use: Partial<Pick<StoredPool, 'allocated' | 'allocation_count' | 'pinned'>>) =>
  store.tx(async tx => {
    const pool = await tx.lock(poolCollection, id)
    if (!pool) throw new Error(`there is no pool ${id}`)
    const next = { ...pool.value, ...use }
    await tx.update(poolCollection, id, { ...next, available: minus(next.allocatable, next.allocated) }, pool.version)
  })

const failed = { rpc: 'FAILED_PRECONDITION', response: { status: 400 } } as const
const invalid = { rpc: 'INVALID_ARGUMENT', response: { status: 400 } } as const
const available = 'TOPOLOGY_RESOURCE_POOL_STATE_AVAILABLE'
const unavailable = 'TOPOLOGY_RESOURCE_POOL_STATE_UNAVAILABLE'

describe('a fresh server (scenario 1)', () => {
  it('has a pool with all of its target', async () => {
    const all = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 }
    const half = { vcpus: 256, memory_mib: 1_048_576 }
    const { resource_pools } = await api.listResourcePools()
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
    expect(await api.getResourcePool({ id: 'local1-a-default' })).toEqual(resource_pools[0])
    expect(Object.keys(resource_pools[0] ?? {})).not.toContain('pinned')
  })

  it('shows pools to nobody who may not see them', async () => {
    const { api: theirs } = await addMember(platform, (await platform.admin()).api, {
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
    expect(await create('p1', { capacity: { ...small, vcpus: 6 } })).toMatchObject({
      operation_type: 'TOPOLOGY_OPERATION_TYPE_CREATE',
      resource_type: 'topology.resourcePools',
      status: 'TOPOLOGY_OPERATION_STATUS_DONE',
      scope_type: 'TOPOLOGY_SCOPE_TYPE_PLATFORM',
      scope_id: '',
    })
    await expect(create('p2', { capacity: { ...small, vcpus: 4 } })).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      code: 8_006_004,
      metadata: { dimension: 'vcpus', requested: '4', available: '2' },
      details: { precondition: [{ subject: 'par-h1' }] },
    })
    await create('p2')
    await expect(update('p1', 'capacity.vcpus', { capacity: { vcpus: 7 } })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      metadata: { dimension: 'vcpus', requested: '7', available: '6' },
    })
    await update('p2', 'capacity.vcpus', { capacity: { vcpus: 1 } })
    await update('p1', 'capacity.vcpus', { capacity: { vcpus: 7 } })
  })

  it.each([
    ['memory_mib', { vcpus: 0, memory_mib: 16_384, disk_gib: 500 }, '16384', '14336'],
    ['disk_gib', { vcpus: 0, memory_mib: 1, disk_gib: 481 }, '481', '480'],
  ])('names the first dimension that is short: %s', async (dimension, needed, requested, left) => {
    await expect(create('p3', { capacity: needed })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_EXCEEDS_TARGET',
      metadata: { dimension, requested, available: left },
    })
  })

  it('keeps the target and the zone', async () => {
    for (const id of ['par-h1', (await api.getDeploymentTarget({ id: 'par-h1' })).id]) {
      await expect(api.deleteDeploymentTarget({ id })).rejects.toMatchObject({
        ...failed,
        reason: 'DEPLOYMENT_TARGET_IN_USE',
        details: { precondition: [{ type: 'topology.resourcePools', description: '2 left' }] },
      })
    }
    await expect(api.deleteZone({ id: 'eu-west1-a' })).rejects.toMatchObject({
      ...failed,
      reason: 'ZONE_IN_USE',
      details: { precondition: [{ type: 'topology.resourcePools', description: '2 left' }] },
    })
  })

  it.each([
    ['capacity', (body: object) => api.updateDeploymentTarget({ id: 'par-h1', update_mask: 'capacity', body })],
    ['a registration', (body: object) => api.registerDeploymentTarget({ body: { ...target('par-h1'), ...body } })],
  ])('holds the target: %s may not fall below them', async (_, change) => {
    await expect(change({ capacity: { ...capacity, vcpus: 7 } })).rejects.toMatchObject({
      ...failed,
      reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      message: expect.stringContaining('would have 7 vcpus; its pools have 8'),
    })
    await change({ capacity: { ...capacity, memory_mib: 2048 } })
    expect((await api.getDeploymentTarget({ id: 'par-h1' })).capacity.memory_mib).toBe(2048)
    await change({ capacity })
  })

  it('is told nothing by the registration of another target of its name', async () => {
    const body = target('par-h1', { location: 'local', capacity: zero })
    await expect(api.registerDeploymentTarget({ body })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_ALREADY_EXISTS',
    })
  })

  it('lets all of them go when it is deleted', async () => {
    await api.deleteResourcePool({ id: 'p1' })
    const { id } = await api.getResourcePool({ id: 'p2' })
    await api.deleteResourcePool({ id })
    await expect(api.getResourcePool({ id: 'p1' })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_NOT_FOUND',
      response: { status: 404 },
    })
    await create('p2', { capacity })
    await api.deleteResourcePool({ id: 'p2' })
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
    await expect(create('refused', more)).rejects.toMatchObject({
      ...invalid,
      reason,
      details: { badRequest: [{ field }] },
    })
  })

  it('has the only pool of its name', async () => {
    await create('named')
    await expect(create('named')).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_ALREADY_EXISTS',
      response: { status: 409 },
      details: { resource: { type: 'topology.resourcePools', name: 'named' } },
    })
    await api.deleteResourcePool({ id: 'named' })
  })

  it('can allocate its capacity less the reserve, as many times as it is overcommitted', async () => {
    await create('sized', {
      capacity: { vcpus: 7, memory_mib: 1001, disk_gib: 333 },
      reserved: { vcpus: 1, disk_gib: 33 },
      overcommit: { vcpus: 1.15, memory_mib: 1.1, disk_gib: 1.99 },
    })
    const allocatable = { vcpus: 6, memory_mib: 1101, disk_gib: 597 }
    const pool = await api.getResourcePool({ id: 'sized' })
    expect(pool).toMatchObject({ reserved: { vcpus: 1, memory_mib: 0, disk_gib: 33 }, allocatable })
    expect(pool).toMatchObject({ allocated: zero, available: allocatable, allocation_count: 0 })
    await update('sized', 'overcommit.vcpus,reserved', { overcommit: { vcpus: 16 } })
    expect(await api.getResourcePool({ id: 'sized' })).toMatchObject({
      reserved: zero,
      overcommit: { vcpus: 16, memory_mib: 1.1, disk_gib: 1.99 },
      allocatable: { vcpus: 112, memory_mib: 1101, disk_gib: 662 },
    })
    await api.deleteResourcePool({ id: 'sized' })
  })

  it('of the largest capacity is exact', async () => {
    const most = 2 ** 49 - 1
    const largest = { vcpus: most, memory_mib: most, disk_gib: most }
    const id = await createAlone(
      'huge',
      { capacity: largest, overcommit: { vcpus: 16, memory_mib: 1.5, disk_gib: 2 } },
      { capacity: largest },
    )
    const { allocatable } = await api.getResourcePool({ id })
    expect(allocatable).toEqual({ vcpus: 2 ** 53 - 16, memory_mib: 844_424_930_131_966, disk_gib: 2 ** 50 - 2 })
  })
})

describe('the NUMA nodes of a pool', () => {
  const node = (vcpus: number, memory_mib: number) => ({ vcpus, memory_mib })

  it('share those of a target that declares nodes', async () => {
    const numa_nodes = [node(4, 8192), node(4, 8192)]
    await api.registerDeploymentTarget({ body: target('numa', { numa_nodes }) })
    const on = { deployment_target: 'numa', capacity: { vcpus: 4, memory_mib: 8192, disk_gib: 1 } }
    await create('numa-1', { ...on, numa_nodes: [node(3, 1024)] })
    for (const [field, nodes] of [
      ['numa_nodes[0]', [node(2, 0)]],
      ['numa_nodes[0]', [node(0, 7169)]],
      ['numa_nodes[2]', [node(1, 0), node(0, 0), node(0, 0)]],
    ] as const) {
      await expect(create('numa-2', { ...on, numa_nodes: [...nodes] })).rejects.toMatchObject({
        ...invalid,
        reason: 'NUMA_LAYOUT_INVALID',
        details: { badRequest: [{ field }] },
      })
    }
    await create('numa-2', { ...on, numa_nodes: [node(1, 7168), node(3, 1024)] })
    await expect(update('numa-1', 'numa_nodes', { numa_nodes: [node(4, 0)] })).rejects.toMatchObject({
      reason: 'NUMA_LAYOUT_INVALID',
    })
    await update('numa-1', 'numa_nodes', { numa_nodes: [node(3, 0), node(1, 7168)] })
    for (const nodes of [[node(4, 8192)], [node(4, 8192), node(3, 8192)]]) {
      const change = { id: 'numa', update_mask: 'numa_nodes', body: { numa_nodes: nodes } }
      await expect(api.updateDeploymentTarget(change)).rejects.toMatchObject({
        ...failed,
        reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      })
    }
    // A target that declares no nodes says nothing of those of its pools.
    await api.updateDeploymentTarget({ id: 'numa', update_mask: 'numa_nodes', body: { numa_nodes: [] } })
    await update('numa-1', 'numa_nodes', { numa_nodes: [node(4, 0)] })
    const again = { ...target('numa'), numa_nodes }
    await expect(api.registerDeploymentTarget({ body: again })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      message: expect.stringContaining('NUMA node 0'),
    })
  })

  it('may not fall below what is pinned to them, or go with it', async () => {
    const id = await createAlone('pinned', { numa_nodes: [node(4, 4096), node(4, 4096), node(0, 4096)] })
    const pinned = pinnedText([node(2, 1024), node(0, 0), node(0, 1)])
    await useOf(id, { allocated: { ...zero, vcpus: 2, memory_mib: 1025 }, allocation_count: 1, pinned })
    for (const nodes of [
      [node(1, 4096), node(0, 0), node(0, 1)],
      [node(2, 1023), node(0, 0), node(0, 1)],
      [node(2, 1024), node(0, 0)],
      [],
    ]) {
      await expect(update(id, 'numa_nodes', { numa_nodes: nodes })).rejects.toMatchObject({
        ...failed,
        reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
        message: expect.stringContaining('NUMA node'),
      })
    }
    await update(id, 'numa_nodes', { numa_nodes: [node(2, 1024), node(0, 0), node(0, 1)] })
    expect((await store.get(poolCollection, id))?.value.pinned).toBe(pinned)
    await useOf(id, { pinned: pinnedText([node(2, 1024)]) })
    await update(id, 'numa_nodes', { numa_nodes: [node(2, 1024)] })
    expect((await store.get(poolCollection, id))?.value.pinned).toBe('2:1024')
  })
})

describe('a pool with allocations', () => {
  const allocated = { vcpus: 5, memory_mib: 4096, disk_gib: 100 }
  let id: string

  beforeAll(async () => {
    id = await createAlone('busy')
    await useOf(id, { allocated, allocation_count: 3 })
  })

  it('has less available, and the rest as before', async () => {
    expect(await api.getResourcePool({ id })).toMatchObject({
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
    await expect(update(id, mask, body)).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
      code: 8_006_005,
      details: { resource: { type: 'topology.resourcePools', name: id }, precondition: [{ subject: id }] },
    })
  })

  it('keeps what is allocated through changes of the rest', async () => {
    await update(id, 'capacity,overcommit', { capacity: allocated, overcommit: { vcpus: 2 } })
    expect(await api.getResourcePool({ id })).toMatchObject({
      allocatable: { ...allocated, vcpus: 10 },
      allocated,
      available: { ...zero, vcpus: 5 },
    })
    await expect(update(id, 'overcommit.vcpus,reserved.vcpus', { reserved: { vcpus: 1 } })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_CAPACITY_IN_USE',
    })
  })

  it('is not deleted, not by its cordon either', async () => {
    await update(id, 'schedulable', { schedulable: false })
    await expect(api.deleteResourcePool({ id })).rejects.toMatchObject({
      ...failed,
      reason: 'RESOURCE_POOL_IN_USE',
      details: { resource: { name: id } },
    })
    await useOf(id, { allocated: zero, allocation_count: 0 })
    await api.deleteResourcePool({ id })
  })
})

describe('a pool', () => {
  it('that a storage class instance uses is not deleted', async () => {
    const id = await createAlone('stored')
    const holder = { type: 'storage.classInstances', id: 'an-instance' }
    await store.tx(tx => addReference(tx, { type: 'topology.resourcePools', id }, holder))
    await expect(api.deleteResourcePool({ id })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_IN_USE',
      details: { precondition: [{ type: 'storage.classInstances', description: '1 left' }] },
    })
  })

  it('changes what people call it, and neither its zone nor its target', async () => {
    const id = await createAlone('plain', { display_name: 'Plain', labels: { tier: 'a' } })
    const before = await api.getResourcePool({ id })
    await api.updateResourcePool({ id: 'plain', body: { display_name: 'Fancy', capacity, etag: before.etag } })
    const after = await api.getResourcePool({ id })
    expect(after).toEqual({
      ...before,
      display_name: 'Fancy',
      labels: {},
      etag: expect.not.stringMatching(before.etag),
      update_time: after.update_time,
    })
    const stale = { id, update_mask: 'schedulable', body: { schedulable: false, etag: before.etag } }
    await expect(api.updateResourcePool(stale)).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    for (const body of [{ zone: 'local1-a' }, { deployment_target: 'local-sim' }, { name: 'other' }]) {
      const change = api.updateResourcePool({ id, update_mask: Object.keys(body).join(), body })
      await expect(change).rejects.toMatchObject({ reason: 'FIELD_IMMUTABLE' })
    }
    for (const [mask, body, reason] of [
      ['reserved', { reserved: { vcpus: 9 } }, 'FIELD_INVALID'],
      ['capacity.vcpus', { capacity: { vcpus: 9 }, reserved: { vcpus: 10 } }, 'FIELD_INVALID'],
      ['numa_nodes', { numa_nodes: [{ vcpus: 9, memory_mib: 0 }] }, 'NUMA_LAYOUT_INVALID'],
    ] as const) {
      const change = { ...body, ...('numa_nodes' in body && { numa_nodes: [...body.numa_nodes] }) }
      await expect(update(id, mask, change)).rejects.toMatchObject({ reason })
    }
  })

  it('is available as long as it, its zone and its target are', async () => {
    await createAlone('state')
    const state = async () => (await api.getResourcePool({ id: 'state' })).state
    const turns = [
      (isOn: boolean) => update('state', 'schedulable', { schedulable: isOn }),
      (isOn: boolean) => api.updateZone({ id: 'eu-west1-a', update_mask: 'schedulable', body: { schedulable: isOn } }),
      (isOn: boolean) => api[isOn ? 'enableLocation' : 'disableLocation']({ id: 'paris', body: {} }),
      (isOn: boolean) => {
        const body = { endpoint: isOn ? '' : 'https://agent.example' }
        return api.updateDeploymentTarget({ id: 'state', update_mask: 'endpoint', body })
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
