import { beforeAll, describe, expect, it } from 'vitest'
import { openBeside } from '../../server/store/left-place.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { macAddresses } from '../../../domain/network/ports/mac-address.ts'
import { createPort } from '../../../domain/network/ports/create-port.ts'
import { portCollection } from '../../../domain/network/ports/ports-store.ts'
import { taxonomyFunctions } from '../../../domain/taxonomy/functions.ts'
import { areasWithMachines } from './machines/machine-area.ts'
import { tenantNetwork, type TenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

const engine = 'native'

let net: TenantNetwork
let vpc: string
let blocks = 0

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  vpc = await net.vpc('net-1', '10.20.0.0/16')
})

/** Creates a subnet of 8 addresses; returns its id and the first three bytes of its addresses, as text. */
async function smallSubnet(more = {}) {
  blocks += 1
  const prefix = `10.20.${blocks}`
  return { prefix, id: await net.subnet(vpc, `s-${blocks}`, `${prefix}.0/29`, more) }
}

const addressOf = async (name: string, subnet: string, ip?: string): Promise<string> =>
  (await net.portOf(await net.machine(name, subnet, ip))).ip_address

const ports = (more: object = {}) => net.api.network.listLogicalPorts({ workspace: net.workspace, engine, ...more })

describe('the addresses of ports', () => {
  it('are the lowest free addresses until the subnet is exhausted, and are free immediately after a release', async () => {
    const { id, prefix } = await smallSubnet()
    const machines: string[] = []
    for (const last of [2, 3, 4, 5]) {
      const machine = await net.machine(`lowest-${last}`, id)
      machines.push(machine)
      expect((await net.portOf(machine)).ip_address).toBe(`${prefix}.${last}`)
    }
    await expect(net.machine('lowest-6', id)).rejects.toMatchObject({
      reason: 'SUBNET_EXHAUSTED',
      code: 3002008,
      rpc: 'RESOURCE_EXHAUSTED',
      response: { status: 429 },
      domain: { name: 'network' },
    })
    expect((await ports({ filter: `name = "lowest-6-nic0"` })).logical_ports).toEqual([])
    expect(await net.getSubnet(id)).toMatchObject({ allocated_addresses: 4, available_addresses: 0 })
    await net.deleteMachine(machines[1] ?? '')
    expect(await addressOf('lowest-6', id)).toBe(`${prefix}.3`)
  })

  it('can be requested, even in a reserved range', async () => {
    const { id, prefix } = await smallSubnet({ reserved_ranges: [{ start: '10.20.2.2', end: '10.20.2.4' }] })
    expect(await addressOf('asked', id, `${prefix}.3`)).toBe(`${prefix}.3`)
    expect(await net.getSubnet(id)).toMatchObject({ allocated_addresses: 1, available_addresses: 1 })
    expect(await addressOf('lowest', id)).toBe(`${prefix}.5`)
    await expect(net.machine('full', id)).rejects.toMatchObject({ reason: 'SUBNET_EXHAUSTED' })
    expect(await addressOf('low', id, `${prefix}.2`)).toBe(`${prefix}.2`)
    expect(await addressOf('high', id, `${prefix}.4`)).toBe(`${prefix}.4`)
    await expect(net.machine('again', id, `${prefix}.3`)).rejects.toMatchObject({
      reason: 'IP_ADDRESS_IN_USE',
      rpc: 'ALREADY_EXISTS',
      response: { status: 409 },
      code: 3005002,
    })
  })

  it.each([
    ['outside of the subnet', '10.20.200.2'],
    ['the first', '.0'],
    ['the gateway', '.1'],
    ['the resolver', '.6'],
    ['the last', '.7'],
  ])('cannot be requested: %s', async (_, address) => {
    const { id, prefix } = await smallSubnet()
    const ip = address.startsWith('.') ? prefix + address : address
    await expect(net.machine('wrong', id, ip)).rejects.toMatchObject({
      reason: 'IP_ADDRESS_NOT_ASSIGNABLE',
      rpc: 'INVALID_ARGUMENT',
      response: { status: 400 },
      details: { badRequest: [{ field: 'network_interfaces[0].ip_address' }] },
    })
  })

  it('do not change etag and update_time of the subnet', async () => {
    const { id } = await smallSubnet()
    const { etag, update_time } = await net.getSubnet(id)
    await net.machine('untouched', id)
    expect(await net.getSubnet(id)).toMatchObject({ etag, update_time, allocated_addresses: 1 })
  })
})

describe('a logical port', () => {
  it('has the members of its machine and subnet, and a MAC address derived from its id', async () => {
    const { id: subnet_id } = await smallSubnet()
    const machine = await net.machine('web-1', subnet_id)
    const port = await net.portOf(machine)
    expect(port).toMatchObject({
      name: 'web-1-nic0',
      workspace_id: net.workspace,
      engine,
      region: 'local1',
      zone: 'local1-a',
      vpc_id: vpc,
      subnet_id,
      labels: {},
      state: 'NETWORK_LOGICAL_PORT_STATE_DOWN',
      attachment: { resource_type: 'compute.vms', resource_id: machine, interface: 'nic0' },
      effective_rules: [],
      mac_address: macAddresses(port.id)[0],
    })
    expect(port.mac_address).toMatch(/^02(:[0-9a-f]{2}){5}$/)
    const read = await net.api.network.getLogicalPort({ workspace: net.workspace, engine, id: port.id })
    expect({ ...read, effective_rules: [] }).toEqual(port)
  })

  it('changes with the power state and the labels of its machine', async () => {
    const { api, workspace } = net
    const { id: subnet } = await smallSubnet()
    const id = await net.machine('powered', subnet)
    await api.compute.startVm({ workspace, id, body: {} })
    expect(await net.portOf(id)).toMatchObject({ state: 'NETWORK_LOGICAL_PORT_STATE_UP' })
    await api.compute.updateVm({ workspace, id, update_mask: 'labels', body: { labels: { tier: 'web' } } })
    expect(await net.portOf(id)).toMatchObject({ labels: { tier: 'web' } })
    const { logical_ports } = await ports({ filter: 'labels.tier = "web"' })
    expect(logical_ports).toEqual([await net.portOf(id)])
    await api.compute.stopVm({ workspace, id, body: {} })
    expect(await net.portOf(id)).toMatchObject({ state: 'NETWORK_LOGICAL_PORT_STATE_DOWN' })
  })

  it('is sorted by its address as a number', async () => {
    const id = await net.subnet(vpc, 'wide', '10.20.100.0/24')
    const given = ['10.20.100.9', '10.20.100.100', '10.20.100.20']
    for (const [i, ip] of given.entries()) await net.machine(`sorted-${i}`, id, ip)
    const { logical_ports } = await ports({ filter: `subnet_id = "${id}"`, order_by: 'ip_address desc' })
    expect(logical_ports.map(({ ip_address }) => ip_address)).toEqual(['10.20.100.100', '10.20.100.20', '10.20.100.9'])
  })

  it('is absent for another workspace', async () => {
    const body = { name: 'beside' }
    const { organisation } = net
    const { resource_id: workspace } = await net.api.taxonomy.createWorkspace({ organisation, body })
    const [port] = (await ports()).logical_ports
    const call = net.api.network.getLogicalPort({ workspace, engine, id: port?.id ?? '' })
    await expect(call).rejects.toMatchObject({ reason: 'LOGICAL_PORT_NOT_FOUND', rpc: 'NOT_FOUND', code: 3005001 })
  })

  it('counts against the quota of its region, which is reported before exhaustion', async () => {
    const { api, workspace } = net
    const { id } = await smallSubnet()
    const quota_definition = 'network.logicalPorts'
    const limitPorts = async (limit: number) => {
      const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
      const body = { ...scope, dimensions: { region: 'local1' }, limit }
      return { quota_definition, id: (await api.network.createQuotaLimit({ quota_definition, body })).resource_id }
    }
    const exceeded = { reason: 'QUOTA_EXCEEDED', code: 3000006, domain: { name: 'network' } }
    const path = await limitPorts(0)
    await expect(net.machine('over', id)).rejects.toMatchObject({ ...exceeded, metadata: { limit: '0' } })
    await api.network.deleteQuotaLimit(path)
    for (const i of [1, 2, 3, 4]) await net.machine(`filling-${i}`, id)
    const { usage } = await api.network.getQuotaLimit(await limitPorts(1))
    expect(usage).toBeGreaterThanOrEqual(4)
    // The subnet is also exhausted; the response reports the quota nevertheless.
    const metadata = { quota: quota_definition, limit: '1', usage: String(usage), requested: '1', region: 'local1' }
    await expect(net.machine('over', id)).rejects.toMatchObject({ ...exceeded, metadata })
  })
})

describe('MAC addresses', () => {
  it('are six candidates of one id, each with the locally administered prefix', () => {
    const macs = macAddresses('01900000-0000-7000-8000-000000000001')
    expect(new Set(macs).size).toBe(6)
    for (const mac of macs) expect(mac).toMatch(/^02(:[0-9a-f]{2}){5}$/)
  })

  it('are the next candidate of the id if another port of the VPC has the first', async () => {
    const fresh = await tenantNetwork()
    const subnet_id = await fresh.subnet(await fresh.vpc('net-1', '10.20.0.0/16'), 's1', '10.20.1.0/24')
    const store = await openBeside(fresh.platform.config, storeCollections(areasWithMachines))
    const ids = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
    const vm = { id: ids[0] ?? '', name: 'twin', zone: 'local1-a', labels: {} }
    const parts = { clock: { now: () => 0, newId: () => ids[0] ?? '' }, taxonomy: taxonomyFunctions }
    const first = await store.tx(tx => createPort(parts, tx, { vm, nic: 'nic0', subnet_id }))
    const mac = macAddresses(ids[1] ?? '')
    await store.tx(async tx => {
      const port = await tx.lock(portCollection, first.id)
      if (port) await tx.update(portCollection, first.id, { ...port.value, mac_address: mac[0] ?? '' }, port.version)
    })
    const next = { ...parts, clock: { now: () => 0, newId: () => ids[1] ?? '' } }
    const second = await store.tx(tx => createPort(next, tx, { vm, nic: 'nic1', subnet_id }))
    expect(second.mac_address).toBe(mac[1])
    await store.close()
  })
})
