import { expect, it } from 'vitest'
import type { VmInput } from '../../../output/compute/types.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addZone } from './sites.ts'
import { tenantVms, tinyBody, type TenantVms } from './tenant-vms.ts'

/** The limits of a machine (compute.md 1). */
const most = {
  vcpus: 256,
  memory_mib: 16_777_216,
  diskGib: 65_536,
  dataDisks: 15,
  interfaces: 8,
  metadataBytes: 262_144,
}

/** The disks of the largest machine, and its saved state, in GiB. */
const allDisksGib = most.diskGib * (1 + most.dataDisks)
const capacity = {
  vcpus: most.vcpus,
  memory_mib: most.memory_mib,
  disk_gib: allDisksGib + most.memory_mib / 1024,
}

/** Raises the quotas of the organisation to one machine of the largest size. */
async function raiseQuotas({ api, organisation }: TenantVms): Promise<void> {
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: organisation } as const
  const limits = { vcpus: most.vcpus, memory_mib: most.memory_mib, disk_gib: allDisksGib, vms: 1 }
  for (const [name, limit] of Object.entries(limits))
    await api.taxonomy.createQuotaOverride({ quota: `compute.${name}`, body: { ...scope, limit } })
}

/** Makes a VPC with a subnet for each interface, in a region; returns the ids of the subnets. */
async function addSubnets({ api, workspace }: TenantVms, region: string): Promise<readonly string[]> {
  const at = { workspace, engine: 'native' }
  const vpc = { name: 'large', region, cidr_blocks: ['10.30.0.0/16'] }
  const { resource_id: vpc_id } = await api.network.createVpc({ ...at, body: vpc })
  const ids: string[] = []
  for (let i = 0; i < most.interfaces; i += 1) {
    const body = { name: `s${i}`, vpc_id, cidr_block: `10.30.${i}.0/24` }
    ids.push((await api.network.createSubnet({ ...at, body })).resource_id)
  }
  return ids
}

/** Metadata with exactly the largest number of bytes, in values of the largest size. */
function largestMetadata(): Readonly<Record<string, string>> {
  const keys = ['k0', 'k1', 'k2', 'k3', 'k4']
  const rest = most.metadataBytes - keys.join('').length - 3 * 65_536
  return { k0: 'ü'.repeat(32_768), k1: 'x'.repeat(65_536), k2: 'x'.repeat(65_536), k3: 'x'.repeat(rest - 1), k4: 'y' }
}

const largest = (subnets: readonly string[]): Partial<VmInput> => ({
  zone: 'large',
  cpu: { count: most.vcpus, cores_per_socket: 64, threads_per_core: 2 },
  memory_mib: most.memory_mib,
  boot_disk: { image: 'tiny', size_gib: most.diskGib },
  data_disks: Array.from({ length: most.dataDisks }, (_, i) => ({ name: `data-${i}`, size_gib: most.diskGib })),
  network_interfaces: subnets.map(subnet_id => ({ subnet_id })),
  metadata: largestMetadata(),
})

it('a machine at all limits lives, and takes exactly the capacity and the quotas that there are', async () => {
  const tenant = await tenantVms()
  const { api, create, created, ended, get, platform, workspace } = tenant
  await addZone(api, 'large', [capacity], capacity)
  await raiseQuotas(tenant)
  const vm = await created('large', largest(await addSubnets(tenant, 'large')))
  expect(vm).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 1, status_reason: '' })
  expect(vm.network_interfaces.map(({ name }) => name)).toEqual(
    Array.from({ length: most.interfaces }, (_, i) => `nic${i}`),
  )
  await expect(create('more', tinyBody)).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' })
  const to = { workspace, id: vm.id, body: {} }
  const verbs = ['suspendVm', 'resumeVm', 'resetVm', 'restartVm', 'stopVm', 'startVm'] as const
  for (const verb of verbs) expect([verb, (await ended(await api.compute[verb](to))).errors]).toEqual([verb, []])
  const { metadata } = await get(vm.id)
  expect(metadata).toEqual(largestMetadata())
  await api.compute.updateVm({ ...to, update_mask: 'metadata', body: { metadata: { ...metadata, k4: 'z' } } })
  const more = { metadata: { ...metadata, k4: 'zz' } }
  await expect(api.compute.updateVm({ ...to, update_mask: 'metadata', body: more })).rejects.toMatchObject({
    reason: 'FIELD_INVALID',
    details: { badRequest: [{ field: 'metadata' }] },
  })
  expect(await doctorFindings(platform.config)).toEqual([])
  expect((await ended(await api.compute.deleteVm({ workspace, id: vm.id }))).errors).toEqual([])
  expect((await api.topology.getResourcePool({ id: 'large-0' })).available).toEqual(capacity)
  expect(await doctorFindings(platform.config)).toEqual([])
})
