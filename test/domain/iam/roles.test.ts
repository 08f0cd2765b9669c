import { describe, expect, it } from 'vitest'
import { rolePermissions, roles } from '../../../domain/iam/collections/roles-store.ts'
import { organisations } from '../../../domain/taxonomy/tree/nodes.ts'
import { rolePermissionsList, rolesList } from '../../../output/iam/filters.ts'
import type { Role, ParsedRole } from '../../../output/iam/types.ts'
import { allOf, refused } from './calls.ts'
import { platformScope } from './rows.ts'
import { policyOf, statementOf, world, type World } from './administration.ts'
import { retiredKey } from './test-catalogue.ts'
import { outcomeOf, valueOf } from '../outcomes.ts'

const roleOf = (name: string, owner: World['o'], permissions: string[] = [], more: Partial<ParsedRole> = {}) => ({
  name,
  display_name: '',
  description: '',
  permissions,
  scope_type: owner.type,
  scope_id: owner.id,
  ...more,
})

const create = (w: World, by: string, ...role: Parameters<typeof roleOf>) =>
  w.roles.createRole({ body: roleOf(...role) }, w.as(by))

const made = async (w: World, by: string, ...role: Parameters<typeof roleOf>): Promise<string> =>
  (await valueOf(create(w, by, ...role))).resource_id

const get = (w: World, id: string) => valueOf<Role>(w.roles.getRole({ id }, w.as(w.ada)))

const permissionsOf = (w: World, role: string) =>
  allOf(context => w.roles.listRolePermissions({ role }, context), w.as(w.ada), rolePermissionsList)

describe('roles', () => {
  it('belong to an organisation and can be bound at and below it', async () => {
    const w = await world()
    const operation = await valueOf(create(w, w.oz, 'vm-operator', w.o, ['compute.vms.start', 'compute.vms.get']))
    expect(operation).toMatchObject({
      operation_type: 'IAM_OPERATION_TYPE_CREATE',
      resource_type: 'iam.roles',
      scope_id: w.o.id,
    })
    expect(await get(w, operation.resource_id)).toMatchObject({
      role_type: 'CUSTOM',
      permissions: ['compute.vms.get', 'compute.vms.start'],
      permission_count: 2,
      bindable_scope_types: ['ORGANISATION', 'GROUP', 'WORKSPACE'],
    })
    const platforms = await get(w, await made(w, w.ada, 'vm-operator', platformScope))
    expect(platforms.bindable_scope_types).toEqual(['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE'])
    const elsewhere = {
      principal_id: w.kim,
      role_id: operation.resource_id,
      scope_type: 'WORKSPACE',
      condition: '',
    } as const
    const at = (scope_id: string) =>
      outcomeOf(w.bindings.createBinding({ body: { ...elsewhere, scope_id } }, w.as(w.ada)))
    expect(await at(w.v.id)).toBe('ROLE_NOT_FOUND')
    expect(await at(w.w.id)).toBe('OK')
  })

  it('have unique names in each owner scope, which differ from the names of predefined roles', async () => {
    const w = await world()
    await create(w, w.oz, 'one', w.o)
    expect(await outcomeOf(create(w, w.oz, 'one', w.o))).toBe('ROLE_ALREADY_EXISTS')
    expect(await outcomeOf(create(w, w.pat, 'one', w.p))).toBe('OK')
    expect(await outcomeOf(create(w, w.oz, 'workspace-admin', w.o))).toBe('ROLE_ALREADY_EXISTS')
  })

  it.each<[string, string, (w: World) => Promise<unknown>]>([
    ['FIELD_INVALID', 'scope_type', w => create(w, w.ada, 'a', w.g)],
    ['FIELD_INVALID', 'scope_id', w => create(w, w.ada, 'a', { type: 'PLATFORM', id: w.o.id })],
    ['SCOPE_NOT_FOUND', 'scope_id', w => create(w, w.ada, 'a', { type: 'ORGANISATION', id: w.g.id })],
    ['UNKNOWN_PERMISSION', 'permissions[1]', w => create(w, w.ada, 'a', w.o, ['compute.vms.get', 'a.b.c'])],
    ['UNKNOWN_PERMISSION', 'permissions[0]', w => create(w, w.ada, 'a', w.o, [retiredKey])],
  ])('report the field of %s: %s', async (reason, field, call) => {
    const error = await refused(call(await world()))
    expect(error).toMatchObject({ reason, rpc: 'INVALID_ARGUMENT', details: { badRequest: [{ field }] } })
  })

  it('are at most a hundred of one owner', async () => {
    const w = await world()
    for (let i = 0; i < 100; i += 1) await create(w, w.oz, `r${i}`, w.o)
    expect(await outcomeOf(create(w, w.oz, 'one-more', w.o))).toBe('ROLE_QUOTA_EXCEEDED')
    expect(await outcomeOf(create(w, w.ada, 'elsewhere', platformScope))).toBe('OK')
  })

  it('cannot be written while their owner is inactive, or if they are predefined', async () => {
    const w = await world()
    const id = await made(w, w.oz, 'one', w.o)
    const calls = [
      (role: string) =>
        w.roles.updateRole({ id: role, update_mask: 'description', body: { description: 'x' } }, w.as(w.ada)),
      (role: string) => w.roles.addRolePermission({ role, body: { permission: 'compute.vms.reset' } }, w.as(w.ada)),
      (role: string) => w.roles.deleteRole({ id: role }, w.as(w.ada)),
    ]
    for (const call of calls) expect(await outcomeOf(call('workspace-viewer'))).toBe('ROLE_PREDEFINED')
    for (const call of calls) expect(await outcomeOf(call(w.kim))).toBe('ROLE_NOT_FOUND')
    const remove = { role: 'workspace-viewer', permission: 'compute.vms.get' }
    expect(await outcomeOf(w.roles.removeRolePermission(remove, w.as(w.ada)))).toBe('ROLE_PREDEFINED')
    await w.store.tx(async tx => {
      const stored = await tx.lock(organisations, w.o.id)
      const state = 'TAXONOMY_LIFECYCLE_STATE_SUSPENDED' as const
      if (stored)
        await tx.update(organisations, stored.id, { ...stored.value, state, effective_state: state }, stored.version)
    })
    for (const call of calls) expect(await outcomeOf(call(id))).toBe('SCOPE_NOT_ACTIVE')
    expect(await outcomeOf(create(w, w.ada, 'two', w.o))).toBe('SCOPE_NOT_ACTIVE')
  })

  it('gain and lose permissions one by one, with the time of each permission', async () => {
    const w = await world()
    const role = await made(w, w.oz, 'one', w.o, ['compute.vms.get'])
    const [first] = await permissionsOf(w, role)
    w.later(5000)
    const add = (permission: string) => w.roles.addRolePermission({ role, body: { permission } }, w.as(w.oz))
    const operation = await valueOf(add('compute.vms.create'))
    expect(operation).toMatchObject({ operation_type: 'IAM_OPERATION_TYPE_UPDATE', resource_id: role })
    expect(w.changes.at(-1)).toEqual({ kind: 'ROLE', key: role })
    const [created, got] = await permissionsOf(w, role)
    expect(got).toEqual(first)
    expect(created).toMatchObject({ role_id: role, permission: 'compute.vms.create', access_class: 'WRITE' })
    expect(Date.parse(created?.created ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.created ?? '') + 5000)
    expect(await outcomeOf(add('compute.vms.create'))).toBe('ROLE_PERMISSION_ALREADY_EXISTS')
    expect(await outcomeOf(add('a.b.c'))).toBe('UNKNOWN_PERMISSION')
    const remove = (permission: string, etag?: string) =>
      w.roles.removeRolePermission({ role, permission, ...(etag !== undefined && { etag }) }, w.as(w.oz))
    expect(await outcomeOf(remove('a.b.c'))).toBe('PERMISSION_NOT_FOUND')
    expect(await outcomeOf(remove('compute.vms.delete'))).toBe('ROLE_PERMISSION_NOT_FOUND')
    expect(await outcomeOf(remove('compute.vms.get', '1'))).toBe('ETAG_MISMATCH')
    expect(await outcomeOf(remove('compute.vms.get', '2'))).toBe('OK')
    expect(await get(w, role)).toMatchObject({ permissions: ['compute.vms.create'], permission_count: 1, etag: '3' })
  })

  it('are updated by the rules of masks, in any order of permissions', async () => {
    const w = await world()
    const id = await made(w, w.oz, 'one', w.o, ['compute.vms.get', 'compute.vms.list'])
    const update = (body: Partial<ParsedRole> & { etag?: string }, update_mask?: string) =>
      w.roles.updateRole({ id, body, ...(update_mask !== undefined && { update_mask }) }, w.as(w.oz))
    await update({ permissions: ['compute.vms.list', 'compute.vms.get'] }, 'permissions')
    expect((await get(w, id)).etag).toBe('1')
    expect(await outcomeOf(update({ name: 'two' }))).toBe('FIELD_IMMUTABLE')
    expect(await outcomeOf(update({ etag: 'x' }))).toBe('ETAG_MISMATCH')
    expect(await outcomeOf(update({ permissions: ['a.b.c'] }, 'permissions'))).toBe('UNKNOWN_PERMISSION')
    await update({ permissions: ['compute.vms.get'], display_name: 'One' })
    expect(await get(w, id)).toMatchObject({ permissions: ['compute.vms.get'], display_name: 'One', etag: '2' })
    expect(await w.store.count(rolePermissions, { role_id: id })).toBe(1)
  })

  it('lose retired permissions at their next update', async () => {
    const w = await world()
    const id = await made(w, w.oz, 'one', w.o, ['compute.vms.get'])
    await w.store.tx(async tx => {
      const stored = await tx.lock(roles, id)
      if (!stored) return
      const permissions = [retiredKey, 'compute.vms.get']
      await tx.update(roles, id, { ...stored.value, permissions, permission_count: 2 }, stored.version)
    })
    await w.roles.updateRole({ id, update_mask: 'description', body: { description: 'new' } }, w.as(w.oz))
    expect(await get(w, id)).toMatchObject({ permissions: ['compute.vms.get'], permission_count: 1 })
  })

  it('are not deleted while active bindings or policies name them', async () => {
    const w = await world()
    const id = await made(w, w.oz, 'one', w.o, ['compute.vms.get'])
    await w.bind(w.kim, id, w.w, { expire_time: new Date(w.now() + 60_000).toISOString() })
    await w.bind(w.eve, id, w.g)
    const body = policyOf(
      'names',
      statementOf('DENY', ['all'], ['compute.vms.get'], { except_principals: [`role:${id}`] }),
    )
    const policy = await valueOf(w.policies.createPolicy({ workspace: w.w.id, body }, w.as(w.oz)))
    const remove = () => w.roles.deleteRole({ id, etag: '1' }, w.as(w.oz))
    expect(await refused(remove())).toMatchObject({ reason: 'ROLE_IN_USE', metadata: { count: '3' } })
    w.later(60_000)
    expect(await refused(remove())).toMatchObject({
      metadata: { count: '2' },
      details: { precondition: [{ type: 'iam.bindings' }, { type: 'iam.policies' }] },
    })
    await w.policies.deletePolicy({ workspace: w.w.id, id: policy.resource_id }, w.as(w.oz))
    const revoke = { scope_type: 'GROUP', scope_id: w.g.id } as const
    await w.access.revokeAccess({ ...revoke, body: { principal_id: w.eve, role_ids: [id] } }, w.as(w.oz))
    expect((await valueOf(remove())).operation_type).toBe('IAM_OPERATION_TYPE_DELETE')
    expect(await w.store.count(rolePermissions, { role_id: id })).toBe(0)
    expect(await outcomeOf(w.roles.getRole({ id }, w.as(w.ada)))).toBe('ROLE_NOT_FOUND')
  })

  it('are visible to callers who could bind them somewhere; predefined roles are visible to every caller', async () => {
    const w = await world()
    await made(w, w.oz, 'ours', w.o)
    await made(w, w.pat, 'theirs', w.p)
    const everywhere = await made(w, w.ada, 'everywhere', platformScope)
    const theirs = (await allOf(context => w.roles.listRoles({}, context), w.as(w.pat), rolesList)).find(
      ({ name }) => name === 'theirs',
    )
    const custom = async (by: string) =>
      (await allOf(context => w.roles.listRoles({}, context), w.as(by), rolesList, { page_size: 3 }))
        .filter(({ role_type }) => role_type === 'CUSTOM')
        .map(({ name }) => name)
    expect(await custom(w.ada)).toEqual(['everywhere', 'ours', 'theirs'])
    expect(await custom(w.eve)).toEqual(['everywhere', 'ours'])
    expect(await custom(w.kim)).toEqual([])
    const id = theirs?.id ?? ''
    const hidden = await refused(w.roles.getRole({ id }, w.as(w.eve)))
    const absent = await refused(w.roles.getRole({ id: w.kim }, w.as(w.eve)))
    expect({ ...hidden }).toEqual({ ...absent })
    expect(hidden.reason).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(w.roles.getRole({ id: everywhere }, w.as(w.eve)))).toBe('OK')
    expect(await outcomeOf(w.roles.getRole({ id: 'workspace-viewer' }, w.as(w.kim)))).toBe('OK')
    expect(await outcomeOf(w.roles.getRole({ id: w.kim }, w.as(w.ada)))).toBe('ROLE_NOT_FOUND')
  })
})
