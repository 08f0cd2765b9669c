import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let api: Ninefold['topology']

const capacity = { vcpus: 100, memory_mib: 100_000, disk_gib: 1000 }

beforeAll(async () => {
  api = (await (await testPlatform({ later: afterTests })).admin()).api.topology
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  for (const location of ['ash', 'birch']) {
    for (const [name, endpoint] of [
      [`${location}-up`, ''],
      [`${location}-down`, 'https://agent.example'],
    ] as const) {
      await api.registerDeploymentTarget({ body: { name, location, driver, capacity, endpoint } })
    }
    await api.approveLocation({ id: location, body: { region: 'wood', enable: location === 'ash' } })
    for (const schedulable of [true, false])
      await api.createZone({ body: { name: `${location}-${schedulable ? 'open' : 'shut'}`, location, schedulable } })
  }
  // One pool for each combination of a location, a target, a zone and a cordon.
  let vcpus = 0
  for (const location of ['ash', 'birch']) {
    for (const target of ['up', 'down']) {
      for (const zone of ['open', 'shut']) {
        for (const schedulable of [true, false]) {
          vcpus += 1
          await api.createResourcePool({
            body: {
              name: `${location}-${target}-${zone}-${schedulable ? 'free' : 'cordoned'}`,
              zone: `${location}-${zone}`,
              deployment_target: `${location}-${target}`,
              capacity: { vcpus, memory_mib: 100 - vcpus, disk_gib: vcpus % 3 },
              labels: { at: location },
              schedulable,
            },
          })
        }
      }
    }
  }
})

const list = async (query: object) => (await api.listResourcePools(query)).resource_pools
const names = async (query: object) => (await list(query)).map(({ name }) => name)

describe('the list of pools', () => {
  it('filters by the state that follows from cordon, zone and target', async () => {
    const up = await names({ filter: 'state = TOPOLOGY_RESOURCE_POOL_STATE_AVAILABLE' })
    expect(up).toEqual(['ash-up-open-free', 'local1-a-default'])
    const rest = await names({ filter: 'state != TOPOLOGY_RESOURCE_POOL_STATE_AVAILABLE', page_size: 100 })
    expect(rest).toHaveLength(15)
    const cordoned = 'state = TOPOLOGY_RESOURCE_POOL_STATE_UNAVAILABLE AND schedulable = true AND zone = ash-open'
    expect(await names({ filter: cordoned })).toEqual(['ash-down-open-free'])
  })

  it('shows the same state by a filter and without', async () => {
    const all = await list({ page_size: 100 })
    expect(all).toHaveLength(17)
    for (const state of new Set(all.map(pool => pool.state))) {
      expect(await list({ filter: `state = ${state}`, page_size: 100 })).toEqual(
        all.filter(pool => pool.state === state),
      )
    }
    for (const pool of all) expect(await api.getResourcePool({ id: pool.id })).toEqual(pool)
  })

  it('sorts by the state over pages', async () => {
    const found: string[] = []
    for await (const { name } of api.iterateResourcePools({ order_by: 'state, name', page_size: 3 })) found.push(name)
    expect(found.slice(0, 3)).toEqual(['ash-up-open-free', 'local1-a-default', 'ash-down-open-cordoned'])
    expect(found).toHaveLength(17)
    expect(new Set(found).size).toBe(17)
  })

  it.each([
    ['available.vcpus > 14', ['birch-down-shut-cordoned', 'birch-down-shut-free', 'local1-a-default']],
    ['available.memory_mib = 99', ['ash-up-open-free']],
    ['available.disk_gib = 0 AND labels.at = ash', ['ash-down-open-cordoned', 'ash-up-shut-free']],
    [
      'deployment_target:"birch*" AND zone = birch-shut AND schedulable = false',
      ['birch-down-shut-cordoned', 'birch-up-shut-cordoned'],
    ],
  ])('filters by %s', async (filter, expected) => {
    expect(await names({ filter })).toEqual(expected)
  })

  it.each([
    ['available.vcpus desc', 'local1-a-default'],
    ['available.vcpus', 'ash-up-open-free'],
    ['available.memory_mib', 'birch-down-shut-cordoned'],
    ['available.disk_gib, name desc', 'birch-up-shut-cordoned'],
    ['deployment_target, zone, name', 'ash-down-open-cordoned'],
    ['zone desc, name', 'local1-a-default'],
  ])('sorts by %s', async (order_by, first) => {
    expect((await names({ order_by, page_size: 1 }))[0]).toBe(first)
  })
})
