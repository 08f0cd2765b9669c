import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import type { DeploymentTargetRegistrationInput } from '../../../output/topology/types.ts'
import { addMember } from '../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { afterTests } from '../../undo.ts'

let platform: TestPlatform
let api: Ninefold['topology']

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api.topology
})

const parH1: DeploymentTargetRegistrationInput = {
  name: 'par-h1',
  location: 'paris',
  driver: 'TOPOLOGY_DRIVER_SIMULATED',
  capacity: { vcpus: 8, memory_mib: 16_384, disk_gib: 500 },
  location_hints: { proposed_region: 'eu-west1', country_code: 'FR' },
}

const precondition = { rpc: 'FAILED_PRECONDITION', response: { status: 400 } } as const

describe('a fresh server (scenario 1)', () => {
  it('has a region, a zone and a target', async () => {
    const { regions } = await api.listRegions()
    expect(regions).toMatchObject([
      { name: 'local1', locations: ['local'], zones: ['local1-a'], state: 'TOPOLOGY_REGION_STATE_AVAILABLE' },
    ])
    const { zones } = await api.listZones()
    expect(zones).toMatchObject([{ name: 'local1-a', region: 'local1', state: 'TOPOLOGY_ZONE_STATE_AVAILABLE' }])
    expect(await api.getDeploymentTarget({ id: 'local-sim' })).toMatchObject({
      capacity: { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 },
      state: 'TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY',
    })
    expect(await api.getLocation({ id: 'local' })).toMatchObject({
      state: 'TOPOLOGY_LOCATION_STATE_ENABLED',
      region: 'local1',
      approved_by: '00000000-0000-7000-8000-000000000001',
      deployment_target_count: 1,
      zone_count: 1,
    })
  })

  it('shows zones to everyone, and hosts to nobody who may not', async () => {
    const { api: theirs } = await addMember(platform, (await platform.admin()).api, {
      email: 'ann@sites.example',
      organisation_id: '',
    })
    expect((await theirs.topology.listZones()).zones).toHaveLength(1)
    expect(await theirs.topology.getRegion({ id: 'local1' })).toMatchObject({ name: 'local1' })
    for (const call of [
      () => theirs.topology.listDeploymentTargets(),
      () => theirs.topology.getLocation({ id: 'local' }),
      () => theirs.topology.listLocations(),
    ]) {
      await expect(call()).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
    }
  })
})

describe('a new location (scenarios 2 and 3)', () => {
  it('comes PENDING with its first target, and takes no zone', async () => {
    expect(await api.registerDeploymentTarget({ body: parH1 })).toMatchObject({
      operation_type: 'TOPOLOGY_OPERATION_TYPE_REGISTER',
      resource_type: 'topology.deploymentTargets',
      status: 'TOPOLOGY_OPERATION_STATUS_DONE',
      scope_type: 'TOPOLOGY_SCOPE_TYPE_PLATFORM',
      scope_id: '',
      warnings: [],
    })
    expect((await api.getDeploymentTarget({ id: 'par-h1' })).state).toBe('TOPOLOGY_DEPLOYMENT_TARGET_STATE_PENDING')
    expect(await api.getLocation({ id: 'paris' })).toMatchObject({
      state: 'TOPOLOGY_LOCATION_STATE_PENDING',
      region: '',
      proposed_region: 'eu-west1',
      country_code: 'FR',
    })
    await expect(api.createZone({ body: { name: 'eu-west1-a', location: 'paris' } })).rejects.toMatchObject({
      ...precondition,
      reason: 'LOCATION_NOT_APPROVED',
      details: { precondition: [{ subject: 'paris' }], resource: { type: 'topology.locations', name: 'paris' } },
    })
  })

  it('is approved once, and its region is there', async () => {
    for (const verb of ['enableLocation', 'disableLocation'] as const) {
      const refused = { ...precondition, reason: 'LOCATION_NOT_APPROVED', code: 8_002_002 }
      await expect(api[verb]({ id: 'paris', body: {} })).rejects.toMatchObject(refused)
    }
    expect(await api.approveLocation({ id: 'paris', body: { comment: 'rack 4 is in' } })).toMatchObject({
      operation_type: 'TOPOLOGY_OPERATION_TYPE_APPROVE',
      resource_type: 'topology.locations',
    })
    expect(await api.getLocation({ id: 'paris' })).toMatchObject({
      state: 'TOPOLOGY_LOCATION_STATE_ENABLED',
      region: 'eu-west1',
      state_reason: 'rack 4 is in',
      approved_by: (await platform.admin()).id,
    })
    expect(await api.getRegion({ id: 'eu-west1' })).toMatchObject({
      country_code: 'FR',
      locations: ['paris'],
      zones: [],
      multi_regions: [],
      state: 'TOPOLOGY_REGION_STATE_AVAILABLE',
    })
    expect((await api.getDeploymentTarget({ id: 'par-h1' })).state).toBe('TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY')
    await expect(api.approveLocation({ id: 'paris', body: {} })).rejects.toMatchObject({
      ...precondition,
      reason: 'LOCATION_ALREADY_APPROVED',
      metadata: { current_state: 'TOPOLOGY_LOCATION_STATE_ENABLED' },
    })
  })

  it('needs a region from its approval or from its first target', async () => {
    const { location_hints: _hints, ...unhinted } = parH1
    await api.registerDeploymentTarget({ body: { ...unhinted, name: 'oslo-1', location: 'oslo' } })
    await expect(api.approveLocation({ id: 'oslo', body: {} })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'region' }] },
    })
    await api.approveLocation({ id: 'oslo', body: { region: 'eu-west1', enable: false } })
    expect(await api.getLocation({ id: 'oslo' })).toMatchObject({ state: 'TOPOLOGY_LOCATION_STATE_DISABLED' })
    expect(await api.getRegion({ id: 'eu-west1' })).toMatchObject({ locations: ['oslo', 'paris'], country_code: 'FR' })
    // An approved location accepts zones in either state of the location.
    await api.createZone({ body: { name: 'oslo-a', location: 'oslo' } })
    expect(await api.getZone({ id: 'oslo-a' })).toMatchObject({
      region: 'eu-west1',
      state: 'TOPOLOGY_ZONE_STATE_UNAVAILABLE',
    })
  })
})

describe('a location that is disabled (scenario 5)', () => {
  it('makes its zones unavailable until it is enabled', async () => {
    await api.createZone({ body: { name: 'eu-west1-a', location: 'paris' } })
    const states = async () => [
      (await api.getZone({ id: 'eu-west1-a' })).state,
      (await api.getDeploymentTarget({ id: 'par-h1' })).state,
      (await api.getRegion({ id: 'eu-west1' })).state,
    ]
    const up = [
      'TOPOLOGY_ZONE_STATE_AVAILABLE',
      'TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY',
      'TOPOLOGY_REGION_STATE_AVAILABLE',
    ]
    expect(await states()).toEqual(up)
    await api.disableLocation({ id: 'paris', body: { reason: 'flood' } })
    expect(await states()).toEqual([
      'TOPOLOGY_ZONE_STATE_UNAVAILABLE',
      'TOPOLOGY_DEPLOYMENT_TARGET_STATE_DISABLED',
      'TOPOLOGY_REGION_STATE_UNAVAILABLE',
    ])
    await expect(api.disableLocation({ id: 'paris', body: {} })).rejects.toMatchObject({
      ...precondition,
      reason: 'LOCATION_STATE_INVALID',
      metadata: { current_state: 'TOPOLOGY_LOCATION_STATE_DISABLED' },
    })
    expect((await api.getLocation({ id: 'paris' })).state_reason).toBe('flood')
    const { etag } = await api.getLocation({ id: 'paris' })
    const stale = api.enableLocation({ id: 'paris', body: { etag: 'stale' } })
    await expect(stale).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    await api.enableLocation({ id: 'paris', body: { etag } })
    expect(await states()).toEqual(up)
    expect(await api.getLocation({ id: 'paris' })).toMatchObject({ state_reason: '', zone_count: 1 })
  })

  it('changes nothing about the cordon of a zone', async () => {
    await api.updateZone({ id: 'eu-west1-a', update_mask: 'schedulable', body: { schedulable: false } })
    expect((await api.getZone({ id: 'eu-west1-a' })).state).toBe('TOPOLOGY_ZONE_STATE_UNAVAILABLE')
    await api.disableLocation({ id: 'paris', body: {} })
    await api.enableLocation({ id: 'paris', body: {} })
    expect((await api.getZone({ id: 'eu-west1-a' })).state).toBe('TOPOLOGY_ZONE_STATE_UNAVAILABLE')
    await api.updateZone({ id: 'eu-west1-a', update_mask: 'schedulable', body: { schedulable: true } })
  })
})

describe('a multi-region (scenario 6)', () => {
  it('has two regions or more, and the state of all of them', async () => {
    const world = (regions: string[]) => api.createMultiRegion({ body: { name: 'world', regions } })
    await expect(world(['local1'])).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(world(['local1', 'local1'])).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(world(['local1', 'nowhere'])).rejects.toMatchObject({
      reason: 'REGION_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'regions[1]' }], resource: { type: 'topology.regions', name: 'nowhere' } },
    })
    await world(['local1', 'eu-west1'])
    await expect(world(['local1', 'eu-west1'])).rejects.toMatchObject({ reason: 'MULTI_REGION_ALREADY_EXISTS' })
    const state = async () => (await api.getMultiRegion({ id: 'world' })).state
    expect(await state()).toBe('TOPOLOGY_MULTI_REGION_STATE_AVAILABLE')
    expect((await api.getRegion({ id: 'local1' })).multi_regions).toEqual(['world'])
    await api.disableLocation({ id: 'paris', body: {} })
    expect(await state()).toBe('TOPOLOGY_MULTI_REGION_STATE_DEGRADED')
    await api.disableLocation({ id: 'local', body: {} })
    expect(await state()).toBe('TOPOLOGY_MULTI_REGION_STATE_UNAVAILABLE')
    const listed = (filter: string) => api.listMultiRegions({ filter })
    expect((await listed('state = TOPOLOGY_MULTI_REGION_STATE_UNAVAILABLE')).multi_regions).toHaveLength(1)
    expect((await listed('state = TOPOLOGY_MULTI_REGION_STATE_AVAILABLE')).multi_regions).toEqual([])
    expect((await listed('regions:"local1"')).multi_regions).toHaveLength(1)
    await api.enableLocation({ id: 'paris', body: {} })
    await api.enableLocation({ id: 'local', body: {} })
  })

  it('lets its regions go when nothing refers to it', async () => {
    await api.registerDeploymentTarget({ body: { ...parH1, name: 'rome-1', location: 'rome' } })
    await api.approveLocation({ id: 'rome', body: { region: 'eu-south1' } })
    const regions = ['eu-south1', 'eu-west1']
    await api.updateMultiRegion({ id: 'world', update_mask: 'regions', body: { regions } })
    expect((await api.getMultiRegion({ id: 'world' })).regions).toEqual(regions)
    expect((await api.getRegion({ id: 'local1' })).multi_regions).toEqual([])
    expect((await api.getRegion({ id: 'eu-south1' })).multi_regions).toEqual(['world'])
    await api.deleteMultiRegion({ id: 'world' })
    await expect(api.getMultiRegion({ id: 'world' })).rejects.toMatchObject({ reason: 'MULTI_REGION_NOT_FOUND' })
    expect((await api.getRegion({ id: 'eu-south1' })).multi_regions).toEqual([])
  })
})
