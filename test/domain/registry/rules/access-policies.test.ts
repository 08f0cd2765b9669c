import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { AccessRuleInput } from '../../../../output/registry/types.ts'
import { absentId, addTenant, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let api: Ninefold
let admin: Member
let tenant: Tenant
let repository: string

beforeAll(async () => {
  const platform = await testPlatform({ later: afterTests })
  admin = await platform.admin()
  api = admin.api
  tenant = await addTenant(api, 'acme')
  repository = (await api.registry.createRepository({ ...at(), body: { name: 'api' } })).resource_id
})

const at = () => ({ workspace: tenant.workspace, engine: 'native' })
const atRepository = () => ({ ...at(), repository })

const ruleOf = (rule: Partial<AccessRuleInput> = {}): AccessRuleInput => ({
  effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
  principals: [admin.id],
  actions: ['REGISTRY_ACTION_PUSH'],
  ...rule,
})

describe('an access policy', () => {
  it('of a workspace is created, read, listed, changed and deleted, and its repository has another list', async () => {
    const rules = [ruleOf({ tag_patterns: ['dev-*'], expire_time: '2999-01-01T01:00:00+01:00' })]
    const { resource_id: id } = await api.registry.createAccessPolicy({ ...at(), body: { name: 'dev', rules } })
    const policy = await api.registry.getAccessPolicy({ ...at(), id })
    expect(policy).toMatchObject({
      name: 'dev',
      scope: 'REGISTRY_ACCESS_POLICY_SCOPE_WORKSPACE',
      repository_id: '',
      enabled: true,
      rules: [{ ...rules[0], source_cidrs: [], expire_time: '2999-01-01T00:00:00.000Z' }],
    })
    expect((await api.registry.listAccessPolicies(at())).access_policies).toEqual([policy])
    expect((await api.registry.listRepositoryAccessPolicies(atRepository())).access_policies).toEqual([])
    await api.registry.updateAccessPolicy({ ...at(), id, update_mask: 'rules', body: { rules } })
    expect(await api.registry.getAccessPolicy({ ...at(), id })).toEqual(policy)
    await api.registry.updateAccessPolicy({ ...at(), id, update_mask: 'enabled', body: { enabled: false } })
    expect(await api.registry.getAccessPolicy({ ...at(), id })).toMatchObject({ enabled: false, rules: policy.rules })
    await api.registry.deleteAccessPolicy({ ...at(), id })
    await expect(api.registry.getAccessPolicy({ ...at(), id })).rejects.toMatchObject({
      reason: 'ACCESS_POLICY_NOT_FOUND',
    })
    const { audit_events } = await api.registry.listAuditEvents({
      workspace: tenant.workspace,
      filter: 'action=REGISTRY_AUDIT_ACTION_POLICY_CHANGE',
    })
    expect(audit_events).toHaveLength(3)
    expect(audit_events[0]).toMatchObject({
      outcome: 'REGISTRY_AUDIT_OUTCOME_SUCCEEDED',
      principal_id: admin.id,
      repository_id: '',
      client_ip: '192.0.2.7',
    })
  })

  it('of a repository is absent at the paths of its workspace, and the other way round', async () => {
    const body = { name: 'one', rules: [ruleOf()] }
    const { resource_id: inner } = await api.registry.createRepositoryAccessPolicy({ ...atRepository(), body })
    const { resource_id: outer } = await api.registry.createAccessPolicy({ ...at(), body })
    const absent = { reason: 'ACCESS_POLICY_NOT_FOUND', rpc: 'NOT_FOUND' }
    const change = { update_mask: 'enabled', body: { enabled: false } }
    for (const call of [
      () => api.registry.getAccessPolicy({ ...at(), id: inner }),
      () => api.registry.updateAccessPolicy({ ...at(), id: inner, ...change }),
      () => api.registry.deleteAccessPolicy({ ...at(), id: inner }),
      () => api.registry.getRepositoryAccessPolicy({ ...atRepository(), id: outer }),
      () => api.registry.updateRepositoryAccessPolicy({ ...atRepository(), id: outer, ...change }),
      () => api.registry.deleteRepositoryAccessPolicy({ ...atRepository(), id: outer }),
    ])
      await expect(call(), String(call)).rejects.toMatchObject(absent)
    await expect(
      api.registry.createRepositoryAccessPolicy({ ...at(), repository: absentId, body }),
    ).rejects.toMatchObject({ reason: 'REPOSITORY_NOT_FOUND' })
    await expect(api.registry.createAccessPolicy({ ...at(), body })).rejects.toMatchObject({
      reason: 'ACCESS_POLICY_ALREADY_EXISTS',
    })
    const policy = await api.registry.getRepositoryAccessPolicy({ ...atRepository(), id: inner })
    expect(policy).toMatchObject({ scope: 'REGISTRY_ACCESS_POLICY_SCOPE_REPOSITORY', repository_id: repository })
    await api.registry.deleteRepositoryAccessPolicy({ ...atRepository(), id: inner })
  })

  it.each<[string, Partial<AccessRuleInput>, string, string]>([
    ['tags of a pull', { actions: ['REGISTRY_ACTION_PULL'], tag_patterns: ['a'] }, 'FIELD_INVALID', 'tag_patterns'],
    ['an allowed scan', { actions: ['REGISTRY_ACTION_SCAN'] }, 'FIELD_INVALID', 'actions'],
    ['no network', { source_cidrs: ['192.0.2.0/40'] }, 'FIELD_INVALID', 'source_cidrs[0]'],
    ['an unknown principal', { principals: [absentId] }, 'PRINCIPAL_NOT_FOUND', 'principals[0]'],
    ['a time in the past', { expire_time: '2020-01-01T00:00:00Z' }, 'EXPIRE_TIME_IN_PAST', 'expire_time'],
    ['a public push', { principals: ['ALL_USERS'] }, 'PUBLIC_RULE_INVALID', 'principals'],
  ])('is refused for %s', async (name, rule, reason, member) => {
    const body = { name: 'refused', rules: [ruleOf(rule)] }
    await expect(api.registry.createRepositoryAccessPolicy({ ...atRepository(), body }), name).rejects.toMatchObject({
      reason,
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [expect.objectContaining({ field: `rules[0].${member}` })] },
    })
  })

  it('makes content public in a repository alone', async () => {
    const rules = [ruleOf({ principals: ['ALL_USERS'], actions: ['REGISTRY_ACTION_PULL'] })]
    await expect(api.registry.createAccessPolicy({ ...at(), body: { name: 'public', rules } })).rejects.toMatchObject({
      reason: 'PUBLIC_RULE_INVALID',
    })
    await api.registry.createRepositoryAccessPolicy({ ...atRepository(), body: { name: 'public', rules } })
  })

  it('goes with its repository', async () => {
    const { resource_id: other } = await api.registry.createRepository({ ...at(), body: { name: 'gone' } })
    const body = { name: 'one', rules: [ruleOf()] }
    await api.registry.createRepositoryAccessPolicy({ ...at(), repository: other, body })
    await api.registry.deleteRepository({ ...at(), id: other })
    await expect(api.registry.listRepositoryAccessPolicies({ ...at(), repository: other })).rejects.toMatchObject({
      reason: 'REPOSITORY_NOT_FOUND',
    })
  })
})
