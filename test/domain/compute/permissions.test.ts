import { beforeAll, describe, expect, it } from 'vitest'
import { systemPrincipalId } from '../../../domain/ports/reserved.ts'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import type { OutboxRow } from '../../../domain/resources/activity-outbox.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { addMember, roleAt, type Member } from '../../areas/members.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { activitiesIn } from '../../areas/activities.ts'
import { tenantVms, tinyBody, type TenantVms } from './tenant-vms.ts'
import { afterTests } from '../../undo.ts'

let tenant: TenantVms
let members = 0

beforeAll(async () => {
  tenant = await tenantVms(0, { later: afterTests })
})

/** Creates a user with exactly these permissions at the workspace. */
async function holderOf(...permissions: readonly string[]): Promise<Member> {
  const { api, organisation, platform, workspace } = tenant
  const name = `holder-${(members += 1)}`
  const scope = { scope_type: 'ORGANISATION', scope_id: organisation } as const
  const role = { name, ...scope, permissions: [...permissions] }
  const { resource_id } = await api.iam.createRole({ body: role })
  const grants = [roleAt(resource_id, 'WORKSPACE', workspace)]
  return addMember(platform, api, { email: `${name}@example.com`, organisation_id: organisation, grants })
}

type Run = (api: Ninefold, id: string) => Promise<unknown>

const at = (id: string) => ({ workspace: tenant.workspace, id, body: {} })

/** Each call on machines: its operationId, its permission, the verb that must precede the call, and the call. */
const calls: readonly (readonly [
  operationId: string,
  permission: string,
  before: 'stop' | 'suspend' | '',
  run: Run,
])[] = [
  ['listVms', 'compute.vms.list', '', ({ compute }) => compute.listVms({ workspace: tenant.workspace })],
  ['getVm', 'compute.vms.get', '', ({ compute }, id) => compute.getVm({ workspace: tenant.workspace, id })],
  [
    'createVm',
    'compute.vms.create',
    '',
    ({ compute }, id) =>
      compute.createVm({ workspace: tenant.workspace, body: { ...tinyBody, name: `made-${id}`.slice(0, 60) } }),
  ],
  [
    'updateVm',
    'compute.vms.update',
    '',
    ({ compute }, id) => compute.updateVm({ ...at(id), update_mask: 'labels', body: { labels: { a: 'b' } } }),
  ],
  ['stopVm', 'compute.vms.stop', '', ({ compute }, id) => compute.stopVm(at(id))],
  ['startVm', 'compute.vms.start', 'stop', ({ compute }, id) => compute.startVm(at(id))],
  ['suspendVm', 'compute.vms.suspend', '', ({ compute }, id) => compute.suspendVm(at(id))],
  ['resumeVm', 'compute.vms.resume', 'suspend', ({ compute }, id) => compute.resumeVm(at(id))],
  ['restartVm', 'compute.vms.restart', '', ({ compute }, id) => compute.restartVm(at(id))],
  ['resetVm', 'compute.vms.reset', '', ({ compute }, id) => compute.resetVm(at(id))],
  ['deleteVm', 'compute.vms.delete', '', ({ compute }, id) => compute.deleteVm({ workspace: tenant.workspace, id })],
]

/** Returns the activities of a principal with this action, in the order of their ids. */
async function activitiesOf(principal: string, action: string): Promise<readonly OutboxRow[]> {
  const store = await openBeside(tenant.platform.config, storeCollections(areas))
  try {
    const rows = await activitiesIn(store)
    return rows.filter(row => row.principal_id === principal && row.action === action)
  } finally {
    await store.close()
  }
}

describe('an operation on machines', () => {
  it.each(calls)('%s needs %s alone, and is recorded', async (operationId, permission, before, run) => {
    const { api, created, ended, workspace } = tenant
    const { id } = await created(operationId.toLowerCase())
    if (before === 'stop') await ended(await api.compute.stopVm(at(id)))
    if (before === 'suspend') await ended(await api.compute.suspendVm(at(id)))
    const others = calls.flatMap(([, each]) => (each === permission ? [] : [each]))
    const lacking = await holderOf(...others)
    const refused = { reason: 'IAM_PERMISSION_DENIED', metadata: { permission, scope_id: workspace } }
    await expect(run(lacking.api, id)).rejects.toMatchObject(refused)
    const holding = await holderOf(permission)
    await run(holding.api, id)
    const scope = { scope_type: 'WORKSPACE', scope_id: workspace }
    expect(await activitiesOf(lacking.id, operationId)).toMatchObject([
      { category: 'ACCESS_DENIED', area: 'compute', permission, outcome: 'DENIED', ...scope },
    ])
    const isRead = operationId === 'listVms' || operationId === 'getVm'
    expect(await activitiesOf(holding.id, operationId)).toMatchObject(
      isRead
        ? []
        : [
            {
              category: 'ADMIN_WRITE',
              area: 'compute',
              permission,
              outcome: 'SUCCEEDED',
              resource_type: 'compute.vms',
              ...scope,
            },
          ],
    )
  })

  it('records the names of changed fields, and no values', async () => {
    const { created } = tenant
    const { id } = await created('fields')
    const holder = await holderOf('compute.vms.update')
    const body = { labels: { a: 'b' }, metadata: { 'user-data': 'a value' } }
    await holder.api.compute.updateVm({ ...at(id), update_mask: 'labels,metadata', body })
    const [activity] = await activitiesOf(holder.id, 'updateVm')
    expect(activity).toMatchObject({ resource_id: id, changed_fields: ['labels', 'metadata'] })
    expect(JSON.stringify(activity)).not.toContain('a value')
  })
})

describe('the operations of a workspace', () => {
  it('that no caller requested are seen by callers who may list operations, and by no others', async () => {
    const { created, get, workspace } = tenant
    const { id } = await created('leaves', { metadata: { 'sim.guest-shutdown-after-ms': '1' } })
    await expect.poll(async () => (await get(id)).status).toBe('NATIVE_VM_STATUS_STOPPED')
    const filter = `resource_id = "${id}" AND principal_id = "${systemPrincipalId}"`
    const reader = await holderOf('compute.operations.list', 'compute.operations.get')
    const { operations } = await reader.api.compute.listOperations({ filter })
    expect(operations).toMatchObject([
      { operation_type: 'COMPUTE_OPERATION_TYPE_STOP', scope_id: workspace, principal_id: systemPrincipalId },
    ])
    const [{ id: operation } = { id: '' }] = operations
    expect(await reader.api.compute.getOperation({ id: operation })).toEqual(operations[0])
    const other = await holderOf('compute.vms.get')
    expect((await other.api.compute.listOperations({ filter })).operations).toEqual([])
    const denied = { reason: 'IAM_PERMISSION_DENIED' }
    await expect(other.api.compute.getOperation({ id: operation })).rejects.toMatchObject(denied)
  })

  it('that a caller has caused are seen by that caller without a permission', async () => {
    const { created } = tenant
    const { id } = await created('own')
    const holder = await holderOf('compute.vms.reset')
    const operation = await holder.api.compute.resetVm(at(id))
    expect(await holder.api.compute.getOperation({ id: operation.id })).toMatchObject({ principal_id: holder.id })
    const { operations } = await holder.api.compute.listOperations({})
    expect(operations.map(each => each.id)).toEqual([operation.id])
  })
})

it('filter schemas need a signed-in caller, and no permission', async () => {
  const { as } = tenant.platform
  const caller = await holderOf('compute.vms.get')
  expect((await caller.api.compute.listFilterSchemas({})).filter_schemas).toHaveLength(2)
  expect(await caller.api.compute.getFilterSchema({ resource: 'vms' })).toMatchObject({ resource: 'vms' })
  await expect(as().compute.listFilterSchemas({})).rejects.toMatchObject({ response: { status: 401 } })
})
