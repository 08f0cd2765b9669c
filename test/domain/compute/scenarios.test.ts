import { expect, it } from 'vitest'
import type { VmInput } from '../../../output/compute/types.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { tenantVms } from './tenant-vms.ts'

/** Returns the body of the machine in the scenarios of compute.md 7, with an interface in a subnet. */
const web1 = (subnet_id: string): Partial<VmInput> => ({
  cpu: { count: 2 },
  memory_mib: 2048,
  boot_disk: { image: 'debian-13' },
  network_interfaces: [{ subnet_id }],
})

it('scenario 1: a new machine is PENDING, has its address at once, and runs after a boot', async () => {
  const { create, ended, get, platform, subnet } = await tenantVms(0.05)
  const operation = await create('web-1', web1(subnet))
  expect(operation).toMatchObject({
    status: 'COMPUTE_OPERATION_STATUS_PENDING',
    operation_type: 'COMPUTE_OPERATION_TYPE_CREATE',
    resource_type: 'compute.vms',
  })
  const { resource_id: id } = operation
  expect(id).not.toBe('')
  const seen = await get(id)
  expect(['NATIVE_VM_STATUS_PROVISIONING', 'NATIVE_VM_STATUS_STARTING']).toContain(seen.status)
  expect(seen.network_interfaces).toMatchObject([{ ip_address: '10.20.1.2', name: 'nic0' }])
  expect(await ended(operation)).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE', progress: 100 })
  expect(await get(id)).toMatchObject({
    status: 'NATIVE_VM_STATUS_RUNNING',
    boot_count: 1,
    boot_disk: { image: 'debian-13', size_gib: 10 },
    cpu: { count: 2, cores_per_socket: 2, threads_per_core: 1 },
    region: 'local1',
    resource_pool: 'local1-a-default',
    status_reason: '',
  })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('scenario 2: a filter finds machines by their NUMA topology', async () => {
  const { created, list, subnet } = await tenantVms()
  await created('web-1', web1(subnet))
  const node = { vcpus: 1, memory_mib: 1024 }
  const { numa } = await created('db-1', { ...web1(subnet), numa: { nodes: [node, node] } })
  expect(numa).toEqual({
    nodes: [
      { ...node, host_node: 0 },
      { ...node, host_node: 1 },
    ],
  })
  expect(await list('numa:*')).toEqual(['db-1'])
  expect(await list('numa:* AND status = NATIVE_VM_STATUS_RUNNING')).toEqual(['db-1'])
  expect(await list('NOT numa:*')).toEqual(['web-1'])
  expect(await list(`network_interfaces.subnet_id:"${subnet}"`)).toEqual(['db-1', 'web-1'])
  for (const filter of ['numa = 1', 'numa:2']) {
    const refused = { reason: 'FILTER_INVALID', code: 1_000_013, response: { status: 400, body: { code: 3 } } }
    await expect(list(filter)).rejects.toMatchObject(refused)
  }
})

it('scenario 3: a running machine cannot be started', async () => {
  const { api, created, subnet, workspace } = await tenantVms()
  const { id } = await created('web-1', web1(subnet))
  await expect(api.compute.startVm({ workspace, id, body: {} })).rejects.toMatchObject({
    reason: 'VM_STATE_INVALID',
    response: { status: 400, body: { code: 9 } },
    metadata: {
      current_status: 'NATIVE_VM_STATUS_RUNNING',
      allowed_statuses: 'NATIVE_VM_STATUS_STOPPED,NATIVE_VM_STATUS_ERROR',
    },
    details: { resource: { type: 'compute.vms', name: id } },
  })
})

it('scenario 4: processors and memory change once the machine is stopped, the zone never', async () => {
  const { api, created, ended, get, subnet, workspace } = await tenantVms()
  const { id } = await created('web-1', web1(subnet))
  const update_mask = 'cpu.count,memory_mib'
  const grow = () => api.compute.updateVm({ workspace, id, update_mask, body: { cpu: { count: 4 }, memory_mib: 4096 } })
  await expect(grow()).rejects.toMatchObject({
    reason: 'VM_MUST_BE_STOPPED',
    response: { status: 400, body: { code: 9 } },
    details: { precondition: [{ subject: 'cpu.count' }, { subject: 'memory_mib' }] },
  })
  await ended(await api.compute.stopVm({ workspace, id, body: {} }))
  expect(await grow()).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE' })
  expect(await get(id)).toMatchObject({ cpu: { count: 4, cores_per_socket: 4 }, memory_mib: 4096 })
  const move = { workspace, id, update_mask: 'zone', body: { zone: 'local1-b' } }
  await expect(api.compute.updateVm(move)).rejects.toMatchObject({ reason: 'FIELD_IMMUTABLE' })
})

it('scenario 5: a guest that ignores the power button is powered off, with a warning', async () => {
  const { api, created, ended, get, workspace } = await tenantVms()
  const { id } = await created('deaf', { metadata: { 'sim.ignore-acpi': 'true' } })
  const stop = await api.compute.stopVm({ workspace, id, body: { grace_period_seconds: 1 } })
  expect(await ended(stop)).toMatchObject({
    status: 'COMPUTE_OPERATION_STATUS_DONE',
    warnings: [{ code: 1001090, description: 'The guest did not shut down in 1 s and was powered off' }],
  })
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_STOPPED' })
})

it('scenario 6: a resumed machine goes on, a reset machine boots, and a saved state is not lost by mistake', async () => {
  const { api, created, ended, get, platform, subnet, workspace } = await tenantVms()
  const { id, network_interfaces } = await created('web-1', web1(subnet))
  const call = { workspace, id, body: {} }
  await ended(await api.compute.suspendVm(call))
  expect(await get(id)).toMatchObject({
    status: 'NATIVE_VM_STATUS_SUSPENDED',
    suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_USER',
  })
  expect(await doctorFindings(platform.config)).toEqual([])
  await ended(await api.compute.resumeVm(call))
  const resumed = await get(id)
  expect(resumed).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', boot_count: 1, network_interfaces })
  expect(resumed).not.toHaveProperty('suspend_cause')
  await ended(await api.compute.resetVm(call))
  expect(await get(id)).toMatchObject({ boot_count: 2 })
  await ended(await api.compute.suspendVm(call))
  await expect(api.compute.stopVm(call)).rejects.toMatchObject({
    reason: 'VM_SAVED_STATE_EXISTS',
    rpc: 'FAILED_PRECONDITION',
    details: { precondition: [{ subject: id }] },
  })
  await ended(await api.compute.stopVm({ ...call, body: { discard_saved_state: true } }))
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_STOPPED' })
})
