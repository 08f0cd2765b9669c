import { beforeAll, describe, expect, it } from 'vitest'
import { targetCollection } from '../../../domain/topology/sites/targets-store.ts'
import { targetKind } from '../../../domain/topology/sites/kinds.ts'
import { probing } from '../../../domain/topology/probes/probing.ts'
import { simulatedProbe, type DriverFacts, type DriverProbes } from '../../../domain/topology/probes/driver-probe.ts'
import { addReference, dropReference } from '../../../domain/resources/references.ts'
import type { Ninefold } from '../../../output/client.ts'
import type { DeploymentTargetRegistrationInput } from '../../../output/topology/types.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { topologyArea } from '../../../server/topology/area.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { afterTests } from '../../undo.ts'

let api: Ninefold['topology']
let store: ServerStore
/** The result of the probe of QEMU. */
let qemu: DriverFacts = { isRunning: true, message: '' }

const host = { vcpus: 4, memoryMib: 8192 }
const probes: DriverProbes = {
  TOPOLOGY_DRIVER_SIMULATED: simulatedProbe,
  TOPOLOGY_DRIVER_QEMU: async () => ({ host, ...qemu }),
}

beforeAll(async () => {
  const mounted = areas.map(each => (each.domain.name === 'topology' ? topologyArea(probes) : each))
  const platform = await testPlatform({ later: afterTests, areas: mounted })
  api = (await platform.admin()).api.topology
  store = await openBeside(platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }

const registration = (name: string, more: Partial<DeploymentTargetRegistrationInput> = {}) => ({
  name,
  location: 'local',
  driver: 'TOPOLOGY_DRIVER_SIMULATED' as const,
  capacity,
  ...more,
})

const register = (name: string, more: Partial<DeploymentTargetRegistrationInput> = {}) =>
  api.registerDeploymentTarget({ body: registration(name, more) })

describe('a registration', () => {
  it.each(['1', '*'])(
    'with the etag %j creates no target, because an etag belongs to an existing target',
    async etag => {
      await expect(register('absent', { etag })).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
      await expect(api.getDeploymentTarget({ id: 'absent' })).rejects.toMatchObject({ rpc: 'NOT_FOUND' })
    },
  )

  it('that is repeated renews what it gives, and keeps the rest', async () => {
    const first = await register('h1', { display_name: 'One', labels: { tier: 'a' }, agent_version: '1.0' })
    const before = await api.getDeploymentTarget({ id: 'h1' })
    const again = await register('h1', {
      display_name: 'Other',
      capacity: { ...capacity, vcpus: 16 },
      numa_nodes: [{ vcpus: 16, memory_mib: 16_384 }],
    })
    expect(again).toMatchObject({ operation_type: 'TOPOLOGY_OPERATION_TYPE_REGISTER', resource_id: first.resource_id })
    const after = await api.getDeploymentTarget({ id: 'h1' })
    expect(after).toEqual({
      ...before,
      capacity: { ...capacity, vcpus: 16 },
      numa_nodes: [{ vcpus: 16, memory_mib: 16_384 }],
      etag: expect.not.stringMatching(before.etag),
      update_time: after.update_time,
      last_register_time: after.last_register_time,
    })
  })

  it('that gives nothing new moves the time of registration alone', async () => {
    const before = await api.getDeploymentTarget({ id: 'h1' })
    await register('h1', { capacity: before.capacity })
    const after = await api.getDeploymentTarget({ id: 'h1' })
    expect(after).toEqual({ ...before, last_register_time: after.last_register_time })
    expect(after.last_register_time > before.last_register_time).toBe(true)
  })

  it.each([
    ['location', { location: 'elsewhere' }],
    ['driver', { driver: 'TOPOLOGY_DRIVER_QEMU' }],
  ] as const)('of a known name with another %s is refused, and makes nothing', async (_, more) => {
    await expect(register('h1', more)).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_ALREADY_EXISTS',
      response: { status: 409 },
      details: { resource: { type: 'topology.deploymentTargets', name: 'h1' } },
    })
    await expect(api.getLocation({ id: 'elsewhere' })).rejects.toMatchObject({ reason: 'LOCATION_NOT_FOUND' })
  })

  it('compares an etag with that of the target it renews', async () => {
    await expect(register('h1', { etag: 'stale' })).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    const { capacity, etag } = await api.getDeploymentTarget({ id: 'h1' })
    await register('h1', { capacity, etag })
  })

  it('keeps the hints of the first registration of a location', async () => {
    const first = { proposed_region: 'eu-north1', country_code: 'SE', city: 'Luleå', latitude: 65.58, longitude: 22.15 }
    await register('n1', { location: 'lulea', location_hints: first })
    await register('n2', { location: 'lulea', location_hints: { proposed_region: 'other1', country_code: 'NO' } })
    expect(await api.getLocation({ id: 'lulea' })).toMatchObject({ ...first, deployment_target_count: 2 })
  })

  it.each([
    ['more processors than the capacity', [{ vcpus: 9, memory_mib: 1 }]],
    [
      'more memory than the capacity',
      [
        { vcpus: 4, memory_mib: 16_384 },
        { vcpus: 4, memory_mib: 1 },
      ],
    ],
  ])('with nodes of %s is refused', async (_, numa_nodes) => {
    await expect(register('bad', { numa_nodes })).rejects.toMatchObject({
      reason: 'NUMA_LAYOUT_INVALID',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'numa_nodes' }] },
    })
  })

  it('judges the nodes that a renewal keeps by the capacity that it gives', async () => {
    await register('numa', { numa_nodes: [{ vcpus: 8, memory_mib: 1024 }] })
    const smaller = { capacity: { ...capacity, vcpus: 4 } }
    await expect(register('numa', smaller)).rejects.toMatchObject({ reason: 'NUMA_LAYOUT_INVALID' })
    await expect(
      api.updateDeploymentTarget({ id: 'numa', update_mask: 'capacity.vcpus', body: { capacity: { vcpus: 4 } } }),
    ).rejects.toMatchObject({ reason: 'NUMA_LAYOUT_INVALID' })
    await register('numa', { ...smaller, numa_nodes: [] })
  })
})

describe('a target', () => {
  it('with an endpoint is in ERROR, since there are no agents', async () => {
    await register('remote', { endpoint: 'https://agent.example:8443' })
    const state = 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_ERROR'
    expect(await api.getDeploymentTarget({ id: 'remote' })).toMatchObject({
      state,
      state_message: expect.stringContaining('no agents'),
    })
    await api.updateDeploymentTarget({ id: 'remote', update_mask: 'endpoint', body: { endpoint: '' } })
    expect(await api.getDeploymentTarget({ id: 'remote' })).toMatchObject({
      state: 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY',
      state_message: '',
    })
  })

  it('cannot move to another location or driver', async () => {
    for (const body of [{ location: 'elsewhere' }, { driver: 'TOPOLOGY_DRIVER_QEMU' }] as const) {
      const update_mask = Object.keys(body).join()
      const moved = api.updateDeploymentTarget({ id: 'h1', update_mask, body })
      await expect(moved).rejects.toMatchObject({ reason: 'FIELD_IMMUTABLE' })
    }
  })

  it('is deleted when nothing is on it, and its location stays', async () => {
    const { resource_id: id } = await register('gone', { location: 'ghost-town' })
    const target = { type: targetKind.type, id }
    const holder = { type: 'topology.resourcePools', id: 'a-pool' }
    await store.tx(tx => addReference(tx, target, holder))
    await expect(api.deleteDeploymentTarget({ id: 'gone' })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_IN_USE',
      rpc: 'FAILED_PRECONDITION',
      details: { precondition: [{ type: holder.type, subject: id, description: '1 left' }] },
    })
    await store.tx(tx => dropReference(tx, target, holder))
    await api.deleteDeploymentTarget({ id: 'gone' })
    await expect(api.getDeploymentTarget({ id: 'gone' })).rejects.toMatchObject({
      reason: 'DEPLOYMENT_TARGET_NOT_FOUND',
    })
    expect(await api.getLocation({ id: 'ghost-town' })).toMatchObject({ deployment_target_count: 0 })
  })
})

describe('a target of QEMU', () => {
  it('warns where it declares more than its host has', async () => {
    const { warnings } = await register('q1', { driver: 'TOPOLOGY_DRIVER_QEMU' })
    expect(warnings).toEqual([
      { code: 8_001_090, description: 'q1 declares 8 processors, more than the 4 that the host has' },
      { code: 8_001_090, description: 'q1 declares 16384 MiB of memory, more than the 8192 MiB that the host has' },
    ])
    const fitting = { capacity: { vcpus: 4, memory_mib: 8192, disk_gib: 1 } }
    const updated = await api.updateDeploymentTarget({ id: 'q1', update_mask: 'capacity', body: fitting })
    expect(updated.warnings).toEqual([])
    expect((await api.getDeploymentTarget({ id: 'q1' })).state).toBe('TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY')
  })

  it('follows its probe, which leaves etag and update time alone', async () => {
    const before = await api.getDeploymentTarget({ id: 'q1' })
    const probed: string[] = []
    const use = { requireRoom: async () => {}, probed: async (_tx: unknown, name: string) => void probed.push(name) }
    const { run } = probing({ store }, probes, use)
    const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
    qemu = { isRunning: false, message: 'qemu-system-x86_64 not found' }
    await run(turn)
    await run(turn)
    expect(await api.getDeploymentTarget({ id: 'q1' })).toEqual({
      ...before,
      state: 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_ERROR',
      state_message: 'qemu-system-x86_64 not found',
    })
    qemu = { isRunning: true, message: '' }
    await run(turn)
    expect(await api.getDeploymentTarget({ id: 'q1' })).toEqual(before)
    expect(probed).toEqual(['q1', 'q1'])
    expect(await store.count(targetCollection, { probe: 'FAILED' })).toBe(0)
  })
})
