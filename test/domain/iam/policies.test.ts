import { describe, expect, it } from 'vitest'
import { policySubjects } from '../../../domain/iam/collections/policy-subjects-store.ts'
import { subtreeUsage } from '../../../domain/taxonomy/quotas/usage.ts'
import { quotas } from '../../../domain/taxonomy/quotas/quotas-store.ts'
import { workspaces } from '../../../domain/taxonomy/tree/nodes.ts'
import { policiesList } from '../../../output/iam/filters.ts'
import type { Policy, ParsedPolicyStatement, PolicyUpdate } from '../../../output/iam/types.ts'
import { allOf, refused } from './calls.ts'
import { policyOf, statementOf, world, type World } from './administration.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const create = (w: World, name: string, ...statements: ParsedPolicyStatement[]) =>
  w.policies.createPolicy({ workspace: w.w.id, body: policyOf(name, ...statements) }, w.as(w.oz))

const deny = statementOf('DENY', ['all'], ['compute.vms.delete'])

const get = (w: World, id: string) => valueOf<Policy>(w.policies.getPolicy({ workspace: w.w.id, id }))

describe('policies', () => {
  it('are created, read, listed, updated and deleted, and counted against the quota', async () => {
    const w = await world()
    const operation = await valueOf(
      create(w, 'keep', deny, statementOf('ALLOW', [`principal:${w.kim}`], ['compute.*'])),
    )
    expect(operation).toMatchObject({ resource_type: 'iam.policies', scope_id: w.w.id })
    const id = operation.resource_id
    expect(w.changes).toEqual([{ kind: 'POLICY', key: w.w.id }])
    expect(await subtreeUsage(w.store, 'iam.policies', w.w)).toBe(1)
    expect(await get(w, id)).toMatchObject({ name: 'keep', enabled: true, created_by: w.oz, etag: '1' })
    const list = (workspace: string) =>
      allOf(context => w.policies.listPolicies({ workspace }, context), w.as(w.oz), policiesList)
    expect(await list(w.w.id)).toHaveLength(1)
    expect(await list(w.v.id)).toEqual([])
    expect(await outcomeOf(list(w.kim))).toBe('WORKSPACE_NOT_FOUND')
    const update = (body: PolicyUpdate, update_mask?: string) =>
      w.policies.updatePolicy(
        { workspace: w.w.id, id, body, ...(update_mask !== undefined && { update_mask }) },
        w.as(w.oz),
      )
    await update({ name: 'keep', statements: [deny], labels: { a: 'b' } })
    expect(await get(w, id)).toMatchObject({ statements: [deny], labels: { a: 'b' }, etag: '2' })
    expect(await w.store.count(policySubjects)).toBe(0)
    expect(await outcomeOf(update({ labels: {}, etag: '1' }, 'labels'))).toBe('ETAG_MISMATCH')
    expect(await outcomeOf(update({ name: 'other' }, 'name'))).toBe('FIELD_IMMUTABLE')
    const told = w.changes.length
    await update({ enabled: true }, 'enabled')
    expect(w.changes).toHaveLength(told)
    const remove = (workspace: string) => w.policies.deletePolicy({ workspace, id, etag: '2' }, w.as(w.oz))
    expect(await outcomeOf(remove(w.v.id))).toBe('POLICY_NOT_FOUND')
    expect(await outcomeOf(remove(w.w.id))).toBe('OK')
    expect(await outcomeOf(get(w, id))).toBe('POLICY_NOT_FOUND')
    expect(await subtreeUsage(w.store, 'iam.policies', w.w)).toBe(0)
  })

  it.each<[string, string, (w: World) => ParsedPolicyStatement]>([
    [
      'FIELD_INVALID',
      'statements[0].principals[1]',
      () => statementOf('ALLOW', ['role:workspace-viewer', 'all'], ['*']),
    ],
    [
      'FIELD_INVALID',
      'statements[0].resources[0]',
      () => statementOf('DENY', ['all'], ['*'], { resources: ['a.b/id:x'] }),
    ],
    [
      'FIELD_INVALID',
      'statements[0].resources[1]',
      () => statementOf('DENY', ['all'], ['*'], { resources: ['compute.vms/name:a*', 'compute.vms/name:a*b*'] }),
    ],
    ['CONDITION_INVALID', 'statements[0].condition', () => statementOf('DENY', ['all'], ['*'], { condition: 'a = 1' })],
    ['UNKNOWN_PERMISSION', 'statements[0].permissions[0]', () => statementOf('DENY', ['all'], ['compute.nothing.*'])],
    [
      'UNKNOWN_PERMISSION',
      'statements[0].except_permissions[0]',
      () => statementOf('DENY', ['all'], ['*'], { except_permissions: ['a.b.c'] }),
    ],
    [
      'PERMISSION_NOT_DENIABLE',
      'statements[0].permissions[0]',
      () => statementOf('DENY', ['all'], ['iam.access.list']),
    ],
    [
      'PERMISSION_NOT_ALLOWABLE',
      'statements[0].permissions[0]',
      w => statementOf('ALLOW', [`principal:${w.kim}`], ['iam.bindings.create']),
    ],
    ['PRINCIPAL_NOT_FOUND', 'statements[0].principals[0]', w => statementOf('DENY', [`principal:${w.w.id}`], ['*'])],
    [
      'ROLE_NOT_FOUND',
      'statements[0].except_principals[0]',
      () => statementOf('DENY', ['all'], ['*'], { except_principals: ['role:none'] }),
    ],
  ])('report the field of %s: %s', async (reason, field, statement) => {
    const w = await world()
    const expected = { reason, rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field }] } }
    expect(await refused(create(w, 'bad', statement(w)))).toMatchObject(expected)
    const { resource_id: id } = await valueOf(create(w, 'good', deny))
    const body = { statements: [statement(w)] }
    const update = { workspace: w.w.id, id, update_mask: 'statements', body }
    expect(await refused(w.policies.updatePolicy(update, w.as(w.oz)))).toMatchObject(expected)
  })

  it('have unique names in a workspace, and are at most a hundred there', async () => {
    const w = await world()
    await w.store.tx(async tx => {
      const quota = await tx.lock(quotas, 'iam.policies')
      if (quota) await tx.update(quotas, quota.id, { ...quota.value, default_limit: 101 }, quota.version)
    })
    for (let i = 0; i < 100; i += 1) await create(w, `p${i}`, deny)
    expect(await outcomeOf(create(w, 'p0', deny))).toBe('POLICY_ALREADY_EXISTS')
    expect(await outcomeOf(create(w, 'more', deny))).toBe('POLICY_QUOTA_EXCEEDED')
    const other = await w.workspace(w.o, 'other')
    const inOther = (name: string) =>
      outcomeOf(w.policies.createPolicy({ workspace: other.id, body: policyOf(name, deny) }, w.as(w.oz)))
    expect(await inOther('p0')).toBe('OK')
    expect(await inOther('p1')).toBe('QUOTA_EXCEEDED')
  })

  it('cannot be written while the workspace is inactive', async () => {
    const w = await world()
    const { resource_id: id } = await valueOf(create(w, 'keep', deny))
    await w.store.tx(async tx => {
      const stored = await tx.lock(workspaces, w.w.id)
      const state = 'TAXONOMY_LIFECYCLE_STATE_ARCHIVED' as const
      if (stored) await tx.update(workspaces, stored.id, { ...stored.value, state }, stored.version)
    })
    const of = { workspace: w.w.id, id }
    expect(await outcomeOf(create(w, 'new', deny))).toBe('WORKSPACE_NOT_ACTIVE')
    const update = { ...of, update_mask: 'enabled', body: { enabled: false } }
    expect(await outcomeOf(w.policies.updatePolicy(update, w.as(w.oz)))).toBe('WORKSPACE_NOT_ACTIVE')
    expect(await outcomeOf(w.policies.deletePolicy(of, w.as(w.oz)))).toBe('WORKSPACE_NOT_ACTIVE')
    expect(await get(w, id)).toMatchObject({ enabled: true })
  })
})
