import { expect, it } from 'vitest'
import { doctorFindings } from '../../areas/doctor.ts'
import { firewallCalls } from '../network/firewall/firewall-calls.ts'
import { tcp } from '../network/firewall/rule-bodies.ts'
import { addZone } from './sites.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

/** Creates a subnet in the VPC of the tenant's subnet; returns the ids of the subnet and of the VPC. */
async function addSubnet({ api, subnet, workspace }: TenantVms, name: string, cidr_block: string) {
  const place = { workspace, engine: 'native' }
  const { vpc_id } = await api.network.getSubnet({ ...place, id: subnet })
  const { resource_id } = await api.network.createSubnet({ ...place, body: { name, vpc_id, cidr_block } })
  return { subnet_id: resource_id, vpc_id }
}

it('machines get the lowest free addresses of a subnet, a freed address first (scenario 3 of network)', async () => {
  const tenant = await tenantVms()
  const { api, create, created, ended, list, platform, workspace } = tenant
  const { subnet_id } = await addSubnet(tenant, 's9', '10.20.9.0/29')
  const onSubnet = { network_interfaces: [{ subnet_id }] }
  const ids: string[] = []
  for (const last of [2, 3, 4, 5]) {
    const { id, network_interfaces } = await created(`vm-${last}`, onSubnet)
    ids.push(id)
    expect(network_interfaces).toMatchObject([{ ip_address: `10.20.9.${last}` }])
  }
  await expect(create('vm-6', onSubnet)).rejects.toMatchObject({
    reason: 'SUBNET_EXHAUSTED',
    response: { status: 429, body: { code: 8 } },
  })
  expect(await list('name = "vm-6"')).toEqual([])
  await ended(await api.compute.deleteVm({ workspace, id: ids[1] ?? '' }))
  expect(await created('vm-6', onSubnet)).toMatchObject({ network_interfaces: [{ ip_address: '10.20.9.3' }] })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a machine holds its subnet and its VPC until it is deleted (scenario 4 of network)', async () => {
  const { api, created, ended, platform, subnet, workspace } = await tenantVms()
  const place = { workspace, engine: 'native' }
  const { vpc_id } = await api.network.getSubnet({ ...place, id: subnet })
  const { id } = await created('web-1', { network_interfaces: [{ subnet_id: subnet }] })
  const refused = (reason: string) => ({ reason, response: { status: 400, body: { code: 9 } } })
  const deleteSubnet = () => api.network.deleteSubnet({ ...place, id: subnet })
  const deleteVpc = () => api.network.deleteVpc({ ...place, id: vpc_id })
  await expect(deleteSubnet()).rejects.toMatchObject(refused('SUBNET_IN_USE'))
  await expect(deleteVpc()).rejects.toMatchObject(refused('VPC_IN_USE'))
  await ended(await api.compute.deleteVm({ workspace, id }))
  const status = 'NETWORK_OPERATION_STATUS_DONE'
  expect(await deleteSubnet()).toMatchObject({ status })
  expect(await deleteVpc()).toMatchObject({ status })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('the port of a machine has the rules of its VPC, then the implied rules (scenario 5 of network)', async () => {
  const { api, created, subnet, workspace } = await tenantVms()
  const place = { workspace, engine: 'native' }
  const { vpc_id } = await api.network.getSubnet({ ...place, id: subnet })
  const firewall = firewallCalls(api, workspace)
  const policy = await firewall.policy(vpc_id, 'p')
  const allow = await firewall.rule(policy, tcp('allow-ssh', 200))
  const action = 'NETWORK_FIREWALL_ACTION_DENY' as const
  const deny = await firewall.rule(policy, { ...tcp('deny-ssh', 100), action, peers: { ranges: ['10.0.0.0/8'] } })
  expect((await firewall.rulesOf(policy)).map(({ id, priority }) => [id, priority])).toEqual([
    [deny, 100],
    [allow, 200],
  ])
  await expect(firewall.rule(policy, tcp('third', 100))).rejects.toMatchObject({
    reason: 'FIREWALL_RULE_PRIORITY_TAKEN',
    response: { status: 409, body: { code: 6 } },
  })
  const { network_interfaces } = await created('web-1', { network_interfaces: [{ subnet_id: subnet }] })
  const port = await api.network.getLogicalPort({ ...place, id: network_interfaces[0]?.logical_port_id ?? '' })
  const rows = port.effective_rules.map(rule => [rule.rule_id, rule.priority, rule.direction, rule.action])
  expect(rows).toEqual([
    [deny, 100, 'NETWORK_FIREWALL_DIRECTION_INGRESS', action],
    [allow, 200, 'NETWORK_FIREWALL_DIRECTION_INGRESS', 'NETWORK_FIREWALL_ACTION_ALLOW'],
    ['', 65_535, 'NETWORK_FIREWALL_DIRECTION_INGRESS', action],
    ['', 65_535, 'NETWORK_FIREWALL_DIRECTION_EGRESS', 'NETWORK_FIREWALL_ACTION_ALLOW'],
  ])
})

it('a disabled location lets machines run on, and takes no new machine (scenario 5 of topology)', async () => {
  const { api, created, create, get, platform } = await tenantVms()
  await addZone(api, 'paris', [{ vcpus: 8, memory_mib: 16_384, disk_gib: 500 }])
  const inParis = { zone: 'paris', cpu: { count: 2 } }
  const { id, status } = await created('runs', inParis)
  expect(status).toBe('NATIVE_VM_STATUS_RUNNING')
  await api.topology.disableLocation({ id: 'paris', body: {} })
  expect(await get(id)).toMatchObject({ status })
  expect(await api.topology.getZone({ id: 'paris' })).toMatchObject({ state: 'TOPOLOGY_ZONE_STATE_UNAVAILABLE' })
  await expect(create('late', inParis)).rejects.toMatchObject({
    reason: 'ZONE_NOT_AVAILABLE',
    code: 1_001_018,
    response: { status: 400, body: { code: 9 } },
    metadata: { zone: 'paris' },
  })
  await api.topology.enableLocation({ id: 'paris', body: {} })
  expect(await created('late', inParis)).toMatchObject({ status })
  expect(await doctorFindings(platform.config)).toEqual([])
})
