import { describe, expect, it } from 'vitest'
import { policies } from '../../../domain/iam/collections/policies-store.ts'
import { scopeAccessList, principalPermissionsList } from '../../../output/iam/filters.ts'
import { allOf, listing, refused } from './calls.ts'
import { heldBy, policyOf, statementOf, world, type World } from './administration.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const at = ({ id, type }: World['w']) => {
  if (type === 'PLATFORM') throw new Error('PLATFORM is in no path')
  return { scope_type: type, scope_id: id }
}

const grant = (w: World, by: string, scope: World['w'], principal_id: string, role_ids: string[], more: object = {}) =>
  w.access.grantAccess({ ...at(scope), body: { principal_id, role_ids, condition: '', ...more } }, w.as(by))

const revoke = (w: World, by: string, scope: World['w'], principal_id: string, role_ids: string[] = []) =>
  w.access.revokeAccess({ ...at(scope), body: { principal_id, role_ids } }, w.as(by))

const entries = (w: World, scope: World['w'], by = w.ada) =>
  allOf(context => w.access.listScopeAccess(at(scope), context), w.as(by), scopeAccessList)

describe('access to a scope', () => {
  it('reports the source of an inherited role, and refuses to revoke the role elsewhere', async () => {
    const w = await world()
    const operation = await valueOf(grant(w, w.oz, w.g, w.kim, ['workspace-viewer']))
    expect(operation).toMatchObject({
      operation_type: 'IAM_OPERATION_TYPE_GRANT',
      resource_type: 'iam.principals',
      resource_id: w.kim,
      scope_type: 'IAM_SCOPE_TYPE_GROUP',
      status: 'IAM_OPERATION_STATUS_DONE',
    })
    const kim = (await entries(w, w.w)).find(({ principal_id }) => principal_id === w.kim)
    expect(kim?.roles).toMatchObject([
      { role_id: 'workspace-viewer', grant_type: 'INHERITED', scope_type: 'GROUP', scope_id: w.g.id },
    ])
    const error = await refused(revoke(w, w.oz, w.w, w.kim, ['workspace-viewer']))
    expect(error).toMatchObject({
      reason: 'ACCESS_INHERITED',
      rpc: 'FAILED_PRECONDITION',
      code: 2008002,
      metadata: { scope_type: 'GROUP', scope_id: w.g.id, binding_id: kim?.roles[0]?.binding_id },
    })
  })

  it('lists many principals under the maximal number of policies, and yields to other work', async () => {
    const w = await world()
    const condition = (n: number) => {
      const hours = Array.from({ length: 30 }, (_, i) => `request.hour_of_day = ${100 + i}`)
      return [...hours, `request.hour_of_day = ${1000 + n}`]
        .join(' OR ')
        .slice(-1024)
        .replace(/^.*? OR /, '')
    }
    await w.store.tx(async tx => {
      for (let i = 0; i < 100; i += 1) {
        const made = Array.from({ length: 20 }, (_, j) =>
          statementOf('ALLOW', ['role:workspace-viewer'], ['compute.vms.get'], { condition: condition(i * 20 + j) }),
        )
        const time = new Date(w.now()).toISOString()
        const stamps = { created_by: '', etag: '1', created: time, updated: time }
        await tx.insert(policies, {
          id: w.parts.clock.newId(),
          workspace_id: w.w.id,
          ...policyOf(`policy-${i}`, ...made),
          ...stamps,
        })
      }
    })
    for (let i = 0; i < 30; i += 1) await w.bind(await w.user(`many-${i}`), 'workspace-viewer', w.w)
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 1)
    const began = performance.now()
    const listed = await entries(w, w.w)
    const took = performance.now() - began
    clearInterval(ticking)
    expect(listed.filter(({ roles }) => roles.some(({ role_id }) => role_id === 'workspace-viewer'))).toHaveLength(30)
    // The list reads each policy statement once. A read for each listed principal would take minutes.
    expect(took).toBeLessThan(30_000)
    expect(turns).toBeGreaterThan(5)
  }, 60_000)

  it('reports an editor’s permissions', async () => {
    const w = await world()
    const permissions = ['vault.secretVersions.access', 'compute.vms.create', 'iam.policies.update']
    const answer = await valueOf(w.access.testMyPermissions({ ...at(w.w), body: { permissions } }, w.as(w.eve)))
    expect(answer.permissions).toEqual(['compute.vms.create'])
    expect(answer.results.map(({ granted }) => granted)).toEqual([false, true, false])
  })

  it('lets a policy deny an administrator until it is disabled', async () => {
    const w = await world()
    const body = policyOf('keep', statementOf('DENY', ['all'], ['compute.vms.delete']))
    const { resource_id: id } = await valueOf(w.policies.createPolicy({ workspace: w.w.id, body }, w.as(w.oz)))
    const test = () =>
      valueOf(
        w.access.testPrincipalPermissions(
          { ...at(w.w), principal: w.ada, body: { permissions: ['compute.vms.delete'] } },
          w.as(w.ada),
        ),
      )
    expect((await test()).results).toEqual([
      { permission: 'compute.vms.delete', granted: false, reason: 'DENIED_BY_POLICY', binding_ids: [], policy_id: id },
    ])
    const patch = { workspace: w.w.id, id, update_mask: 'enabled', body: { enabled: false } }
    expect((await valueOf(w.policies.updatePolicy(patch, w.as(w.oz)))).status).toBe('IAM_OPERATION_STATUS_DONE')
    expect((await test()).results).toMatchObject([{ granted: true, reason: 'GRANTED' }])
    const undeniable = policyOf('no', statementOf('DENY', ['all'], ['iam.policies.delete']))
    const error = await refused(w.policies.createPolicy({ workspace: w.w.id, body: undeniable }, w.as(w.oz)))
    expect(error).toMatchObject({ reason: 'PERMISSION_NOT_DENIABLE', rpc: 'INVALID_ARGUMENT' })
  })

  it('keeps an identical binding and replaces a binding with other terms', async () => {
    const w = await world()
    await grant(w, w.oz, w.w, w.kim, ['workspace-viewer'])
    const [before] = await heldBy(w, w.kim)
    const told = w.changes.length
    await grant(w, w.oz, w.w, w.kim, ['workspace-viewer'])
    expect(w.changes).toHaveLength(told)
    expect(await heldBy(w, w.kim)).toEqual([before])
    const expire_time = new Date(w.now() + 3_600_000).toISOString()
    await grant(w, w.oz, w.w, w.kim, ['workspace-viewer', 'workspace-editor'], { expire_time })
    const after = await heldBy(w, w.kim)
    expect(after.map(({ expire_time }) => expire_time)).toEqual([expire_time, expire_time])
    expect(after.find(({ role_id }) => role_id === 'workspace-viewer')).toMatchObject({ id: before?.id, etag: '2' })
    expect(w.changes.at(-1)).toEqual({ kind: 'PRINCIPAL', key: w.kim })
  })

  it('changes nothing if one of several roles fails', async () => {
    const w = await world()
    expect(await outcomeOf(grant(w, w.oz, w.w, w.kim, ['workspace-viewer', 'organisation-admin']))).toBe(
      'ROLE_NOT_BINDABLE_AT_SCOPE',
    )
    expect(await heldBy(w, w.kim)).toEqual([])
    await grant(w, w.oz, w.w, w.kim, ['workspace-viewer'])
    expect(await outcomeOf(revoke(w, w.oz, w.w, w.kim, ['workspace-viewer', 'workspace-editor']))).toBe(
      'ACCESS_NOT_FOUND',
    )
    expect(await heldBy(w, w.kim)).toHaveLength(1)
  })

  it('revokes all direct roles if no role is named, and keeps inherited roles', async () => {
    const w = await world()
    await grant(w, w.oz, w.g, w.kim, ['workspace-viewer'])
    await grant(w, w.oz, w.w, w.kim, ['workspace-viewer', 'workspace-editor'])
    const operation = await valueOf(revoke(w, w.oz, w.w, w.kim))
    expect(operation.operation_type).toBe('IAM_OPERATION_TYPE_REVOKE')
    expect((await heldBy(w, w.kim)).map(({ scope_id }) => scope_id)).toEqual([w.g.id])
    const error = await refused(revoke(w, w.oz, w.w, w.kim))
    expect(error).toMatchObject({ reason: 'ACCESS_NOT_FOUND', rpc: 'NOT_FOUND' })
  })

  it('reports the unknown principal or role', async () => {
    const w = await world()
    const nobody = w.w.id
    const gone = { type: 'WORKSPACE', id: w.kim } as const
    expect(await refused(grant(w, w.ada, gone, w.kim, ['workspace-viewer']))).toMatchObject({
      reason: 'SCOPE_NOT_FOUND',
      rpc: 'NOT_FOUND',
    })
    expect(await refused(grant(w, w.ada, w.w, nobody, ['workspace-viewer']))).toMatchObject({
      reason: 'PRINCIPAL_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'principal_id' }] },
    })
    expect(await refused(grant(w, w.ada, w.w, w.kim, ['workspace-viewer', 'no-such']))).toMatchObject({
      reason: 'ROLE_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field: 'role_ids[1]' }] },
    })
    expect(await outcomeOf(revoke(w, w.ada, gone, w.kim))).toBe('SCOPE_NOT_FOUND')
    expect(await outcomeOf(revoke(w, w.ada, w.w, nobody))).toBe('PRINCIPAL_NOT_FOUND')
    expect(await outcomeOf(revoke(w, w.ada, w.w, w.kim, ['no-such']))).toBe('ROLE_NOT_FOUND')
    const test = { ...at(w.w), principal: w.kim, body: { permissions: ['compute.vms.get', 'no.such.key'] } }
    expect(await refused(w.access.testPrincipalPermissions(test, w.as(w.ada)))).toMatchObject({
      reason: 'UNKNOWN_PERMISSION',
      details: { badRequest: [{ field: 'permissions[1]' }] },
    })
    const address = { ...test, body: { permissions: ['compute.vms.get'], context: { ip: '1.2' } } }
    expect(await outcomeOf(w.access.testPrincipalPermissions(address, w.as(w.ada)))).toBe('FIELD_INVALID')
  })

  it('lists effective permissions with their sources, and nothing for a caller without permissions', async () => {
    const w = await world()
    const of = { ...at(w.w), principal: w.eve }
    const all = await allOf(
      context => w.access.listPrincipalPermissions(of, context),
      w.as(w.ada),
      principalPermissionsList,
      { page_size: 50 },
    )
    expect(all.map(({ permission }) => permission)).toEqual(all.map(({ permission }) => permission).toSorted())
    expect(all.find(({ permission }) => permission === 'compute.vms.create')).toMatchObject({
      conditional: false,
      sources: [{ source_type: 'BINDING', role_id: 'workspace-editor', grant_type: 'DIRECT' }],
    })
    for (const scope of [w.v, { type: 'WORKSPACE', id: w.kim } as const]) {
      const own = listing(w.as(w.eve), principalPermissionsList)
      expect((await w.access.listMyPermissions(at(scope), own)).items).toEqual([])
      const body = { permissions: ['compute.vms.get'] }
      expect((await valueOf(w.access.testMyPermissions({ ...at(scope), body }, w.as(w.eve)))).permissions).toEqual([])
    }
    const gone = listing(w.as(w.ada), principalPermissionsList)
    const nowhere = { scope_type: 'GROUP', scope_id: w.kim, principal: w.eve } as const
    expect(await outcomeOf(w.access.listPrincipalPermissions(nowhere, gone))).toBe('SCOPE_NOT_FOUND')
    expect(await outcomeOf(w.access.listPrincipalPermissions({ ...of, principal: w.w.id }, gone))).toBe(
      'PRINCIPAL_NOT_FOUND',
    )
  })

  it('does not list inactive principals or expired bindings', async () => {
    const w = await world()
    const gone = await w.user('gone', { status: 'DEACTIVATED' })
    await w.bind(gone, 'workspace-viewer', w.w)
    await w.bind(w.kim, 'workspace-viewer', w.w, { expire_time: new Date(w.now() + 90_000).toISOString() })
    const seen = async () => (await entries(w, w.w)).map(({ principal_id }) => principal_id)
    expect(await seen()).toEqual([w.ada, w.oz, w.eve, w.kim])
    w.later(90_000)
    expect(await seen()).toEqual([w.ada, w.oz, w.eve])
    expect(await outcomeOf(entries(w, { type: 'GROUP', id: w.kim }))).toBe('SCOPE_NOT_FOUND')
  })

  it('refuses a condition or an expiry for the last administrator', async () => {
    const w = await world()
    const expire_time = new Date(w.now() + 3_600_000).toISOString()
    const expiring = () => grant(w, w.oz, w.o, w.oz, ['organisation-admin'], { expire_time })
    expect(await outcomeOf(expiring())).toBe('LAST_ADMINISTRATOR')
    expect(await outcomeOf(revoke(w, w.oz, w.o, w.oz))).toBe('LAST_ADMINISTRATOR')
    await w.bind(w.kim, 'organisation-admin', w.o)
    expect(await outcomeOf(expiring())).toBe('OK')
    expect(await outcomeOf(revoke(w, w.oz, w.o, w.kim))).toBe('LAST_ADMINISTRATOR')
    expect(await outcomeOf(revoke(w, w.ada, w.o, w.kim))).toBe('OK')
  })
})
