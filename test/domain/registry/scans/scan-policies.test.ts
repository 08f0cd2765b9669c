import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { ScanPolicyInput } from '../../../../output/registry/types.ts'
import { absentId, addTenant, type Tenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let api: Ninefold
let tenant: Tenant

beforeAll(async () => {
  const platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const at = () => ({ workspace: tenant.workspace, engine: 'native' })

const create = (body: ScanPolicyInput) => api.registry.createScanPolicy({ ...at(), body })

describe('a scan policy', () => {
  it('is created with its defaults, read, listed, changed and deleted', async () => {
    const { resource_id: id } = await create({ name: 'plain' })
    const policy = await api.registry.getScanPolicy({ ...at(), id })
    expect(policy).toMatchObject({
      name: 'plain',
      enabled: true,
      repository_patterns: ['*'],
      trigger: 'REGISTRY_SCAN_TRIGGER_MANUAL',
      schedule: '',
      scanner: 'native',
      generate_sbom: true,
      exceptions: [],
      priority: 0,
    })
    expect(policy).not.toHaveProperty('next_scan_time')
    expect(policy.block_pull).toBeUndefined()
    expect((await api.registry.listScanPolicies(at())).scan_policies).toEqual([policy])
    const exceptions = [{ vulnerability_id: 'CVE-1', reason: 'unreachable', expire_time: '2999-01-01T01:00:00+01:00' }]
    const block_pull = { min_severity: 'REGISTRY_SEVERITY_HIGH' as const }
    await api.registry.updateScanPolicy({
      ...at(),
      id,
      update_mask: 'exceptions,block_pull,priority',
      body: { exceptions, block_pull, priority: -3 },
    })
    const changed = await api.registry.getScanPolicy({ ...at(), id })
    expect(changed).toMatchObject({
      priority: -3,
      block_pull: { min_severity: 'REGISTRY_SEVERITY_HIGH', only_fixable: false, block_unscanned: false },
      exceptions: [{ vulnerability_id: 'CVE-1', package: '', expire_time: '2999-01-01T00:00:00.000Z' }],
    })
    await api.registry.updateScanPolicy({ ...at(), id, update_mask: 'exceptions', body: { exceptions } })
    expect((await api.registry.getScanPolicy({ ...at(), id })).etag).toBe(changed.etag)
    await api.registry.updateScanPolicy({ ...at(), id, update_mask: 'block_pull', body: {} })
    expect((await api.registry.getScanPolicy({ ...at(), id })).block_pull).toBeUndefined()
    await api.registry.deleteScanPolicy({ ...at(), id })
    await expect(api.registry.getScanPolicy({ ...at(), id })).rejects.toMatchObject({ reason: 'SCAN_POLICY_NOT_FOUND' })
    const { audit_events } = await api.registry.listAuditEvents({
      workspace: tenant.workspace,
      filter: 'action=REGISTRY_AUDIT_ACTION_POLICY_CHANGE',
    })
    expect(audit_events).toHaveLength(4)
  })

  it.each([
    [{ schedule: '@daily' }, 'CRON_INVALID'],
    [{ schedule: '* * * * * *' }, 'CRON_INVALID'],
    [{ trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED' }, 'FIELD_INVALID'],
    [{ scanner: 'trivy' }, 'SCANNER_UNKNOWN'],
    [{ repository_patterns: ['A'] }, 'FIELD_INVALID'],
    [{ exceptions: [{ vulnerability_id: 'CVE-1' }] }, 'FIELD_INVALID'],
  ] as const)('is refused for %j: %s', async (body, reason) => {
    const sent: object = { name: 'refused', ...body }
    await expect(create(sent as ScanPolicyInput)).rejects.toMatchObject({
      reason,
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: expect.stringMatching(/^(schedule|scanner|repository_patterns|exceptions)/) }] },
    })
  })

  it('keeps the rules of its schedule when it is changed', async () => {
    const { resource_id: id } = await create({ name: 'nightly' })
    const change = (update_mask: string, body: Partial<ScanPolicyInput>) =>
      api.registry.updateScanPolicy({ ...at(), id, update_mask, body })
    const scheduled = { trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED' } as const
    await expect(change('trigger', scheduled)).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await expect(change('schedule', { schedule: '61 * * * *' })).rejects.toMatchObject({ reason: 'CRON_INVALID' })
    await expect(change('scanner', { scanner: 'x' })).rejects.toMatchObject({ reason: 'SCANNER_UNKNOWN' })
    await change('schedule', { schedule: '0 3 * * 1-5' })
    await change('trigger', scheduled)
    await expect(change('schedule', {})).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    expect(await api.registry.getScanPolicy({ ...at(), id })).toMatchObject({ ...scheduled, schedule: '0 3 * * 1-5' })
  })

  it('has a name that no other one of the workspace has', async () => {
    await create({ name: 'twice' })
    await expect(create({ name: 'twice' })).rejects.toMatchObject({
      reason: 'SCAN_POLICY_ALREADY_EXISTS',
      details: { resource: { type: 'registry.scanPolicies', name: 'twice' } },
    })
    const change = { ...at(), id: absentId, body: { enabled: false }, update_mask: 'enabled' }
    await expect(api.registry.updateScanPolicy(change)).rejects.toMatchObject({ reason: 'SCAN_POLICY_NOT_FOUND' })
  })

  it('is found by filters and orders', async () => {
    await create({ name: 'a-low', priority: 1, labels: { of: 'filters' } })
    await create({ name: 'b-high', priority: 9, enabled: false, labels: { of: 'filters' } })
    const names = async (filter: string, order_by = '') => {
      const { scan_policies } = await api.registry.listScanPolicies({ ...at(), filter, order_by })
      return scan_policies.map(({ name }) => name)
    }
    expect(await names('labels.of=filters', 'priority desc')).toEqual(['b-high', 'a-low'])
    expect(await names('labels.of=filters AND priority>5')).toEqual(['b-high'])
    expect(await names('labels.of=filters AND enabled=true')).toEqual(['a-low'])
    expect(await names('labels.of=filters AND trigger=REGISTRY_SCAN_TRIGGER_ON_PUSH')).toEqual([])
  })
})
