import { describe, expect, it } from 'vitest'
import type { RetentionPolicyInput, RetentionRuleInput } from '../../../../output/registry/types.ts'
import { systemPrincipalId } from '../../../../domain/ports/reserved.ts'
import { retentionCollection, retentionRunCollection } from '../../../../domain/registry/retention/retention-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { outcomeOf } from '../../outcomes.ts'
import { heldRetention } from './held-retention.ts'

const held = heldRetention()

const enforce = 'REGISTRY_RETENTION_MODE_ENFORCE' as const
const untagged: RetentionRuleInput = {
  action: 'REGISTRY_RETENTION_ACTION_DELETE',
  tag_state: 'REGISTRY_TAG_STATE_UNTAGGED',
}
const tagged: RetentionRuleInput = { ...untagged, tag_state: 'REGISTRY_TAG_STATE_TAGGED' }

const at = () => ({ workspace: held().workspace, engine: 'native' })
const create = (body: Partial<RetentionPolicyInput>) =>
  held().api.registry.createRetentionPolicy({ ...at(), body: { name: 'unnamed', rules: [untagged], ...body } })
const get = (id: string) => held().api.registry.getRetentionPolicy({ ...at(), id })
const ended = async (operation: ReturnType<typeof create>) => held().api.registry.waitOperation(await operation)

describe('a retention policy', () => {
  it('is answered PENDING, and its trial fills the evaluation', async () => {
    const pending = await create({ name: 'trial', schedule: '30 2 * * 0' })
    expect(pending).toMatchObject({
      status: 'REGISTRY_OPERATION_STATUS_PENDING',
      operation_type: 'REGISTRY_OPERATION_TYPE_CREATE',
      resource_type: 'registry.retentionPolicies',
    })
    expect(await held().api.registry.waitOperation(pending)).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE' })
    const policy = await get(pending.resource_id)
    expect(policy).toMatchObject({
      enabled: true,
      mode: 'REGISTRY_RETENTION_MODE_DRY_RUN',
      repository_patterns: ['*'],
      rules: [{ ...untagged, id: 'rule-1', tag_patterns: [], exclude_tag_patterns: [], kinds: [] }],
      last_evaluation: { mode: 'REGISTRY_RETENTION_MODE_DRY_RUN', matched: 0, deleted: 0, candidates: [] },
    })
    const next = new Date(policy.next_run_time ?? '')
    expect([next.getUTCDay(), next.getUTCHours(), next.getUTCMinutes()]).toEqual([0, 2, 30])
    expect(policy.update_time).toBe(policy.create_time)
  })

  it('is tried again by a change, and not by a change of no value', async () => {
    const { resource_id: id } = await ended(create({ name: 'changed' }))
    const update = (update_mask: string, body: Partial<RetentionPolicyInput>) =>
      held().api.registry.updateRetentionPolicy({ ...at(), id, update_mask, body })
    const before = await get(id)
    expect(await update('rules', { rules: [untagged] })).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_DONE' })
    expect(await get(id)).toEqual(before)
    const pending = await update('rules', { rules: [tagged] })
    expect(pending).toMatchObject({ status: 'REGISTRY_OPERATION_STATUS_PENDING' })
    await held().api.registry.waitOperation(pending)
    const after = await get(id)
    expect(after.etag).not.toBe(before.etag)
    expect(Date.parse(after.last_evaluation?.time ?? '')).toBeGreaterThan(
      Date.parse(before.last_evaluation?.time ?? ''),
    )
    await ended(update('enabled', { enabled: false }))
    expect((await get(id)).next_run_time).toBeUndefined()
    await ended(update('enabled', { enabled: true }))
    expect((await get(id)).next_run_time).toBe(before.next_run_time)
    expect(await doctorFindings(held().place)).toEqual([])
  })

  it('of a newer change is the only one whose trial counts', async () => {
    const { resource_id: id } = await create({ name: 'twice' })
    const body = { rules: [{ ...untagged, id: 'second' }] }
    await ended(held().api.registry.updateRetentionPolicy({ ...at(), id, update_mask: 'rules', body }))
    expect((await get(id)).last_evaluation).toMatchObject({ matched: 0 })
  })

  it.each([
    ['RETENTION_RULE_INVALID', 'rules[0]', { rules: [{ action: 'REGISTRY_RETENTION_ACTION_DELETE' as const }] }],
    ['RETENTION_RULE_INVALID', 'rules[1].keep_most_recent', { rules: [tagged, { ...untagged, keep_most_recent: 3 }] }],
    ['CRON_INVALID', 'schedule', { schedule: '0 3 * *' }],
    ['CRON_INVALID', 'schedule', { schedule: '@daily' }],
    ['FIELD_INVALID', 'rules[1].id', { rules: [tagged, { ...untagged, id: 'rule-1' }] }],
    ['FIELD_INVALID', 'rules', { rules: [] }],
    ['FIELD_INVALID', 'repository_patterns[0]', { repository_patterns: ['a b'] }],
  ])('is refused with %s at %s', async (reason, field, body) => {
    const refused = { reason, details: { badRequest: [expect.objectContaining({ field })] } }
    await expect(create({ name: 'refused', ...body })).rejects.toMatchObject(refused)
    const { resource_id: id } = await ended(
      create({ name: `sound-${reason.length}-${field.length}-${JSON.stringify(body).length}` }),
    )
    const change = { ...at(), id, update_mask: Object.keys(body).join(','), body }
    await expect(held().api.registry.updateRetentionPolicy(change)).rejects.toMatchObject(refused)
  })

  it('has a name of its own, and ends with its deletion', async () => {
    const { api } = held()
    const { resource_id: id } = await ended(create({ name: 'single' }))
    expect(await outcomeOf(create({ name: 'single' }))).toBe('RETENTION_POLICY_ALREADY_EXISTS')
    const found = await api.registry.listRetentionPolicies({ ...at(), filter: 'name = single AND enabled = true' })
    expect(found.retention_policies.map(each => each.id)).toEqual([id])
    await held().begin(id)
    await api.registry.deleteRetentionPolicy({ ...at(), id })
    expect(await outcomeOf(get(id))).toBe('RETENTION_POLICY_NOT_FOUND')
    await held().work(id)
    expect(await doctorFindings(held().place)).toEqual([])
  })
})

/** Makes the time of a policy one that has come some runs ago. */
async function makeDue(id: string): Promise<void> {
  await held().store.tx(async tx => {
    const stored = await tx.get(retentionCollection, id)
    if (!stored) throw new Error(`there is no policy ${id}`)
    const due = { ...stored.value, next_run_time: '2026-01-01T03:00:00.000Z' }
    await tx.update(retentionCollection, id, due, stored.version)
  })
}

/** Waits until the schedule of a policy has been looked at. */
const untilScheduled = (id: string) =>
  expect.poll(async () => Date.parse((await get(id)).next_run_time ?? '')).toBeGreaterThan(Date.now())

const runsOfPlatform = async (id: string) => {
  const filter = `resource_id = "${id}" AND principal_id = "${systemPrincipalId}"`
  return (await held().api.registry.listOperations({ filter })).operations
}

describe('the schedule of a retention policy', () => {
  it('begins one run for all times that were missed, as an operation of the platform', async () => {
    const { oci, repository } = held()
    const own = await repository('scheduled')
    const digest = await oci.pushImage('acme/web/scheduled', 'v1', 'one')
    const body = { name: 'scheduled', mode: enforce, repository_patterns: ['scheduled'], rules: [tagged] }
    const { resource_id: id } = await ended(create(body))
    await makeDue(id)
    await expect.poll(async () => (await get(id)).last_evaluation?.deleted).toBe(1)
    const operations = await runsOfPlatform(id)
    expect(operations).toMatchObject([
      {
        operation_type: 'REGISTRY_OPERATION_TYPE_UPDATE',
        resource_type: 'registry.retentionPolicies',
        status: 'REGISTRY_OPERATION_STATUS_DONE',
        progress: 100,
        trace_id: '',
      },
    ])
    expect((await get(id)).last_evaluation?.mode).toBe(enforce)
    const activities = (await recordedActivities(held().place)).filter(
      ({ resource_id }) => resource_id === `${own}/${digest}`,
    )
    expect(activities.at(-1)).toMatchObject({ principal_id: systemPrincipalId, action: 'registry.retention.delete' })
    expect(await doctorFindings(held().place)).toEqual([])
  })

  it('records an audit event of a dry run', async () => {
    const { api, workspace } = held()
    const { resource_id: id } = await ended(create({ name: 'dry' }))
    const filter = 'action = REGISTRY_AUDIT_ACTION_RETENTION_DRY_RUN'
    const count = async () =>
      (await api.registry.listAuditEvents({ workspace, filter, page_size: 100 })).audit_events.length
    const before = await count()
    await makeDue(id)
    await expect.poll(count).toBe(before + 1)
  })

  it('passes over a time that comes while a run goes on', async () => {
    const { resource_id: id } = await ended(create({ name: 'busy', mode: enforce }))
    await held().begin(id)
    await makeDue(id)
    await untilScheduled(id)
    expect(await runsOfPlatform(id)).toEqual([])
    expect(await doctorFindings(held().place)).toEqual([expect.stringContaining('on which nothing works')])
    await held().work(id)
    expect(await held().store.count(retentionRunCollection)).toBe(0)
  })

  it('passes over an archived workspace, and goes on in a suspended one', async () => {
    const { api, oci } = held()
    const { organisation, workspace } = await addTenant(api, 'stopped')
    const place = { workspace, engine: 'native' }
    await api.registry.createRepository({ ...place, body: { name: 'api' } })
    await oci.pushImage('stopped/web/api', 'v1', 'one')
    const body = { name: 'all', mode: enforce, rules: [tagged] }
    const { resource_id: id } = await ended(api.registry.createRetentionPolicy({ ...place, body }))
    const read = () => api.registry.getRetentionPolicy({ ...place, id })
    const of = { organisation, id: workspace, body: {} }
    await api.taxonomy.archiveWorkspace(of)
    await makeDue(id)
    await expect.poll(async () => Date.parse((await read()).next_run_time ?? '')).toBeGreaterThan(Date.now())
    expect(await runsOfPlatform(id)).toEqual([])
    await held().begin(id)
    await held().work(id)
    expect((await read()).last_evaluation).toMatchObject({ deleted: 0 })
    await api.taxonomy.restoreWorkspace(of)
    await api.taxonomy.suspendWorkspace(of)
    await makeDue(id)
    await expect.poll(async () => (await read()).last_evaluation?.deleted).toBe(1)
  })
})

it('the doctor finds a next run at a time that the schedule does not name', async () => {
  const { resource_id: id } = await ended(create({ name: 'altered' }))
  await held().store.tx(async tx => {
    const stored = await tx.get(retentionCollection, id)
    if (!stored) throw new Error(`there is no policy ${id}`)
    const altered = { ...stored.value, next_run_time: '2099-01-01T03:01:00.000Z' }
    await tx.update(retentionCollection, id, altered, stored.version)
  })
  expect((await doctorFindings(held().place)).join('\n')).toContain(
    'runs at 2099-01-01T03:01:00.000Z, not by "0 3 * * *"',
  )
})
