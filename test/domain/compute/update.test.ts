import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ComputeOperation, Vm, VmUpdate } from '../../../output/compute/types.ts'
import { absentId, addMember, roleAt } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addZone } from './sites.ts'
import { tenantVms, vmCalls, type TenantVms } from './tenant-vms.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms
let second: string

beforeAll(async () => {
  tenant = await tenantVms(0, { later: each => void undo.push(each) })
  const { api, subnet, workspace } = tenant
  const place = { workspace, engine: 'native' }
  const { vpc_id } = await api.network.getSubnet({ ...place, id: subnet })
  const body = { name: 'second', vpc_id, cidr_block: '10.20.2.0/24' }
  second = (await api.network.createSubnet({ ...place, body })).resource_id
  await addZone(api, 'small', [{ vcpus: 8, memory_mib: 8192, disk_gib: 10 }])
})

afterAll(async () => {
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
  for (const each of undo.toReversed()) await each()
})

/** Updates a machine, and waits for the end. */
async function update(id: string, body: VmUpdate, update_mask = Object.keys(body).join()): Promise<ComputeOperation> {
  const { api, ended, workspace } = tenant
  return ended(await api.compute.updateVm({ workspace, id, update_mask, body }))
}

async function stopped(name: string, more: Parameters<TenantVms['created']>[1] = {}): Promise<Vm> {
  const { api, created, ended, get, workspace } = tenant
  const { id } = await created(name, more)
  await ended(await api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 0 } }))
  return get(id)
}

describe('an update of a running machine', () => {
  it('changes what never needs a stop, and no more than that', async () => {
    const { created, get } = tenant
    const vm = await created('always')
    const body = {
      display_name: 'Always',
      description: 'on',
      labels: { a: 'b' },
      metadata: { 'user-data': 'x' },
      auto_restart: false,
      deletion_protection: true,
    }
    expect(await update(vm.id, body)).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE' })
    const after = await get(vm.id)
    expect(after).toMatchObject({ ...body, status: vm.status, boot_count: 1 })
    expect(after.etag).not.toBe(vm.etag)
  })

  it('that names the values it has changes nothing', async () => {
    const { created, get, subnet } = tenant
    const numa = { nodes: [{ vcpus: 1, memory_mib: 128 }] }
    const vm = await created('same', { numa, network_interfaces: [{ subnet_id: subnet }] })
    // The whole machine, as a caller has read it.
    const { api, workspace } = tenant
    await api.compute.updateVm({ workspace, id: vm.id, body: vm })
    expect(await get(vm.id)).toEqual(vm)
  })

  it('grows its disks, which the pool and the quota count', async () => {
    const { created, get } = tenant
    const { id } = await created('grows', { data_disks: [{ name: 'data', size_gib: 1 }] })
    const operation = await update(id, { boot_disk: { size_gib: 3 }, data_disks: [{ name: 'data', size_gib: 2 }] })
    expect(operation).toMatchObject({ operation_type: 'COMPUTE_OPERATION_TYPE_UPDATE', progress: 100 })
    expect(await get(id)).toMatchObject({
      boot_disk: { image: 'tiny', size_gib: 3 },
      data_disks: [{ name: 'data', size_gib: 2 }],
      status: 'NATIVE_VM_STATUS_RUNNING',
    })
  })

  it('that the driver cannot make has the old disks again', async () => {
    const { created, get } = tenant
    const { id } = await created('stays', { metadata: { 'sim.fail': 'update' } })
    expect(await update(id, { boot_disk: { size_gib: 3 } })).toMatchObject({
      status: 'COMPUTE_OPERATION_STATUS_ERROR',
      errors: [{ reason: 'VM_UPDATE_FAILED', code: 1_001_037 }],
    })
    expect(await get(id)).toMatchObject({
      boot_disk: { size_gib: 1 },
      status: 'NATIVE_VM_STATUS_RUNNING',
      status_reason: 'VM_UPDATE_FAILED',
    })
  })

  it('hands its labels to its ports', async () => {
    const { api, created, subnet, workspace } = tenant
    const { id, network_interfaces } = await created('labels', { network_interfaces: [{ subnet_id: subnet }] })
    await update(id, { labels: { role: 'web' } })
    const port = { workspace, engine: 'native', id: network_interfaces[0]?.logical_port_id ?? '' }
    expect(await api.network.getLogicalPort(port)).toMatchObject({ labels: { role: 'web' } })
  })
})

describe('an update without a mask', () => {
  const body = { cpu: { count: 1 }, memory_mib: 128 }

  it.each([
    ['no boot disk', {}],
    ['a boot disk without members', { boot_disk: {} }],
    ['the image alone', { boot_disk: { image: 'tiny' } }],
  ])('and with %s leaves a disk of the least size alone, and cannot shrink a larger disk', async (name, given) => {
    const { api, created, get, workspace } = tenant
    const slug = name.toLowerCase().replaceAll(' ', '-')
    const least = await created(`least-${slug}`)
    await api.compute.updateVm({ workspace, id: least.id, body: { ...body, ...given } })
    expect(await get(least.id)).toEqual(least)
    const { id } = await created(`grown-${slug}`, { boot_disk: { image: 'tiny', size_gib: 2 } })
    await expect(api.compute.updateVm({ workspace, id, body: { ...body, ...given } })).rejects.toMatchObject({
      reason: 'DISK_SHRINK_UNSUPPORTED',
      details: { badRequest: [{ field: 'boot_disk.size_gib' }] },
    })
  })

  it.each(['cpu', 'memory_mib'] as const)('needs %s', async name => {
    const { api, created, workspace } = tenant
    const { id } = await created(`needs-${name.replace('_', '-')}`)
    const { [name]: _absent, ...rest } = body
    await expect(api.compute.updateVm({ workspace, id, body: rest })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: name }] },
    })
  })
})

describe('an update of a stopped machine', () => {
  it('lets cores that nobody gave follow the processors', async () => {
    const { get } = tenant
    const { id } = await stopped('cores', { cpu: { count: 2 } })
    await update(id, { cpu: { count: 6 } }, 'cpu.count')
    expect((await get(id)).cpu).toEqual({ count: 6, cores_per_socket: 6, threads_per_core: 1 })
    await update(id, { cpu: { count: 6, cores_per_socket: 3 } }, 'cpu.cores_per_socket')
    await update(id, { cpu: { count: 9 } }, 'cpu.count')
    expect((await get(id)).cpu).toEqual({ count: 9, cores_per_socket: 3, threads_per_core: 1 })
    const refused = { reason: 'FIELD_INVALID', details: { badRequest: [{ field: 'cpu.count' }] } }
    await expect(update(id, { cpu: { count: 8 } }, 'cpu.count')).rejects.toMatchObject(refused)
  })

  it('removes a NUMA topology by a mask without a value', async () => {
    const { get } = tenant
    const { id } = await stopped('numa', { numa: { nodes: [{ vcpus: 1, memory_mib: 128 }] } })
    expect((await get(id)).numa).toEqual({ nodes: [{ vcpus: 1, memory_mib: 128 }] })
    await update(id, {}, 'numa')
    expect(await get(id)).not.toHaveProperty('numa')
  })

  it('adds, keeps and removes interfaces by their subnets, in the order given', async () => {
    const { get, subnet } = tenant
    const { id, network_interfaces } = await stopped('nics', { network_interfaces: [{ subnet_id: subnet }] })
    const [first] = network_interfaces
    await update(id, { network_interfaces: [{ subnet_id: second }, { subnet_id: subnet }] })
    const after = await get(id)
    expect(after.network_interfaces).toEqual([expect.objectContaining({ subnet_id: second, name: 'nic1' }), first])
    await update(id, { network_interfaces: [{ subnet_id: second }] })
    expect((await get(id)).network_interfaces).toEqual(after.network_interfaces.slice(0, 1))
    await update(id, { network_interfaces: [{ subnet_id: second }, { subnet_id: subnet }] })
    expect((await get(id)).network_interfaces.map(({ name }) => name)).toEqual(['nic1', 'nic0'])
    const moved = { network_interfaces: [{ subnet_id: second, ip_address: '10.20.2.99' }] }
    await expect(update(id, moved)).rejects.toMatchObject({
      reason: 'FIELD_IMMUTABLE',
      details: { badRequest: [{ field: 'network_interfaces[0].ip_address' }] },
    })
  })

  it('adds and removes disks', async () => {
    const { get } = tenant
    const { id } = await stopped('disks', { data_disks: [{ name: 'old', size_gib: 2 }] })
    await update(id, { data_disks: [{ name: 'new', size_gib: 1 }] })
    expect((await get(id)).data_disks).toEqual([{ name: 'new', size_gib: 1 }])
    await update(id, { data_disks: [] })
    expect((await get(id)).data_disks).toEqual([])
  })

  it('that fails to remove a disk has the disk again', async () => {
    const { get } = tenant
    const data_disks = [{ name: 'old', size_gib: 2 }]
    const { id } = await stopped('keeps', { data_disks, metadata: { 'sim.fail': 'update' } })
    expect(await update(id, { data_disks: [] })).toMatchObject({ errors: [{ reason: 'VM_UPDATE_FAILED' }] })
    expect(await get(id)).toMatchObject({ data_disks, status_reason: 'VM_UPDATE_FAILED' })
  })
})

/** A fault of a body, the body, and the refusal at its field. */
const faultyUpdates: readonly (readonly [name: string, body: VmUpdate, reason: string, field: string])[] = [
  ['a smaller boot disk', { boot_disk: { size_gib: 1 } }, 'DISK_SHRINK_UNSUPPORTED', 'boot_disk.size_gib'],
  [
    'a smaller data disk',
    { data_disks: [{ name: 'data', size_gib: 1 }] },
    'DISK_SHRINK_UNSUPPORTED',
    'data_disks[0].size_gib',
  ],
  ['NUMA nodes of other sums', { numa: { nodes: [{ vcpus: 2, memory_mib: 128 }] } }, 'VM_NUMA_INVALID', 'numa.nodes'],
  ['too little memory', { memory_mib: 128 }, 'VM_IMAGE_REQUIREMENT_UNMET', 'memory_mib'],
  [
    'an absent subnet',
    { network_interfaces: [{ subnet_id: absentId }] },
    'VM_SUBNET_NOT_FOUND',
    'network_interfaces[0].subnet_id',
  ],
  ['metadata that are too large', { metadata: { a: 'ü'.repeat(32_769) } }, 'FIELD_INVALID', 'metadata.a'],
]

describe('an update is refused', () => {
  it('with every field that needs a stop', async () => {
    const { created, subnet } = tenant
    const { id } = await created('runs')
    const body = {
      cpu: { count: 2 },
      memory_mib: 256,
      numa: { nodes: [{ vcpus: 2, memory_mib: 256 }] },
      network_interfaces: [{ subnet_id: subnet }],
      data_disks: [{ name: 'new', size_gib: 1 }],
      labels: { a: 'b' },
    }
    await expect(
      update(id, body, 'cpu.count,memory_mib,numa,network_interfaces,data_disks,labels'),
    ).rejects.toMatchObject({
      reason: 'VM_MUST_BE_STOPPED',
      details: {
        precondition: ['cpu.count', 'memory_mib', 'numa.nodes', 'data_disks', 'network_interfaces'].map(subject => ({
          subject,
        })),
      },
    })
  })

  it.each(faultyUpdates)('with %s', async (name, body, reason, field) => {
    const { id } = await stopped(`refused-${name.toLowerCase().replaceAll(' ', '-')}`, {
      boot_disk: { image: 'ubuntu-24.04', size_gib: 11 },
      memory_mib: 1024,
      data_disks: [{ name: 'data', size_gib: 2 }],
    })
    const refused = { reason, rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field }] } }
    await expect(update(id, body)).rejects.toMatchObject(refused)
  })

  it('with disks for which the pool or the quota has no room', async () => {
    const { created } = tenant
    const { id } = await created('full', { zone: 'small' })
    await expect(update(id, { boot_disk: { size_gib: 11 } })).rejects.toMatchObject({
      reason: 'ZONE_CAPACITY_EXHAUSTED',
      metadata: { zone: 'small', dimension: 'disk_gib', requested: '10', available: '9' },
    })
    const refused = { reason: 'QUOTA_EXCEEDED', code: 1_000_006, metadata: { quota: 'compute.disk_gib' } }
    await expect(update(id, { boot_disk: { size_gib: 60_000 } })).rejects.toMatchObject(refused)
  })

  it('with a new interface to callers who may not use subnets, and kept interfaces are no new ones', async () => {
    const { api, organisation, platform, subnet, workspace } = tenant
    const permissions = ['compute.vms.update']
    const role = {
      name: 'changer',
      scope_type: 'ORGANISATION',
      scope_id: organisation,
      permissions,
    } as const
    const { resource_id } = await api.iam.createRole({ body: role })
    const grants = [roleAt(resource_id, 'WORKSPACE', workspace)]
    const changer = await addMember(platform, api, {
      email: 'changer@example.com',
      organisation_id: organisation,
      grants,
    })
    const { compute } = vmCalls(changer.api, workspace).api
    const { id } = await stopped('foreign', { network_interfaces: [{ subnet_id: subnet }] })
    const call = { workspace, id, update_mask: 'network_interfaces,labels' }
    const kept = { network_interfaces: [{ subnet_id: subnet }], labels: { a: 'b' } }
    expect(await compute.updateVm({ ...call, body: kept })).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE' })
    const grown = { network_interfaces: [{ subnet_id: subnet }, { subnet_id: second }] }
    await expect(compute.updateVm({ ...call, body: grown })).rejects.toMatchObject({
      reason: 'IAM_PERMISSION_DENIED',
      metadata: { permission: 'network.subnets.use' },
    })
  })
})
