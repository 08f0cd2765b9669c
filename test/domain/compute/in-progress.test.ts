import { expect, it } from 'vitest'
import { machines } from '../../../domain/compute/drivers/simulated/machines-store.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantVms } from './tenant-vms.ts'

/** The time scale at which a change takes longer than any test. */
const hours = 1000

/** Ends the provision of a machine in the driver, so that the destruction of the machine takes its time. */
async function provision(place: StorePlace, id: string): Promise<void> {
  const store = await openBeside(place, storeCollections(areas))
  try {
    await expect.poll(() => store.exists(machines, { id })).toBe(true)
    await store.tx(async tx => {
      const machine = await tx.lock(machines, id)
      if (machine) await tx.update(machines, id, { id, power: 'OFF', disks: machine.value.disks }, machine.version)
    })
  } finally {
    await store.close()
  }
}

it('a machine in a transient status takes no other call than a deletion', async () => {
  const { api, create, get, platform, workspace } = await tenantVms(hours)
  const { id: operation_id, resource_id: id } = await create('slow')
  const to = { workspace, id, body: {} }
  const { compute } = api
  for (const run of [
    () => compute.startVm(to),
    () => compute.stopVm(to),
    () => compute.suspendVm(to),
    () => compute.resumeVm(to),
    () => compute.restartVm(to),
    () => compute.resetVm(to),
    () => compute.updateVm({ ...to, update_mask: 'labels', body: { labels: { a: 'b' } } }),
  ])
    await expect(run()).rejects.toMatchObject({
      reason: 'VM_OPERATION_IN_PROGRESS',
      rpc: 'ABORTED',
      response: { status: 409 },
      metadata: { operation_id },
      details: { retryAfterSeconds: 1 },
    })
  expect(await get(id)).toMatchObject({ status: 'NATIVE_VM_STATUS_PROVISIONING' })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a deletion cancels the operation in progress, and is not repeated', async () => {
  const { api, create, ended, get, platform, workspace } = await tenantVms(hours)
  const { id, resource_id } = await create('slow')
  await provision(platform.config, resource_id)
  const deletion = await api.compute.deleteVm({ workspace, id: resource_id })
  expect(await ended({ id })).toMatchObject({
    status: 'COMPUTE_OPERATION_STATUS_ERROR',
    errors: [{ reason: 'OPERATION_CANCELLED', code: 1_000_021 }],
  })
  expect(await get(resource_id)).toMatchObject({ status: 'NATIVE_VM_STATUS_DELETING', status_reason: '' })
  await expect(api.compute.deleteVm({ workspace, id: resource_id })).rejects.toMatchObject({
    reason: 'VM_OPERATION_IN_PROGRESS',
    metadata: { operation_id: deletion.id },
  })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('an operation past its deadline leaves the machine in ERROR', async () => {
  const { create, ended, get, platform } = await tenantVms(hours)
  const { id, resource_id } = await create('late')
  const store = await openBeside(platform.config, storeCollections(areas))
  try {
    await store.tx(async tx => {
      const work = await tx.lock(works, id)
      if (work) await tx.update(works, id, { ...work.value, deadline: '2020-01-01T00:00:00.000Z' }, work.version)
    })
  } finally {
    await store.close()
  }
  const errors = [{ reason: 'OPERATION_DEADLINE_EXCEEDED', code: 1_000_022 }]
  expect(await ended({ id })).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_ERROR', errors })
  expect(await get(resource_id)).toMatchObject({
    status: 'NATIVE_VM_STATUS_ERROR',
    status_reason: 'OPERATION_DEADLINE_EXCEEDED',
  })
})
