import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { afterTests } from '../../undo.ts'

let api: Ninefold['topology']

const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }

beforeAll(async () => {
  api = (await (await testPlatform({ later: afterTests })).admin()).api.topology
  // In addition to `local`, each state has a location with two targets, one of which is in ERROR.
  for (const location of ['ash', 'birch', 'cedar']) {
    for (const [name, endpoint] of [
      [`${location}-1`, ''],
      [`${location}-2`, 'https://agent.example'],
    ] as const) {
      const labels = { at: location }
      await api.registerDeploymentTarget({
        body: { name, location, driver: 'TOPOLOGY_DRIVER_SIMULATED', capacity, endpoint, labels },
      })
    }
  }
  await api.approveLocation({ id: 'birch', body: { region: 'wood' } })
  await api.approveLocation({ id: 'cedar', body: { region: 'grove', enable: false } })
  for (const location of ['birch', 'cedar']) {
    for (const schedulable of [true, false]) {
      await api.createZone({ body: { name: `${location}-${schedulable ? 'open' : 'shut'}`, location, schedulable } })
    }
  }
  await api.createMultiRegion({ body: { name: 'degraded', regions: ['wood', 'grove'] } })
  await api.createMultiRegion({ body: { name: 'whole', regions: ['wood', 'local1'] } })
})

const short = (state: string): string => state.replace(/^.*_STATE_/, '')

type Rows = readonly { readonly name: string; readonly state: string }[]

const told = (rows: Rows): readonly string[] => rows.map(({ name, state }) => `${name} ${short(state)}`)

const targets = async (query: object): Promise<Rows> => (await api.listDeploymentTargets(query)).deployment_targets
const zones = async (query: object): Promise<Rows> => (await api.listZones(query)).zones
const regions = async (query: object): Promise<Rows> => (await api.listRegions(query)).regions
const multiRegions = async (query: object): Promise<Rows> => (await api.listMultiRegions(query)).multi_regions
const locations = async (query: object): Promise<Rows> => (await api.listLocations(query)).locations

describe('lists', () => {
  it('filter by derived states and sort by them in their declared order', async () => {
    expect(told(await targets({ order_by: 'state desc, name' }))).toEqual([
      'birch-2 ERROR',
      'cedar-1 DISABLED',
      'cedar-2 DISABLED',
      'birch-1 READY',
      'local-sim READY',
      'ash-1 PENDING',
      'ash-2 PENDING',
    ])
    const failed = 'NOT state = TOPOLOGY_DEPLOYMENT_TARGET_STATE_READY AND labels.at = birch'
    expect(told(await targets({ filter: failed }))).toEqual(['birch-2 ERROR'])
    expect(told(await zones({ order_by: 'state, name desc' }))).toEqual([
      'local1-a AVAILABLE',
      'birch-open AVAILABLE',
      'cedar-shut UNAVAILABLE',
      'cedar-open UNAVAILABLE',
      'birch-shut UNAVAILABLE',
    ])
    const cordoned = 'state = TOPOLOGY_ZONE_STATE_UNAVAILABLE AND schedulable = true'
    expect(told(await zones({ filter: cordoned }))).toEqual(['cedar-open UNAVAILABLE'])
    const down = { filter: 'state != TOPOLOGY_REGION_STATE_AVAILABLE' }
    expect(told(await regions(down))).toEqual(['grove UNAVAILABLE'])
    expect(told(await multiRegions({ order_by: 'state desc' }))).toEqual(['degraded DEGRADED', 'whole AVAILABLE'])
    const pending = { filter: 'state = TOPOLOGY_LOCATION_STATE_PENDING' }
    expect(told(await locations(pending))).toEqual(['ash PENDING'])
  })

  it('go on by derived states over pages', async () => {
    const names: string[] = []
    const query = { order_by: 'state, name', page_size: 2 }
    for await (const { name } of api.iterateDeploymentTargets(query)) names.push(name)
    expect(names).toEqual(['ash-1', 'ash-2', 'birch-1', 'local-sim', 'cedar-1', 'cedar-2', 'birch-2'])
  })

  it('show the same state by derived filters and without', async () => {
    for (const list of [targets, zones, regions, multiRegions, locations]) {
      const all = await list({})
      for (const state of new Set(all.map(row => row.state))) {
        const expected = all.filter(row => row.state === state)
        expect(await list({ filter: `state = ${state}` })).toEqual(expected)
      }
    }
  })

  it('show what regions and locations consist of', async () => {
    expect((await api.listRegions({ filter: 'name = wood' })).regions).toMatchObject([
      { locations: ['birch'], zones: ['birch-open', 'birch-shut'], multi_regions: ['degraded', 'whole'] },
    ])
    const { locations: found } = await api.listLocations({ order_by: 'region desc, name' })
    expect(found.map(each => [each.name, each.deployment_target_count, each.zone_count])).toEqual([
      ['birch', 2, 2],
      ['local', 1, 1],
      ['cedar', 2, 2],
      ['ash', 2, 0],
    ])
  })

  it('narrow by what a row says', async () => {
    expect(told(await zones({ filter: 'region = wood AND location:"bir*"' }))).toHaveLength(2)
    expect(told(await multiRegions({ filter: 'regions:grove' }))).toEqual(['degraded DEGRADED'])
    expect(told(await targets({ filter: 'driver = TOPOLOGY_DRIVER_QEMU' }))).toEqual([])
    expect(told(await targets({ filter: 'labels.at:*', order_by: 'location desc', page_size: 1 }))).toEqual([
      'cedar-1 DISABLED',
    ])
  })

  it('declare what they filter and sort by', async () => {
    const { filter_schemas } = await api.listFilterSchemas()
    expect(filter_schemas.map(({ resource }) => resource)).toEqual([
      'deploymentTargets',
      'locations',
      'multiRegions',
      'operations',
      'regions',
      'resourcePools',
      'zones',
    ])
    const { operations } = await api.listOperations({ filter: 'operation_type = TOPOLOGY_OPERATION_TYPE_APPROVE' })
    expect(operations.map(({ resource_type }) => resource_type)).toEqual(['topology.locations', 'topology.locations'])
  })
})
