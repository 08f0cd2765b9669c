import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { VmInput } from '../../../../output/compute/types.ts'
import { addTenant } from '../../../areas/members.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { areasWithMachines } from '../../network/machines/machine-area.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold
let workspace: string
/** The subnet of all machines. */
let subnet_id: string
/** The name of the location, region and zone of the running test. */
let site: string
let count = 0

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests, areas: areasWithMachines })
  api = (await platform.admin()).api
  workspace = (await addTenant(api, 'acme')).workspace
  const path = { workspace, engine: 'native' }
  const net = { name: 'net', region: 'local1', cidr_blocks: ['10.20.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...path, body: net })
  const body = { name: 'all', vpc_id, cidr_block: '10.20.0.0/24' }
  subnet_id = (await api.network.createSubnet({ ...path, body })).resource_id
})

/** Makes a zone for each test, with a pool of 8 vcpus and two NUMA nodes. */
beforeEach(async () => {
  site = `site-${(count += 1)}`
  const { topology } = api
  const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
  const node = { vcpus: 4, memory_mib: 8192 }
  const sizes = { capacity, numa_nodes: [node, node] }
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  await topology.registerDeploymentTarget({ body: { name: site, location: site, driver, ...sizes } })
  await topology.approveLocation({ id: site, body: { region: site } })
  await topology.createZone({ body: { name: site, location: site } })
  await topology.createResourcePool({ body: { name: site, zone: site, deployment_target: site, ...sizes } })
})

async function machine(name: string, vcpus: number, more: Partial<VmInput> = {}): Promise<string> {
  const size = { cpu: { count: vcpus }, memory_mib: 2048, boot_disk: { image: 'debian-13', size_gib: 10 } }
  const body = { name: `${site}-${name}`, zone: site, ...size, network_interfaces: [{ subnet_id }], ...more }
  return (await api.compute.createVm({ workspace, body })).resource_id
}

const start = (id: string) => api.compute.startVm({ workspace, id, body: {} })
const stop = (id: string) => api.compute.stopVm({ workspace, id, body: {} })
const pool = () => api.topology.getResourcePool({ id: site })

const exhausted = {
  reason: 'ZONE_CAPACITY_EXHAUSTED',
  code: 1001019,
  rpc: 'RESOURCE_EXHAUSTED',
  response: { status: 429 },
}

describe('machines in a zone', () => {
  it('run on, and are not created or started, while the location is disabled (scenario 5)', async () => {
    const running = await machine('running', 2)
    await start(running)
    const stopped = await machine('stopped', 1)
    await start(stopped)
    await stop(stopped)
    await api.topology.disableLocation({ id: site, body: {} })
    expect(await api.topology.getZone({ id: site })).toMatchObject({ state: 'TOPOLOGY_ZONE_STATE_UNAVAILABLE' })
    const refused = {
      reason: 'ZONE_NOT_AVAILABLE',
      code: 1001018,
      rpc: 'FAILED_PRECONDITION',
      response: { status: 400 },
      metadata: { zone: site },
    }
    await expect(machine('new', 2)).rejects.toMatchObject(refused)
    await expect(start(stopped)).rejects.toMatchObject(refused)
    expect(await pool()).toMatchObject({ allocated: { vcpus: 2, memory_mib: 2048, disk_gib: 20 } })
    await stop(running)
    expect(await pool()).toMatchObject({ allocated: { vcpus: 0, memory_mib: 0, disk_gib: 20 } })
    await api.topology.enableLocation({ id: site, body: {} })
    await machine('new', 2)
    await start(stopped)
    expect(await pool()).toMatchObject({ allocated: { vcpus: 3, memory_mib: 4096, disk_gib: 30 }, allocation_count: 3 })
  })

  it('are refused beyond the capacity, which names the dimension, and leave neither port nor address', async () => {
    await machine('first', 6)
    await expect(machine('second', 3)).rejects.toMatchObject({
      ...exhausted,
      metadata: { zone: site, dimension: 'vcpus', requested: '3', available: '2' },
    })
    const { logical_ports } = await api.network.listLogicalPorts({
      workspace,
      engine: 'native',
      filter: `name = "${site}-second-nic0"`,
    })
    expect(logical_ports).toEqual([])
    await machine('second', 2)
  })

  it('give their processors and memory to others while they are stopped', async () => {
    const one = await machine('one', 8)
    await start(one)
    await stop(one)
    const two = await machine('two', 5)
    await expect(start(one)).rejects.toMatchObject({
      ...exhausted,
      metadata: { dimension: 'vcpus', requested: '8', available: '3' },
    })
    await api.compute.deleteVm({ workspace, id: two })
    await start(one)
  })

  it('are pinned to NUMA nodes, or refused', async () => {
    const numa = (...counts: number[]) => ({
      cpu: { count: counts.reduce((sum, each) => sum + each) },
      numa: { nodes: counts.map(vcpus => ({ vcpus, memory_mib: 2048 / counts.length })) },
    })
    await machine('one', 0, numa(3))
    await machine('two', 0, numa(3))
    await expect(machine('three', 0, numa(2))).rejects.toMatchObject({
      reason: 'VM_NUMA_UNSATISFIABLE',
      code: 1001011,
      rpc: 'RESOURCE_EXHAUSTED',
    })
    await machine('three', 0, numa(1, 1))
  })

  it('hold the zone and the pool, and free them with the last machine', async () => {
    const id = await machine('last', 1)
    await expect(api.topology.deleteResourcePool({ id: site })).rejects.toMatchObject({
      reason: 'RESOURCE_POOL_IN_USE',
      details: { precondition: [{ type: 'compute.vms', description: '1 left' }] },
    })
    await api.compute.deleteVm({ workspace, id })
    await api.topology.deleteResourcePool({ id: site })
    await api.topology.deleteZone({ id: site })
    expect(await doctorFindings(platform.config, areasWithMachines)).toEqual([])
  })
})
