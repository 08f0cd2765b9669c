import { expect, it } from 'vitest'
import { machines } from '../../../domain/compute/drivers/simulated/machines-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

const running = 'NATIVE_VM_STATUS_RUNNING'
const stopped = 'NATIVE_VM_STATUS_STOPPED'
const suspended = 'NATIVE_VM_STATUS_SUSPENDED'

/** Calls a verb of taxonomy on the workspace, and waits until its operation is DONE. */
async function turn(
  { api, organisation, workspace: id }: TenantVms,
  verb: 'suspend' | 'resume' | 'archive' | 'restore',
): Promise<void> {
  const { taxonomy } = api
  const calls = {
    suspend: taxonomy.suspendWorkspace.bind(taxonomy),
    resume: taxonomy.resumeWorkspace.bind(taxonomy),
    archive: taxonomy.archiveWorkspace.bind(taxonomy),
    restore: taxonomy.restoreWorkspace.bind(taxonomy),
  }
  const operation = await calls[verb]({ organisation, id, body: {} })
  await expect
    .poll(async () => (await taxonomy.getOperation({ id: operation.id })).status)
    .toBe('TAXONOMY_OPERATION_STATUS_DONE')
}

const statuses = async ({ api, workspace }: TenantVms) =>
  Object.fromEntries((await api.compute.listVms({ workspace })).vms.map(({ name, status }) => [name, status]))

it('a suspended workspace suspends its running machines, and exactly these are resumed', async () => {
  const tenant = await tenantVms()
  const { api, created, ended, get, platform, workspace } = tenant
  const { id } = await created('runs')
  const { id: off } = await created('off')
  await ended(await api.compute.stopVm({ workspace, id: off, body: {} }))
  const { id: slept } = await created('slept')
  await ended(await api.compute.suspendVm({ workspace, id: slept, body: {} }))
  await turn(tenant, 'suspend')
  expect(await statuses(tenant)).toEqual({ runs: suspended, off: stopped, slept: suspended })
  expect(await get(id)).toMatchObject({ suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_WORKSPACE_LIFECYCLE' })
  expect(await get(slept)).toMatchObject({ suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_USER' })
  await expect(api.compute.startVm({ workspace, id: off, body: {} })).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_ACTIVE',
  })
  expect(await doctorFindings(platform.config)).toEqual([])
  await turn(tenant, 'resume')
  expect(await statuses(tenant)).toEqual({ runs: running, off: stopped, slept: suspended })
  expect(await get(id)).toMatchObject({ boot_count: 1 })
})

it('a machine that cannot be suspended with its workspace is stopped', async () => {
  const tenant = await tenantVms()
  await tenant.created('stays-awake', { metadata: { 'sim.fail': 'suspend' } })
  await turn(tenant, 'suspend')
  expect(await statuses(tenant)).toEqual({ 'stays-awake': stopped })
  await turn(tenant, 'resume')
  expect(await statuses(tenant)).toEqual({ 'stays-awake': stopped })
})

it('a machine that cannot be resumed with its workspace is not resumed again at once', async () => {
  const tenant = await tenantVms()
  const { api, created, organisation, workspace } = tenant
  const { id } = await created('sleeps-on', { metadata: { 'sim.fail': 'resume' } })
  const { id: other } = await created('wakes')
  await turn(tenant, 'suspend')
  const { id: resumption } = await api.taxonomy.resumeWorkspace({ organisation, id: workspace, body: {} })
  // taxonomy calls the area three times before it reports the failure.
  await expect
    .poll(async () => (await api.taxonomy.getOperation({ id: resumption })).errors, { timeout: 60_000 })
    .toMatchObject([{ reason: 'LIFECYCLE_HOOK_FAILED' }])
  expect(await statuses(tenant)).toEqual({ 'sleeps-on': suspended, wakes: running })
  const { operations } = await api.compute.listOperations({
    filter: 'operation_type = COMPUTE_OPERATION_TYPE_RESUME',
  })
  expect(operations.map(({ resource_id }) => resource_id).toSorted()).toEqual([id, other].toSorted())
})

it('an archived workspace stops its machines, and nothing resumes or starts by itself', async () => {
  const tenant = await tenantVms()
  const { created, get } = tenant
  await created('runs')
  const { id } = await created('sleeps')
  await turn(tenant, 'suspend')
  const later = await statuses(tenant)
  expect(later).toEqual({ runs: suspended, sleeps: suspended })
  await turn(tenant, 'archive')
  await turn(tenant, 'restore')
  expect(await statuses(tenant)).toEqual(later)
  expect(await get(id)).toMatchObject({ suspend_cause: 'NATIVE_VM_SUSPEND_CAUSE_USER' })
  const running = await tenantVms()
  await running.created('runs')
  await turn(running, 'archive')
  await turn(running, 'restore')
  expect(await statuses(running)).toEqual({ runs: stopped })
})

it('a workspace with machines is deleted by force alone, and with a protected machine not even so', async () => {
  const tenant = await tenantVms()
  const { api, created, organisation, platform, subnet, workspace } = tenant
  const { id } = await created('kept', { deletion_protection: true, network_interfaces: [{ subnet_id: subnet }] })
  await created('also', { numa: { nodes: [{ vcpus: 1, memory_mib: 128 }] } })
  const call = { organisation, id: workspace }
  await turn(tenant, 'archive')
  await expect(api.taxonomy.deleteWorkspace(call)).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_EMPTY' })
  await expect(api.taxonomy.deleteWorkspace({ ...call, force: true })).rejects.toMatchObject({
    reason: 'WORKSPACE_PROTECTED',
  })
  await turn(tenant, 'restore')
  await api.compute.updateVm({ workspace, id, update_mask: 'deletion_protection', body: {} })
  await turn(tenant, 'archive')
  const { id: deletion } = await api.taxonomy.deleteWorkspace({ ...call, force: true })
  await expect
    .poll(async () => (await api.taxonomy.getOperation({ id: deletion })).status)
    .toBe('TAXONOMY_OPERATION_STATUS_DONE')
  const store = await openBeside(platform.config, storeCollections(areas))
  try {
    // The driver has nothing left.
    await expect.poll(() => store.count(machines)).toBe(0)
  } finally {
    await store.close()
  }
  expect(await doctorFindings(platform.config)).toEqual([])
  expect(await api.topology.getResourcePool({ id: 'local1-a-default' })).toMatchObject({ allocation_count: 0 })
})
