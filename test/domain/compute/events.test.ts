import { expect, it } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

/** Returns the operations on a machine that no caller requested, the latest last. */
async function unasked({ api }: TenantVms, id: string) {
  const filter = `resource_id = "${id}" AND principal_id = "${systemPrincipalId}"`
  const { operations } = await api.compute.listOperations({ filter, order_by: 'insert_time' })
  return operations
}

it('a guest that powers itself off leaves a stopped machine with the reason', async () => {
  const tenant = await tenantVms()
  const { created, get, platform, subnet } = tenant
  const { id, network_interfaces } = await created('leaves', {
    metadata: { 'sim.guest-shutdown-after-ms': '1' },
    network_interfaces: [{ subnet_id: subnet }],
  })
  await expect.poll(async () => (await get(id)).status).toBe('NATIVE_VM_STATUS_STOPPED')
  expect(await get(id)).toMatchObject({ status_reason: 'VM_GUEST_SHUTDOWN', boot_count: 1, network_interfaces })
  expect(await unasked(tenant, id)).toMatchObject([
    { operation_type: 'COMPUTE_OPERATION_TYPE_STOP', status: 'COMPUTE_OPERATION_STATUS_DONE', trace_id: '' },
  ])
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a machine whose hypervisor dies is booted again, five times in ten minutes at most', async () => {
  const tenant = await tenantVms()
  const { created, get, platform } = tenant
  const { id } = await created('crashes', { metadata: { 'sim.crash-after-ms': '1' } })
  await expect.poll(async () => (await get(id)).status).toBe('NATIVE_VM_STATUS_ERROR')
  expect(await get(id)).toMatchObject({ status_reason: 'VM_CRASHED', boot_count: 6 })
  const operations = await unasked(tenant, id)
  expect(operations.map(({ operation_type, status }) => `${operation_type} ${status}`)).toEqual([
    ...Array.from({ length: 5 }, () => 'COMPUTE_OPERATION_TYPE_RESTART COMPUTE_OPERATION_STATUS_DONE'),
    'COMPUTE_OPERATION_TYPE_STOP COMPUTE_OPERATION_STATUS_ERROR',
  ])
  expect(operations.at(-1)).toMatchObject({ errors: [{ reason: 'VM_CRASHED', code: 1_001_035 }] })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a machine that is not to restart stays in ERROR after a crash, and can be started', async () => {
  const tenant = await tenantVms()
  const { api, created, ended, get, workspace } = tenant
  const { id } = await created('stays', { auto_restart: false, metadata: { 'sim.crash-after-ms': '1' } })
  await expect.poll(async () => (await get(id)).status).toBe('NATIVE_VM_STATUS_ERROR')
  await api.compute.updateVm({ workspace, id, update_mask: 'metadata', body: {} })
  await ended(await api.compute.startVm({ workspace, id, body: {} }))
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_RUNNING', status_reason: '', boot_count: 2 })
})

it('a crashed machine that cannot boot again stays in ERROR', async () => {
  const tenant = await tenantVms()
  const { api, created, get, workspace } = tenant
  const { id } = await created('breaks', { metadata: { 'sim.crash-after-ms': '1500' } })
  const metadata = { 'sim.fail': 'start' }
  await api.compute.updateVm({ workspace, id, update_mask: 'metadata', body: { metadata } })
  await expect.poll(async () => (await get(id)).status).toBe('NATIVE_VM_STATUS_ERROR')
  expect(await get(id)).toMatchObject({ status_reason: 'VM_CRASHED', boot_count: 1 })
  expect(await unasked(tenant, id)).toMatchObject([
    { operation_type: 'COMPUTE_OPERATION_TYPE_RESTART', errors: [{ reason: 'VM_CRASHED' }] },
  ])
})
