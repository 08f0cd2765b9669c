import { beforeAll, describe, expect, it } from 'vitest'
import type { RetentionPolicy, RetentionPolicyInput } from '../../../../output/observability/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addTenant, type Member, type Tenant } from '../../../areas/members.ts'
import { olderPlace } from '../../../areas/older-place.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { outcomeOf } from '../../outcomes.ts'
import { afterTests } from '../../../undo.ts'

const [active, disabled] = [
  'OBSERVABILITY_RETENTION_POLICY_STATE_ACTIVE',
  'OBSERVABILITY_RETENTION_POLICY_STATE_DISABLED',
] as const

let admin: Member

beforeAll(async () => {
  admin = await (await testPlatform({ later: afterTests })).admin()
})

let tenants = 0
const newTenant = (): Promise<Tenant> => addTenant(admin.api, `tenant-${(tenants += 1)}`)

const at = ({ workspace }: Pick<Tenant, 'workspace'>) => ({ workspace, engine: 'native' })

const audit: RetentionPolicyInput = {
  name: 'audit',
  signal: 'OBSERVABILITY_SIGNAL_METRICS',
  selector: '{job="audit"}',
  retention: '31536000s',
}

const create = (tenant: Tenant, more: Partial<RetentionPolicyInput> = {}) =>
  admin.api.observability.createRetentionPolicy({ ...at(tenant), body: { ...audit, ...more } })

const list = async (tenant: Pick<Tenant, 'workspace'>, filter = '') =>
  (await admin.api.observability.listRetentionPolicies({ ...at(tenant), filter })).retention_policies

async function defaultOf(tenant: Tenant, signal: string): Promise<RetentionPolicy> {
  const [found] = await list(tenant, `is_default = true AND signal = OBSERVABILITY_SIGNAL_${signal}`)
  if (!found) throw new Error(`${signal} has no default`)
  return found
}

describe('the default policies', () => {
  it('are born with their workspace', async () => {
    const tenant = await newTenant()
    const found = await list(tenant)
    expect(found.map(each => [each.name, each.signal, each.retention])).toEqual([
      ['default-logs', 'OBSERVABILITY_SIGNAL_LOGS', '2592000s'],
      ['default-metrics', 'OBSERVABILITY_SIGNAL_METRICS', '1296000s'],
      ['default-traces', 'OBSERVABILITY_SIGNAL_TRACES', '604800s'],
    ])
    for (const policy of found) {
      expect(policy).toMatchObject({
        selector: '',
        priority: 0,
        state: active,
        is_default: true,
        effective_bytes: 0,
        workspace_id: tenant.workspace,
        engine: 'native',
      })
      expect(policy).not.toHaveProperty('selector_key')
      const untilPurge = Date.parse(policy.next_purge_time ?? '') - Date.now()
      expect(untilPurge).toBeGreaterThan(0)
      expect(untilPurge).toBeLessThanOrEqual(86_400_000)
    }
  })

  it('can keep telemetry longer, but cannot be disabled', async () => {
    const tenant = await newTenant()
    const { id } = await defaultOf(tenant, 'LOGS')
    const update = (body: object, update_mask: string) =>
      admin.api.observability.updateRetentionPolicy({ ...at(tenant), id, body, update_mask })
    await update({ retention: '7200s' }, 'retention')
    expect(await defaultOf(tenant, 'LOGS')).toMatchObject({ retention: '7200s', state: active })
    await expect(update({ state: disabled }, 'state')).rejects.toMatchObject({
      reason: 'RETENTION_POLICY_DEFAULT_REQUIRED',
      code: 4008003,
      details: { precondition: [{ type: 'DEFAULT', subject: id }] },
    })
    await update({ state: active }, 'state')
  })

  it('do not keep a workspace from its deletion, and other policies do', async () => {
    const tenant = await newTenant()
    const { organisation, workspace: id } = tenant
    await create(tenant)
    await admin.api.taxonomy.archiveWorkspace({ organisation, id, body: {} })
    expect(await outcomeOf(create(tenant, { name: 'other', selector: '{a="b"}' }))).toBe('WORKSPACE_NOT_ACTIVE')
    await expect(admin.api.taxonomy.deleteWorkspace({ organisation, id })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_EMPTY',
      details: {
        precondition: [{ type: 'observability.retentionPolicies', description: expect.stringContaining('1') }],
      },
    })
    const bare = await newTenant()
    const place = { organisation: bare.organisation, id: bare.workspace }
    await admin.api.taxonomy.archiveWorkspace({ ...place, body: {} })
    expect(await outcomeOf(admin.api.taxonomy.deleteWorkspace(place))).toBe('OK')
  })

  it('are made for the workspaces of a store from before them', async () => {
    const { filled, place } = await olderPlace(['iam', 'taxonomy'], api => addTenant(api, 'acme'))
    await whileOpen(place, async ({ observability }) => {
      const found = async () => (await observability.listRetentionPolicies(at(filled))).retention_policies
      await expect.poll(found).toHaveLength(3)
    })
    expect(await doctorFindings(place)).toEqual([])
  })
})

describe('a retention policy', () => {
  it('has a selector, a priority and the time of its next purge', async () => {
    const tenant = await newTenant()
    const { resource_id: id, ...operation } = await create(tenant, { priority: 7 })
    expect(operation).toMatchObject({
      operation_type: 'OBSERVABILITY_OPERATION_TYPE_CREATE',
      resource_type: 'observability.retentionPolicies',
      status: 'OBSERVABILITY_OPERATION_STATUS_DONE',
    })
    const policy = await admin.api.observability.getRetentionPolicy({ ...at(tenant), id })
    expect(policy).toMatchObject({ ...audit, id, priority: 7, state: active, is_default: false, effective_bytes: 0 })
    expect(policy.next_purge_time).toBe((await defaultOf(tenant, 'METRICS')).next_purge_time)
    expect((await list(tenant))[0]?.id).toBe(id)
  })

  it('is never purged while it is disabled', async () => {
    const tenant = await newTenant()
    const { resource_id: id } = await create(tenant, { state: disabled })
    const get = () => admin.api.observability.getRetentionPolicy({ ...at(tenant), id })
    const update = (state: typeof active | typeof disabled) =>
      admin.api.observability.updateRetentionPolicy({ ...at(tenant), id, body: { state }, update_mask: 'state' })
    expect(await get()).not.toHaveProperty('next_purge_time')
    await update(active)
    expect(await get()).toHaveProperty('next_purge_time')
    await update(disabled)
    expect(await get()).not.toHaveProperty('next_purge_time')
  })

  it.each(['3599s', '3599.999s', '315360000.001s', '99999999999999s'])('has no retention of %s', async retention => {
    await expect(create(await newTenant(), { retention })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'retention', description: 'must be from 3600s to 315360000s' }] },
    })
  })

  it.each([
    ['METRICS', ''],
    ['METRICS', '{}'],
    ['METRICS', '  '],
    ['METRICS', '{job=~".*"}'],
    ['LOGS', '{job!="a"}'],
    ['TRACES', '{service_name=""}'],
  ])('of %s selects something: %s', async (signal, selector) => {
    const given = { signal: `OBSERVABILITY_SIGNAL_${signal}` as RetentionPolicyInput['signal'], selector }
    await expect(create(await newTenant(), given)).rejects.toMatchObject({
      reason: 'SELECTOR_EMPTY',
      code: 4004001,
      details: { badRequest: [{ field: 'selector' }] },
    })
  })

  it.each([
    '{job="a"',
    '{job}',
    'rate(up[5m])',
    'up offset 5m',
    'up[5m]',
    '"up"',
    'up + 1',
    '{job=~"("}',
    `${'('.repeat(4_000)}up${')'.repeat(4_000)}`,
  ])('has a selector of matchers, not %s', async selector => {
    await expect(create(await newTenant(), { selector })).rejects.toMatchObject({
      reason: 'QUERY_SYNTAX_INVALID',
      metadata: { position: expect.stringMatching(/^\d+$/), language: 'PROMQL' },
      details: { badRequest: [{ field: 'selector' }] },
    })
  })

  it.each([
    ['LOGS', 'up{job="a"}', '__name__'],
    ['TRACES', '{job="a"}', 'job'],
  ])('for %s does not select by what it cannot have: %s', async (signal, selector, feature) => {
    const given = { signal: `OBSERVABILITY_SIGNAL_${signal}` as RetentionPolicyInput['signal'], selector }
    await expect(create(await newTenant(), given)).rejects.toMatchObject({
      reason: 'QUERY_FEATURE_UNSUPPORTED',
      metadata: { feature, position: '0' },
    })
  })

  it('has a name and a selector of its own', async () => {
    const tenant = await newTenant()
    await create(tenant)
    const outcome = (more: Partial<RetentionPolicyInput>) => outcomeOf(create(tenant, more))
    expect(await outcome({ selector: '{job="b"}' })).toBe('RETENTION_POLICY_ALREADY_EXISTS')
    expect(await outcome({ name: 'same', selector: '{ job = "audit", }' })).toBe('RETENTION_POLICY_ALREADY_EXISTS')
    expect(await outcome({ name: 'logs', signal: 'OBSERVABILITY_SIGNAL_LOGS' })).toBe('OK')
    const both = '{job="audit",zone="a"}'
    expect(await outcome({ name: 'both', selector: both })).toBe('OK')
    await expect(create(tenant, { name: 'turned', selector: '{zone="a",job="audit"}' })).rejects.toMatchObject({
      reason: 'RETENTION_POLICY_ALREADY_EXISTS',
      code: 4008002,
      details: { resource: { type: 'observability.retentionPolicies', name: 'turned' } },
    })
  })

  it('cannot change its signal and selector', async () => {
    const tenant = await newTenant()
    const { resource_id: id } = await create(tenant)
    const update = (body: object) =>
      outcomeOf(admin.api.observability.updateRetentionPolicy({ ...at(tenant), id, body: { ...audit, ...body } }))
    expect(await update({ retention: '3600s' })).toBe('OK')
    expect(await update({ selector: '{job="b"}' })).toBe('FIELD_IMMUTABLE')
    expect(await update({ signal: 'OBSERVABILITY_SIGNAL_LOGS' })).toBe('FIELD_IMMUTABLE')
  })
})
