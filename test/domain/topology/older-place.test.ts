import { describe, expect, it } from 'vitest'
import { topology } from '../../../domain/topology/area.ts'
import { poolKind } from '../../../domain/topology/pools/pool-kind.ts'
import { zoneLedgers } from '../../../domain/topology/pools/zone-ledger.ts'
import { simulatedProbe } from '../../../domain/topology/probes/driver-probe.ts'
import { topologyArea as generated } from '../../../output/topology/area.ts'
import { area } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import type { Ninefold } from '../../../output/client.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { topologySettings } from '../../../server/topology/settings.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { addTenant } from '../../areas/members.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { testStorePlace } from '../../server/store/left-place.ts'

/** Returns the names of the locations, regions, zones, deployment targets and resource pools. */
async function inventory({ topology }: Ninefold): Promise<readonly (readonly string[])[]> {
  const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name)
  return [
    names((await topology.listLocations()).locations),
    names((await topology.listRegions()).regions),
    names((await topology.listZones()).zones),
    names((await topology.listDeploymentTargets()).deployment_targets),
    names((await topology.listResourcePools()).resource_pools),
  ]
}

const made = [['local'], ['local1'], ['local1-a'], ['local-sim'], ['local1-a-default']]
const nothing = [[], [], [], [], []]

it('a store from before the area gets its first inventory once, and serves VPCs in it', async () => {
  const { filled, place } = await olderPlace(['iam', 'taxonomy'], api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const vpc = { workspace: filled.workspace, engine: 'native' }
  for (const name of ['first', 'second']) {
    await whileOpen(place, async api => {
      expect(await doctorFindings(place)).toEqual([])
      expect(await inventory(api)).toEqual(made)
      const body = { name, region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
      await api.network.createVpc({ ...vpc, body })
      expect(await doctorFindings(place)).toEqual([])
    })
  }
})

it('a store from before resource pools keeps its inventory, and takes pools in it', async () => {
  const place = await testStorePlace()
  const capacity = { vcpus: 8, memory_mib: 1024, disk_gib: 10 }
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  const fill = async ({ topology }: Ninefold) => {
    await topology.registerDeploymentTarget({ body: { name: 'host', location: 'site', driver, capacity } })
    await topology.approveLocation({ id: 'site', body: { region: 'east' } })
    await topology.createZone({ body: { name: 'east-a', location: 'site' } })
  }
  await whileOpen(place, fill, withoutPools)
  await whileOpen(place, async api => {
    expect(await inventory(api)).toEqual([['site'], ['east'], ['east-a'], ['host'], []])
    const body = { name: 'pool', zone: 'east-a', deployment_target: 'host', capacity }
    await api.topology.createResourcePool({ body })
    expect(await api.topology.getResourcePool({ id: 'pool' })).toMatchObject({ available: capacity })
    await expect(api.topology.deleteZone({ id: 'east-a' })).rejects.toMatchObject({ reason: 'ZONE_IN_USE' })
  })
  expect(await doctorFindings(place)).toEqual([])
})

const { start: _bootstrap, ...built } = topology({
  TOPOLOGY_DRIVER_SIMULATED: simulatedProbe,
  TOPOLOGY_DRIVER_QEMU: simulatedProbe,
})

/** The areas of the server, with a topology that has no tables of pools and creates no first inventory. */
const withoutPools = areas.map(each => {
  if (each.domain.name !== 'topology') return each
  const kinds = built.kinds.filter(kind => kind !== poolKind)
  const collections = built.collections.filter(collection => collection !== zoneLedgers)
  return area({ generated, ...built, kinds, collections })
})

it('what an operator deleted stays deleted', async () => {
  const place = await testStorePlace()
  await whileOpen(place, async api => {
    await emptied(api)
    expect(await inventory(api)).toEqual([['local'], ['local1'], [], [], []])
  })
  await whileOpen(place, async api => {
    expect(await inventory(api)).toEqual([['local'], ['local1'], [], [], []])
    expect(await doctorFindings(place)).toEqual([])
  })
})

async function emptied({ topology }: Ninefold): Promise<void> {
  await topology.deleteResourcePool({ id: 'local1-a-default' })
  await topology.deleteZone({ id: 'local1-a' })
  await topology.deleteDeploymentTarget({ id: 'local-sim' })
}

describe('the setting topology.bootstrap', () => {
  const setting = (isOn: boolean) => ({ given: new GivenSettings().with(topologySettings['topology.bootstrap'], isOn) })

  it('makes nothing where it is false, and makes up for that once it is true', async () => {
    const place = await testStorePlace()
    expect(await whileOpen({ ...place, ...setting(false) }, inventory)).toEqual(nothing)
    expect(await whileOpen({ ...place, ...setting(true) }, inventory)).toEqual(made)
    expect(await doctorFindings(place)).toEqual([])
  })

  it('leaves the inventory alone that an operator made before', async () => {
    const place = await testStorePlace()
    await whileOpen({ ...place, ...setting(false) }, async api => {
      const driver = 'TOPOLOGY_DRIVER_SIMULATED'
      const capacity = { vcpus: 1, memory_mib: 1, disk_gib: 1 }
      await api.topology.registerDeploymentTarget({ body: { name: 'own', location: 'own', driver, capacity } })
    })
    expect(await whileOpen({ ...place, ...setting(true) }, inventory)).toEqual([['own'], [], [], ['own'], []])
  })

  it('makes one inventory where two servers start at once', async () => {
    const { config } = await testPlatform({ config: setting(false) })
    const { storeUrl } = config
    // Only one process can open a SQLite file, so two servers cannot start over the file.
    if (storeUrl === undefined) return
    const servers = await Promise.all([1, 2].map(() => testPlatform({ config: { storeUrl, ...setting(true) } })))
    for (const server of servers) expect(await inventory((await server.admin()).api)).toEqual(made)
    expect(await doctorFindings(config)).toEqual([])
  })
})
