import { beforeAll, describe, expect, it } from 'vitest'
import { tenantNetwork, type SubnetMembers, type TenantNetwork } from './machines/tenant-network.ts'
import { afterTests } from '../../undo.ts'

const engine = 'native'

let net: TenantNetwork
let vpc: string
let made = 0

beforeAll(async () => {
  net = await tenantNetwork(afterTests)
  vpc = await net.vpc('net-1', '10.20.0.0/16', '192.168.0.0/24')
})

const nextName = (): string => `subnet-${(made += 1)}`

const update = (id: string, body: object, update_mask?: string) =>
  net.api.network.updateSubnet({
    workspace: net.workspace,
    engine,
    id,
    body,
    ...(update_mask !== undefined && { update_mask }),
  })

describe('a subnet', () => {
  it('is created with a gateway, counts and the region of its VPC', async () => {
    const { api, workspace } = net
    const body = { name: 's1', vpc_id: vpc, cidr_block: '10.20.1.0/24' }
    const operation = await api.network.createSubnet({ workspace, engine, body })
    expect(operation).toMatchObject({ status: 'NETWORK_OPERATION_STATUS_DONE', resource_type: 'network.subnets' })
    expect(await net.getSubnet(operation.resource_id)).toMatchObject({
      gateway_address: '10.20.1.1',
      total_addresses: 256,
      usable_addresses: 252,
      allocated_addresses: 0,
      available_addresses: 252,
      region: 'local1',
      state: 'NETWORK_SUBNET_STATE_ACTIVE',
      reserved_ranges: [],
      dns_servers: [],
    })
  })

  it.each<readonly [string, SubnetMembers, object]>([
    [
      'overlaps another subnet',
      { cidr_block: '10.20.1.128/25' },
      {
        reason: 'SUBNET_CIDR_OVERLAP',
        rpc: 'FAILED_PRECONDITION',
        response: { status: 400 },
        metadata: { conflicting_cidr_block: '10.20.1.0/24' },
      },
    ],
    [
      'lies in no block',
      { cidr_block: '10.21.0.0/24' },
      { reason: 'SUBNET_CIDR_OUTSIDE_VPC', rpc: 'INVALID_ARGUMENT' },
    ],
    ['is larger than a block', { cidr_block: '10.0.0.0/8' }, { reason: 'SUBNET_CIDR_OUTSIDE_VPC' }],
    ['has host bits', { cidr_block: '10.20.2.5/24' }, { reason: 'SUBNET_CIDR_INVALID', rpc: 'INVALID_ARGUMENT' }],
    ['is smaller than /29', { cidr_block: '10.20.2.0/30' }, { reason: 'SUBNET_CIDR_INVALID' }],
    ['is not a block', { cidr_block: '10.20.2.0' }, { reason: 'FIELD_INVALID' }],
    [
      'names an absent VPC',
      { vpc_id: '01900000-0000-7000-8000-0000000000ff' },
      { reason: 'VPC_NOT_FOUND', rpc: 'INVALID_ARGUMENT' },
    ],
    [
      'has a gateway outside',
      { gateway_address: '10.20.3.1' },
      { reason: 'SUBNET_GATEWAY_INVALID', rpc: 'INVALID_ARGUMENT' },
    ],
    ['has its first address as gateway', { gateway_address: '10.20.2.0' }, { reason: 'SUBNET_GATEWAY_INVALID' }],
    ['has the resolver as gateway', { gateway_address: '10.20.2.254' }, { reason: 'SUBNET_GATEWAY_INVALID' }],
    ['has its last address as gateway', { gateway_address: '10.20.2.255' }, { reason: 'SUBNET_GATEWAY_INVALID' }],
    ['has a gateway that is not an address', { gateway_address: '10.20.2.256' }, { reason: 'FIELD_INVALID' }],
    [
      'reserves addresses outside',
      { reserved_ranges: [{ start: '10.20.2.9' }, { start: '10.20.2.250', end: '10.20.3.1' }] },
      {
        reason: 'SUBNET_RESERVED_RANGE_INVALID',
        rpc: 'INVALID_ARGUMENT',
        details: { badRequest: [{ field: 'reserved_ranges[1]' }] },
      },
    ],
    [
      'reserves an inverted range',
      { reserved_ranges: [{ start: '10.20.2.9', end: '10.20.2.8' }] },
      { reason: 'SUBNET_RESERVED_RANGE_INVALID' },
    ],
    [
      'reserves an address twice',
      { reserved_ranges: [{ start: '10.20.2.9', end: '10.20.2.12' }, { start: '10.20.2.12' }] },
      { reason: 'SUBNET_RESERVED_RANGE_INVALID' },
    ],
    [
      'has the name of another subnet',
      { name: 's1', cidr_block: '10.20.1.0/24' },
      { reason: 'SUBNET_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' },
    ],
  ])('that %s is refused', async (_, more, refusal) => {
    const { api, workspace } = net
    const body = { name: nextName(), vpc_id: vpc, cidr_block: '10.20.2.0/24', ...more }
    await expect(api.network.createSubnet({ workspace, engine, body })).rejects.toMatchObject(refusal)
  })

  it('may use the addresses of another VPC, and the same name in another VPC', async () => {
    const other = await net.vpc('net-2', '10.20.0.0/16')
    await net.subnet(other, 's1', '10.20.1.0/24')
  })

  it('with another gateway frees the second address', async () => {
    const id = await net.subnet(vpc, nextName(), '10.20.40.0/29', { gateway_address: '10.20.40.4' })
    expect(await net.getSubnet(id)).toMatchObject({ gateway_address: '10.20.40.4', available_addresses: 4 })
    expect((await net.portOf(await net.machine('second', id))).ip_address).toBe('10.20.40.1')
  })

  it('returns a reserved range with its end, and does not count it as available', async () => {
    const reserved_ranges = [{ start: '10.20.41.0', end: '10.20.41.3' }, { start: '10.20.41.5' }]
    const id = await net.subnet(vpc, nextName(), '10.20.41.0/29', { reserved_ranges })
    const subnet = await net.getSubnet(id)
    expect(subnet).toMatchObject({
      usable_addresses: 4,
      available_addresses: 1,
      reserved_ranges: [
        { start: '10.20.41.0', end: '10.20.41.3' },
        { start: '10.20.41.5', end: '10.20.41.5' },
      ],
    })
    await update(id, { reserved_ranges }, 'reserved_ranges')
    expect(await net.getSubnet(id)).toEqual(subnet)
  })

  it('changes its reserved ranges, and keeps addresses of ports', async () => {
    const id = await net.subnet(vpc, nextName(), '10.20.42.0/29')
    const machine = await net.machine('keeper', id)
    const before = await net.getSubnet(id)
    await update(id, { reserved_ranges: [{ start: '10.20.42.2', end: '10.20.42.4' }] }, 'reserved_ranges')
    const after = await net.getSubnet(id)
    expect(after).toMatchObject({ allocated_addresses: 1, available_addresses: 1 })
    expect(after.etag).not.toBe(before.etag)
    expect((await net.portOf(await net.machine('next', id))).ip_address).toBe('10.20.42.5')
    await expect(net.machine('late', id)).rejects.toMatchObject({ reason: 'SUBNET_EXHAUSTED' })
    await net.deleteMachine(machine)
    expect(await net.getSubnet(id)).toMatchObject({ allocated_addresses: 1, available_addresses: 0 })
    await update(id, { reserved_ranges: [] }, 'reserved_ranges')
    expect(await net.getSubnet(id)).toMatchObject({ allocated_addresses: 1, available_addresses: 3 })
    await expect(update(id, { reserved_ranges: [{ start: '10.20.43.1' }] }, 'reserved_ranges')).rejects.toMatchObject({
      reason: 'SUBNET_RESERVED_RANGE_INVALID',
      details: { badRequest: [{ field: 'reserved_ranges[0]' }] },
    })
  })

  it.each([
    ['vpc_id', '01900000-0000-7000-8000-0000000000ff'],
    ['cidr_block', '10.20.44.0/24'],
    ['gateway_address', '10.20.44.9'],
    ['name', 'other'],
  ])('keeps its %s', async (member, value) => {
    const [subnet] = (await net.api.network.listSubnets({ workspace: net.workspace, engine, page_size: 1 })).subnets
    const current: unknown = Reflect.get(subnet ?? {}, member)
    await expect(update(subnet?.id ?? '', { [member]: value }, member)).rejects.toMatchObject({
      reason: 'FIELD_IMMUTABLE',
    })
    await update(subnet?.id ?? '', { [member]: current }, member)
  })

  it('warns about new name servers while a port is UP', async () => {
    const id = await net.subnet(vpc, nextName(), '10.20.45.0/29')
    const machine = await net.machine('resolving', id)
    expect(await update(id, { dns_servers: ['1.1.1.1'] }, 'dns_servers')).toMatchObject({ warnings: [] })
    await net.api.compute.startVm({ workspace: net.workspace, id: machine, body: {} })
    expect(await update(id, { dns_servers: ['9.9.9.9'] }, 'dns_servers')).toMatchObject({
      warnings: [{ code: 3001090 }],
    })
    expect(await update(id, { display_name: 'names' }, 'display_name')).toMatchObject({ warnings: [] })
  })

  it('is listed by its filters and orders', async () => {
    const { api, workspace } = net
    const filter = 'available_addresses > 200 AND cidr_block = "10.20.1.0/24"'
    const order_by = 'available_addresses desc'
    const { subnets } = await api.network.listSubnets({ workspace, engine, filter, order_by })
    expect(subnets.map(({ name }) => name)).toEqual(['s1', 's1'])
  })

  it('is absent for another workspace', async () => {
    const { organisation } = net
    const body = { name: 'beside' }
    const { resource_id: workspace } = await net.api.taxonomy.createWorkspace({ organisation, body })
    const [subnet] = (await net.api.network.listSubnets({ workspace: net.workspace, engine })).subnets
    const absent = { reason: 'SUBNET_NOT_FOUND', rpc: 'NOT_FOUND', response: { status: 404 } }
    await expect(net.api.network.getSubnet({ workspace, engine, id: subnet?.id ?? '' })).rejects.toMatchObject(absent)
    const request = { workspace, engine, body: { name: 'x', vpc_id: vpc, cidr_block: '10.20.90.0/24' } }
    await expect(net.api.network.createSubnet(request)).rejects.toMatchObject({ reason: 'VPC_NOT_FOUND' })
  })

  it('counts against the quota of its VPC', async () => {
    const full = await net.vpc('net-full', '172.16.0.0/16')
    for (let i = 0; i < 32; i += 1) await net.subnet(full, `s-${i}`, `172.16.${i}.0/24`)
    await expect(net.subnet(full, 's-32', '172.16.32.0/24')).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: 'network.subnets', limit: '32', vpc_id: full },
    })
  })
})

describe('a VPC with subnets', () => {
  it('counts its subnets and ports, and can be deleted after them', async () => {
    const { api, workspace } = net
    const id = await net.vpc('net-counted', '10.30.0.0/16')
    const s1 = await net.subnet(id, 's1', '10.30.1.0/24')
    await net.subnet(id, 's2', '10.30.2.0/24')
    const machine = await net.machine('counted', s1)
    const counts = { subnet_count: 2, logical_port_count: 1 }
    expect(await api.network.getVpc({ workspace, engine, id })).toMatchObject(counts)
    const { vpcs } = await api.network.listVpcs({ workspace, engine, filter: 'name = "net-counted"' })
    expect(vpcs).toMatchObject([counts])
    const inUse = { rpc: 'FAILED_PRECONDITION', response: { status: 400 } }
    await expect(api.network.deleteSubnet({ workspace, engine, id: s1 })).rejects.toMatchObject({
      ...inUse,
      reason: 'SUBNET_IN_USE',
      details: { precondition: [{ type: 'network.logicalPorts', subject: s1, description: '1 left' }] },
    })
    await expect(api.network.deleteVpc({ workspace, engine, id })).rejects.toMatchObject({
      ...inUse,
      reason: 'VPC_IN_USE',
      details: { precondition: [{ type: 'network.subnets', subject: id, description: '2 left' }] },
    })
    await net.deleteMachine(machine)
    for await (const { id: subnet, vpc_id } of api.network.iterateSubnets({ workspace, engine })) {
      if (vpc_id === id) await api.network.deleteSubnet({ workspace, engine, id: subnet })
    }
    await api.network.deleteVpc({ workspace, engine, id })
  })

  it('replaces its blocks only while each subnet lies in one of them', async () => {
    const { api, workspace } = net
    const id = await net.vpc('net-replaced', '10.40.0.0/16')
    const subnet = await net.subnet(id, 's1', '10.40.8.0/24')
    const replace = (...cidr_blocks: string[]) =>
      api.network.updateVpc({ workspace, engine, id, update_mask: 'cidr_blocks', body: { cidr_blocks } })
    await expect(replace('10.41.0.0/16')).rejects.toMatchObject({
      reason: 'VPC_CIDR_IN_USE',
      rpc: 'FAILED_PRECONDITION',
      response: { status: 400 },
      details: { precondition: [{ type: 'network.subnets', subject: subnet }] },
    })
    await expect(replace('10.40.8.0/25', '10.40.8.128/25')).rejects.toMatchObject({ reason: 'VPC_CIDR_IN_USE' })
    await replace('10.40.8.0/24', '10.50.0.0/16')
    await replace('10.40.0.0/20')
  })

  it('warns about a new MTU while a port is UP', async () => {
    const { api, workspace } = net
    const id = await net.vpc('net-mtu', '10.60.0.0/16')
    const machine = await net.machine('large', await net.subnet(id, 's1', '10.60.1.0/24'))
    const resize = (mtu: number) => api.network.updateVpc({ workspace, engine, id, update_mask: 'mtu', body: { mtu } })
    expect(await resize(1400)).toMatchObject({ warnings: [] })
    await api.compute.startVm({ workspace, id: machine, body: {} })
    expect(await resize(1300)).toMatchObject({ warnings: [{ code: 3001090 }] })
    await api.compute.stopVm({ workspace, id: machine, body: {} })
    expect(await resize(1400)).toMatchObject({ warnings: [] })
  })
})
