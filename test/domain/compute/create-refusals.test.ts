import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VmInput } from '../../../output/compute/types.ts'
import { addMember, absentId, roleAt } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addZone, setSchedulable } from './sites.ts'
import { tenantVms, vmCalls, type TenantVms } from './tenant-vms.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms
let narrow: string

beforeAll(async () => {
  tenant = await tenantVms(0, { later: each => void undo.push(each) })
  const { api, created, subnet, workspace } = tenant
  await created('web-1', { network_interfaces: [{ subnet_id: subnet, ip_address: '10.20.1.9' }] })
  await addZone(api, 'empty', [])
  await addZone(api, 'apart', [
    { vcpus: 1, memory_mib: 65_536, disk_gib: 100 },
    { vcpus: 64, memory_mib: 128, disk_gib: 100 },
  ])
  await addZone(api, 'shut', [])
  await setSchedulable(api, 'shut', false)
  const place = { workspace, engine: 'native' }
  const { vpc_id } = await api.network.getSubnet({ ...place, id: subnet })
  const body = {
    name: 'narrow',
    vpc_id,
    cidr_block: '10.20.2.0/29',
    reserved_ranges: [{ start: '10.20.2.2', end: '10.20.2.6' }],
  }
  narrow = (await api.network.createSubnet({ ...place, body })).resource_id
})

afterAll(async () => {
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
  for (const each of undo.toReversed()) await each()
})

const debian = { image: 'debian-13' }
const node = { vcpus: 1, memory_mib: 128 }

/** The members that a body has in addition to `tinyBody`, and the expected refusal. */
const refusals: readonly (readonly [name: string, more: () => Partial<VmInput>, refused: object])[] = [
  [
    'a name that is taken',
    () => ({ name: 'web-1' }),
    { reason: 'VM_ALREADY_EXISTS', details: { resource: { name: 'web-1' } } },
  ],
  [
    'NUMA nodes of other sums',
    () => ({ numa: { nodes: [node, node] } }),
    { reason: 'VM_NUMA_INVALID', details: { badRequest: [{ field: 'numa.nodes' }] } },
  ],
  [
    'more NUMA nodes than the host has',
    () => ({ cpu: { count: 3 }, memory_mib: 384, numa: { nodes: [node, node, node] } }),
    { reason: 'VM_NUMA_UNSATISFIABLE', rpc: 'RESOURCE_EXHAUSTED' },
  ],
  [
    'an unknown image',
    () => ({ boot_disk: { image: 'windows' } }),
    {
      reason: 'VM_IMAGE_NOT_FOUND',
      message: expect.stringContaining('blank, tiny, alpine-3.20, debian-13, ubuntu-24.04'),
      details: { badRequest: [{ field: 'boot_disk.image' }] },
    },
  ],
  [
    'an object as its boot disk',
    () => ({ boot_disk: { source_object: { bucket_id: absentId, object: 'disk.qcow2' } } }),
    { reason: 'VM_IMAGE_NOT_FOUND', details: { badRequest: [{ field: 'boot_disk' }] } },
  ],
  [
    'an artifact as its boot disk',
    () => ({ boot_disk: { source_artifact: { repository_id: absentId, reference: 'v1' } } }),
    { reason: 'VM_IMAGE_NOT_FOUND', details: { badRequest: [{ field: 'boot_disk' }] } },
  ],
  [
    'a boot disk below the least of the image',
    () => ({ boot_disk: { ...debian, size_gib: 9 }, memory_mib: 512 }),
    { reason: 'VM_IMAGE_REQUIREMENT_UNMET', details: { badRequest: [{ field: 'boot_disk.size_gib' }] } },
  ],
  [
    'memory below the least of the image',
    () => ({ boot_disk: debian }),
    { reason: 'VM_IMAGE_REQUIREMENT_UNMET', details: { badRequest: [{ field: 'memory_mib' }] } },
  ],
  [
    'an absent subnet',
    () => ({ network_interfaces: [{ subnet_id: tenant.subnet }, { subnet_id: absentId }] }),
    { reason: 'VM_SUBNET_NOT_FOUND', details: { badRequest: [{ field: 'network_interfaces[1].subnet_id' }] } },
  ],
  [
    'a subnet of another region',
    () => ({ zone: 'apart', network_interfaces: [{ subnet_id: tenant.subnet }] }),
    { reason: 'VM_SUBNET_REGION_MISMATCH', details: { badRequest: [{ field: 'network_interfaces[0].subnet_id' }] } },
  ],
  [
    'an absent zone',
    () => ({ zone: 'nowhere' }),
    { reason: 'ZONE_NOT_FOUND', rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field: 'zone' }] } },
  ],
  [
    'a cordoned zone',
    () => ({ zone: 'shut' }),
    { reason: 'ZONE_NOT_AVAILABLE', metadata: { zone: 'shut' }, details: { precondition: [{ subject: 'shut' }] } },
  ],
  [
    'a zone without a pool',
    () => ({ zone: 'empty' }),
    {
      reason: 'ZONE_CAPACITY_EXHAUSTED',
      metadata: { zone: 'empty', dimension: 'vcpus', requested: '1', available: '0' },
      details: { quota: [{ subject: 'empty' }] },
    },
  ],
  [
    'what no pool has together',
    () => ({ zone: 'apart', cpu: { count: 2 }, memory_mib: 256 }),
    { reason: 'ZONE_CAPACITY_EXHAUSTED', metadata: { zone: 'apart', dimension: 'combined' } },
  ],
  ['more than its quota', () => ({ cpu: { count: 256 } }), { reason: 'QUOTA_EXCEEDED', code: 1_000_006 }],
  [
    'a taken address',
    () => ({ network_interfaces: [{ subnet_id: tenant.subnet, ip_address: '10.20.1.9' }] }),
    { reason: 'IP_ADDRESS_IN_USE', code: 3_005_002 },
  ],
  [
    'an address outside of its subnet',
    () => ({ network_interfaces: [{ subnet_id: tenant.subnet, ip_address: '10.20.9.9' }] }),
    {
      reason: 'IP_ADDRESS_NOT_ASSIGNABLE',
      code: 3_005_003,
      details: { badRequest: [{ field: 'network_interfaces[0].ip_address' }] },
    },
  ],
  [
    'a subnet without a free address',
    () => ({ network_interfaces: [{ subnet_id: narrow }] }),
    { reason: 'SUBNET_EXHAUSTED', code: 3_002_008 },
  ],
  [
    'two interfaces in one subnet, two disks of one name, and processors that fill no socket',
    () => ({
      cpu: { count: 3, threads_per_core: 2 },
      data_disks: [
        { name: 'data', size_gib: 1 },
        { name: 'data', size_gib: 1 },
      ],
      network_interfaces: [{ subnet_id: tenant.subnet }, { subnet_id: tenant.subnet }],
    }),
    {
      reason: 'FIELD_INVALID',
      details: {
        badRequest: [
          { field: 'cpu.count' },
          { field: 'data_disks[1].name' },
          { field: 'network_interfaces[1].subnet_id' },
        ],
      },
    },
  ],
  [
    'no source of its boot disk',
    () => ({ boot_disk: {} }),
    { reason: 'FIELD_INVALID', details: { badRequest: [{ field: 'boot_disk' }] } },
  ],
]

describe('a creation', () => {
  it.each(refusals)('with %s is refused, and leaves nothing', async (_name, more, refused) => {
    const { api, create, workspace } = tenant
    await expect(create('other', more())).rejects.toMatchObject(refused)
    const { vms } = await api.compute.listVms({ workspace })
    expect(vms.map(({ name }) => name)).toEqual(['web-1'])
  })

  it('below the quota of ports is refused with the code of network', async () => {
    const { api, create, subnet, workspace } = tenant
    const scope = { scope_type: 'NETWORK_SCOPE_TYPE_WORKSPACE', scope_id: workspace } as const
    const body = { ...scope, dimensions: { region: 'local1' }, limit: 1 }
    await api.network.createQuotaLimit({ quota_definition: 'network.logicalPorts', body })
    const refused = { reason: 'QUOTA_EXCEEDED', code: 3_000_006 }
    await expect(create('other', { network_interfaces: [{ subnet_id: subnet }] })).rejects.toMatchObject(refused)
  })

  it('needs the permissions of what it uses', async () => {
    const { api, platform, subnet, workspace } = tenant
    const permissions = ['compute.vms.create', 'compute.vms.list']
    const role = {
      name: 'maker',
      scope_type: 'ORGANISATION',
      scope_id: tenant.organisation,
      permissions,
    } as const
    const { resource_id } = await api.iam.createRole({ body: role })
    const grants = [roleAt(resource_id, 'WORKSPACE', workspace)]
    const maker = await addMember(platform, api, {
      email: 'maker@example.com',
      organisation_id: tenant.organisation,
      grants,
    })
    const { create } = vmCalls(maker.api, workspace)
    const denied = (permission: string) => ({ reason: 'IAM_PERMISSION_DENIED', metadata: { permission } })
    await expect(create('a', { network_interfaces: [{ subnet_id: subnet }] })).rejects.toMatchObject(
      denied('network.subnets.use'),
    )
    const source_object = { bucket_id: absentId, object: 'disk' }
    await expect(create('b', { boot_disk: { source_object } })).rejects.toMatchObject(
      denied('storage.objects.download'),
    )
    const source_artifact = { repository_id: absentId, reference: 'v1' }
    await expect(create('c', { boot_disk: { source_artifact } })).rejects.toMatchObject(
      denied('registry.artifacts.pull'),
    )
  })

  it('that is repeated with its key makes one machine', async () => {
    const { api, workspace } = tenant
    const body = { name: 'once', zone: 'local1-a', cpu: { count: 1 }, memory_mib: 128, boot_disk: { image: 'tiny' } }
    const call = { workspace, body, 'Idempotency-Key': 'one-machine' }
    const { id, resource_id } = await api.compute.createVm(call)
    expect(await api.compute.createVm(call)).toMatchObject({ id, resource_id })
    expect(await tenant.list('name = "once"')).toEqual(['once'])
  })
})
