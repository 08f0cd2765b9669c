import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Driver } from '../../../domain/compute/drivers/driver.ts'
import { verbRows, stableStatuses, statusOf, type Status, type Verb } from '../../../domain/compute/vms/transitions.ts'
import type { ComputeOperation, VmInput } from '../../../output/compute/types.ts'
import { areas } from '../../../server/areas.ts'
import { computeArea } from '../../../server/compute/area.ts'
import { absentId } from '../../areas/members.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { tenantVms, type TenantVms } from './tenant-vms.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantVms

/** The name of the machine whose first destruction fails. */
const stuck = 'stuck'
const failed = new Set<string>()

/** Returns a driver that fails the first destruction of the machine `stuck`, and otherwise calls the given driver. */
function failing(driver: Driver): Driver {
  const destroy: Driver['destroy'] = async call => {
    if (call.vm.name !== stuck || failed.has(call.request)) return driver.destroy(call)
    if (failed.size > 0) return driver.destroy(call)
    failed.add(call.request)
    return { kind: 'failed', message: 'the disks are in use' }
  }
  return new Proxy(driver, { get: (of, name) => (name === 'destroy' ? destroy : Reflect.get(of, name)) })
}

const withFailing = areas.map(area => (area.domain.name === 'compute' ? computeArea(failing) : area))

beforeAll(async () => {
  tenant = await tenantVms(0, { areas: withFailing, later: each => void undo.push(each) })
})

afterAll(async () => {
  expect(await doctorFindings(tenant.platform.config, withFailing)).toEqual([])
  for (const each of undo.toReversed()) await each()
})

type UserVerb = Exclude<Verb, 'create'>

/** Calls a verb of a machine; a stop discards a saved state. Returns the operation without a wait for its end. */
async function call(verb: UserVerb, id: string): Promise<ComputeOperation> {
  const { api, workspace } = tenant
  const to = { workspace, id, body: {} }
  switch (verb) {
    case 'start':
      return api.compute.startVm(to)
    case 'stop':
      return api.compute.stopVm({ ...to, body: { grace_period_seconds: 0, discard_saved_state: true } })
    case 'suspend':
      return api.compute.suspendVm(to)
    case 'resume':
      return api.compute.resumeVm(to)
    case 'restart':
      return api.compute.restartVm(to)
    case 'reset':
      return api.compute.resetVm(to)
    case 'delete':
      return api.compute.deleteVm({ workspace, id })
  }
}

const done = async (verb: UserVerb, id: string): Promise<ComputeOperation> => tenant.ended(await call(verb, id))

const failsTo = (what: string): Partial<VmInput> => ({ metadata: { 'sim.fail': what } })

/** Creates a machine and brings the machine into a stable status. */
async function inStatus(name: string, status: Status): Promise<string> {
  const { id } = await tenant.created(name, status === 'ERROR' ? failsTo('start') : {})
  if (status === 'STOPPED') await done('stop', id)
  if (status === 'SUSPENDED') await done('suspend', id)
  expect((await tenant.get(id)).status).toBe(statusOf(status))
  return id
}

const userVerbs: readonly UserVerb[] = ['start', 'stop', 'suspend', 'resume', 'restart', 'reset']

describe('the table of statuses', () => {
  const cases = userVerbs.flatMap(verb => stableStatuses.map(status => [verb, status] as const))

  it.each(cases)('decides whether to %s a machine that is %s', async (verb, status) => {
    const { from, success, type } = verbRows[verb]
    const id = await inStatus(`${verb}-${status.toLowerCase()}`, status)
    if (!from.includes(status)) {
      const allowed_statuses = from.map(statusOf).join(',')
      await expect(call(verb, id)).rejects.toMatchObject({
        reason: 'VM_STATE_INVALID',
        rpc: 'FAILED_PRECONDITION',
        metadata: { current_status: statusOf(status), allowed_statuses },
        details: { resource: { type: 'compute.vms', name: id }, precondition: [{ subject: id }] },
      })
      return
    }
    await tenant.api.compute.updateVm({ workspace: tenant.workspace, id, update_mask: 'metadata', body: {} })
    const operation = await done(verb, id)
    expect(operation).toMatchObject({
      operation_type: `COMPUTE_OPERATION_TYPE_${type}`,
      status: 'COMPUTE_OPERATION_STATUS_DONE',
      progress: 100,
    })
    expect(await tenant.get(id)).toMatchObject({
      status: success && statusOf(success),
      status_reason: '',
      status_message: '',
    })
  })

  it.each(stableStatuses)('lets a machine that is %s be deleted, and frees its name', async status => {
    const name = `deleted-${status.toLowerCase()}`
    const id = await inStatus(name, status)
    expect(await done('delete', id)).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_DONE' })
    await expect(tenant.get(id)).rejects.toMatchObject({ reason: 'VM_NOT_FOUND', response: { status: 404 } })
    expect(await tenant.created(name)).toMatchObject({ status: statusOf('RUNNING') })
  })
})

/** Each value of `sim.fail`, with the verbs before, the failing verb, the reason with its code, and the status after. */
const failures: readonly (readonly [string, readonly UserVerb[], UserVerb | undefined, string, number, Status])[] = [
  ['provision', [], undefined, 'VM_PROVISION_FAILED', 1_001_030, 'ERROR'],
  ['start', [], undefined, 'VM_BOOT_FAILED', 1_001_031, 'ERROR'],
  ['start', ['stop'], 'start', 'VM_BOOT_FAILED', 1_001_031, 'ERROR'],
  ['start', [], 'restart', 'VM_BOOT_FAILED', 1_001_031, 'ERROR'],
  ['start', [], 'reset', 'VM_BOOT_FAILED', 1_001_031, 'ERROR'],
  ['stop', [], 'stop', 'VM_STOP_FAILED', 1_001_034, 'ERROR'],
  ['suspend', [], 'suspend', 'VM_SUSPEND_FAILED', 1_001_032, 'RUNNING'],
  ['resume', ['suspend'], 'resume', 'VM_RESUME_FAILED', 1_001_033, 'SUSPENDED'],
]

describe('a driver that fails', () => {
  it.each(failures)('to %s after %j by %s ends the operation with %s', async (what, before, verb, reason, code, to) => {
    const name = `fails-${what}-${verb ?? 'create'}-${before.length}`
    const { api, create, ended, get, workspace } = tenant
    const made = await create(name, verb === undefined ? failsTo(what) : {})
    let operation = await ended(made)
    const { resource_id: id } = made
    for (const each of before) await done(each, id)
    if (verb !== undefined) {
      await api.compute.updateVm({ workspace, id, update_mask: 'metadata', body: failsTo(what) })
      operation = await done(verb, id)
    }
    expect(operation).toMatchObject({ status: 'COMPUTE_OPERATION_STATUS_ERROR', errors: [{ reason, code }] })
    expect(await get(id)).toMatchObject({ status: statusOf(to), status_reason: reason })
    // Without `sim.fail`, the machine can be used again.
    await api.compute.updateVm({ workspace, id, update_mask: 'metadata', body: {} })
    const next = { ERROR: 'start', RUNNING: 'stop', SUSPENDED: 'resume' } as const
    await done(to === 'RUNNING' || to === 'SUSPENDED' ? next[to] : next.ERROR, id)
    expect(await get(id)).toMatchObject({ status_reason: '', status_message: '' })
  })

  it('to destroy leaves the machine in ERROR, and the deletion may be repeated', async () => {
    const { created, ended, get } = tenant
    const { id } = await created(stuck)
    const errors = [{ reason: 'VM_DELETE_FAILED', code: 1_001_038, description: 'the disks are in use' }]
    expect(await ended(await call('delete', id))).toMatchObject({ errors })
    expect(await get(id)).toMatchObject({ status: statusOf('ERROR'), status_reason: 'VM_DELETE_FAILED' })
    await done('delete', id)
    await expect(get(id)).rejects.toMatchObject({ reason: 'VM_NOT_FOUND' })
  })
})

it('a protected machine is not deleted', async () => {
  const { created } = tenant
  const { id } = await created('protected', { deletion_protection: true })
  await expect(call('delete', id)).rejects.toMatchObject({
    reason: 'VM_DELETION_PROTECTED',
    rpc: 'FAILED_PRECONDITION',
    details: { resource: { name: id }, precondition: [{ type: 'PROTECTION', subject: id }] },
  })
})

it('an absent machine, and a machine of another workspace, are told as absent', async () => {
  const { api, created } = tenant
  const { id } = await created('elsewhere')
  const { resource_id: other } = await api.taxonomy.createWorkspace({
    organisation: tenant.organisation,
    body: { name: 'other' },
  })
  for (const [workspace, vm] of [
    [tenant.workspace, absentId],
    [other, id],
  ] as const)
    for (const run of [
      () => api.compute.getVm({ workspace, id: vm }),
      () => api.compute.deleteVm({ workspace, id: vm }),
      () => api.compute.startVm({ workspace, id: vm, body: {} }),
      () => api.compute.updateVm({ workspace, id: vm, update_mask: 'labels', body: {} }),
    ])
      await expect(run()).rejects.toMatchObject({ reason: 'VM_NOT_FOUND', rpc: 'NOT_FOUND' })
})

it('a stopped machine keeps its address, and its ports follow its power', async () => {
  const { api, created, get, subnet, workspace } = tenant
  const { id, network_interfaces } = await created('ports', { network_interfaces: [{ subnet_id: subnet }] })
  const [nic] = network_interfaces
  const port = () => api.network.getLogicalPort({ workspace, engine: 'native', id: nic?.logical_port_id ?? '' })
  expect(await port()).toMatchObject({ state: 'NETWORK_LOGICAL_PORT_STATE_UP', name: 'ports-nic0' })
  await done('stop', id)
  expect(await port()).toMatchObject({ state: 'NETWORK_LOGICAL_PORT_STATE_DOWN', ip_address: nic?.ip_address })
  await done('start', id)
  expect(await get(id)).toMatchObject({ network_interfaces, boot_count: 2 })
  await done('delete', id)
  await expect(port()).rejects.toMatchObject({ reason: 'LOGICAL_PORT_NOT_FOUND' })
})
