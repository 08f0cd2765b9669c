import { describe, expect, it } from 'vitest'
import { grantRole } from '../../../../domain/iam/grants/grants.ts'
import { hourly, heldBy, policyOf, statementOf, world } from '../administration.ts'
import { platformScope } from '../rows.ts'
import { refused } from '../calls.ts'
import { outcomeOf, valueOf } from '../../outcomes.ts'
import type { Scope } from '../../../../domain/ports/scope.ts'

const secret = 'vault.secretVersions.access'

/**
 * Makes a world with the user `mal`, who administers access in W without permissions of the vault, and with custom
 * roles: the role of `mal`, a role with a permission of the vault, and a role that reads machines.
 */
async function arena() {
  const w = await world()
  const keys = (permissions: string[], name: string, owner: Scope = w.o) => {
    const body = { name, display_name: '', description: '', permissions, scope_type: owner.type, scope_id: owner.id }
    return valueOf(w.roles.createRole({ body }, w.as(w.ada)))
  }
  const granter = [
    'iam.bindings.create',
    'iam.access.grant',
    'iam.policies.create',
    'iam.policies.update',
    'compute.vms.get',
  ]
  const { resource_id: granterRole } = await keys([...granter, 'iam.roles.update', 'iam.roles.create'], 'granter')
  const { resource_id: secretRole } = await keys([secret], 'secrets')
  const { resource_id: vmRole } = await keys(['compute.vms.get'], 'vms')
  const mal = await w.user('mal', { organisation_id: w.o.id })
  await w.bind(mal, granterRole, w.w)
  return { ...w, mal, granterRole, secretRole, vmRole, keys }
}

type Arena = Awaited<ReturnType<typeof arena>>

interface Given {
  readonly role: string
  readonly scope: Scope
  readonly principal?: string
  readonly terms?: { readonly condition?: string; readonly expire_time?: string }
}

/** The calls that grant a role, keyed by name. */
const paths: Readonly<Record<string, (a: Arena, by: string, given: Given) => Promise<unknown>>> = {
  createBinding: (a, by, { principal = a.kim, role, scope, terms = {} }) => {
    const body = { principal_id: principal, role_id: role, scope_type: scope.type, scope_id: scope.id, condition: '' }
    return a.bindings.createBinding({ body: { ...body, ...terms } }, a.as(by))
  },
  grantAccess: (a, by, { principal = a.kim, role, scope: { id, type }, terms = {} }) => {
    if (type === 'PLATFORM') throw new Error('PLATFORM is in no path')
    const body = { principal_id: principal, role_ids: [role], condition: '', ...terms }
    return a.access.grantAccess({ scope_type: type, scope_id: id, body }, a.as(by))
  },
  'grants of an invitation': (a, by, { principal = a.kim, role, scope, terms = {} }) => {
    const grant = { context: a.as(by), principal, role_id: role, scope, condition: '', ...terms }
    return a.store.tx(tx => grantRole(tx, a.parts, { ...grant, at: 'grants[0].' }))
  },
}

describe.each(Object.entries(paths))('%s', (_name, give) => {
  it('gives only permissions that the grantor has at the scope or above', async () => {
    const a = await arena()
    expect(await outcomeOf(give(a, a.mal, { role: a.vmRole, scope: a.w }))).toBe('OK')
    const error = await refused(give(a, a.mal, { role: a.secretRole, scope: a.w }))
    expect(error).toMatchObject({
      reason: 'ESCALATION_DENIED',
      rpc: 'PERMISSION_DENIED',
      metadata: { permission: secret },
    })
    expect(await outcomeOf(give(a, a.mal, { role: a.vmRole, scope: a.g }))).toBe('ESCALATION_DENIED')
    expect(await outcomeOf(give(a, a.mal, { role: a.secretRole, scope: a.w, principal: a.mal }))).toBe(
      'ESCALATION_DENIED',
    )
    expect((await heldBy(a, a.kim)).map(({ role_id }) => role_id)).toEqual([a.vmRole])
  })

  it('names the first missing permission', async () => {
    const a = await arena()
    const error = await refused(give(a, a.mal, { role: 'workspace-viewer', scope: a.w }))
    expect(error.metadata).toEqual({ permission: 'compute.operations.get' })
  })

  it('does not count a conditional source', async () => {
    const a = await arena()
    await a.bind(a.mal, a.secretRole, a.w, { condition: 'request.hour_of_day >= 0' })
    expect(await outcomeOf(give(a, a.mal, { role: a.secretRole, scope: a.w }))).toBe('ESCALATION_DENIED')
    const terms = { condition: 'request.hour_of_day > 0' }
    expect(await outcomeOf(give(a, a.mal, { role: a.secretRole, scope: a.w, terms }))).toBe('ESCALATION_DENIED')
  })

  it('does not count an ALLOW statement as a source', async () => {
    const a = await arena()
    const body = policyOf('allow', statementOf('ALLOW', [`principal:${a.mal}`], [secret]))
    await a.policies.createPolicy({ workspace: a.w.id, body }, a.as(a.oz))
    expect(await outcomeOf(give(a, a.mal, { role: a.secretRole, scope: a.w }))).toBe('ESCALATION_DENIED')
  })

  it('gives no role for longer than all its sources last', async () => {
    const a = await arena()
    await a.bind(a.mal, a.secretRole, a.w, { expire_time: hourly(a, 1) })
    await a.bind(a.mal, a.secretRole, a.g, { expire_time: hourly(a, 3) })
    const lasting = (hours?: number) => {
      const terms = hours === undefined ? {} : { expire_time: hourly(a, hours) }
      return outcomeOf(give(a, a.mal, { role: a.secretRole, scope: a.w, terms }))
    }
    expect(await lasting()).toBe('ESCALATION_DENIED')
    expect(await lasting(4)).toBe('ESCALATION_DENIED')
    expect(await lasting(2)).toBe('OK')
    a.later(3 * 3_600_000)
    expect(await lasting(1)).toBe('ESCALATION_DENIED')
  })

  it('ignores policies that deny the grantor the given permissions', async () => {
    const a = await arena()
    const body = policyOf('deny', statementOf('DENY', ['all'], ['compute.vms.get']))
    await a.policies.createPolicy({ workspace: a.w.id, body }, a.as(a.oz))
    expect(await outcomeOf(give(a, a.mal, { role: a.vmRole, scope: a.w }))).toBe('OK')
  })

  it('counts the ALLOW statements for holders of the role', async () => {
    const a = await arena()
    const body = policyOf('allow', statementOf('ALLOW', [`role:${a.vmRole}`], ['vault.secretVersions.*']))
    const { resource_id: id } = await valueOf(a.policies.createPolicy({ workspace: a.w.id, body }, a.as(a.oz)))
    expect(await outcomeOf(give(a, a.mal, { role: a.vmRole, scope: a.w }))).toBe('ESCALATION_DENIED')
    expect(await outcomeOf(give(a, a.oz, { role: a.vmRole, scope: a.g }))).toBe('OK')
    const disable = { workspace: a.w.id, id, update_mask: 'enabled', body: { enabled: false } }
    await a.policies.updatePolicy(disable, a.as(a.oz))
    expect(await outcomeOf(give(a, a.mal, { role: a.vmRole, scope: a.w }))).toBe('OK')
  })

  it('gives no role after the deactivation of the grantor', async () => {
    const a = await arena()
    const barred = await a.user('barred', { status: 'DEACTIVATED' })
    await a.bind(barred, 'organisation-admin', a.o)
    expect(await outcomeOf(give(a, barred, { role: a.vmRole, scope: a.w }))).toBe('ESCALATION_DENIED')
  })
})

describe('a later change of a role', () => {
  it('adds no permission that the editor lacks at the owner of the role', async () => {
    const a = await arena()
    // The editor has the permission in one workspace only, but bindings of the role may lie in other workspaces.
    const role = a.vmRole
    await a.bind(a.mal, a.secretRole, a.w)
    const update = { id: role, update_mask: 'permissions', body: { permissions: ['compute.vms.get', secret] } }
    const add = { role, body: { permission: secret } }
    const named = { name: 'mine', display_name: '', description: '', scope_type: a.o.type, scope_id: a.o.id }
    const calls = [
      () => a.roles.updateRole(update, a.as(a.mal)),
      () => a.roles.addRolePermission(add, a.as(a.mal)),
      () => a.roles.createRole({ body: { ...named, permissions: [secret] } }, a.as(a.mal)),
    ]
    for (const call of calls) {
      expect(await refused(call())).toMatchObject({ reason: 'ESCALATION_DENIED', metadata: { permission: secret } })
    }
    const expiring = await a.user('expiring')
    await a.bind(expiring, 'organisation-admin', a.o, { expire_time: hourly(a, 1) })
    expect(await outcomeOf(a.roles.addRolePermission(add, a.as(expiring)))).toBe('ESCALATION_DENIED')
    for (const call of [() => a.roles.addRolePermission(add, a.as(a.oz))]) expect(await outcomeOf(call())).toBe('OK')
  })

  it('removes permissions for any editor, and changes other fields without further permissions', async () => {
    const a = await arena()
    const { mal } = a
    const fewer = { id: a.secretRole, update_mask: 'permissions', body: { permissions: [] } }
    const text = { id: a.secretRole, update_mask: 'display_name', body: { display_name: 'x' } }
    expect(await outcomeOf(a.roles.updateRole(text, a.as(mal)))).toBe('OK')
    expect(await outcomeOf(a.roles.updateRole(fewer, a.as(mal)))).toBe('OK')
  })

  it('adds no administrative permission while a service account has the role at the platform', async () => {
    const a = await arena()
    const { resource_id: role } = await a.keys(['compute.vms.get'], 'reader', platformScope)
    const id = await a.bind(a.bot, role, platformScope)
    const add = (permission: string) =>
      outcomeOf(a.roles.addRolePermission({ role, body: { permission } }, a.as(a.ada)))
    expect(await add('iam.bindings.create')).toBe('PRINCIPAL_KIND_NOT_BINDABLE')
    const body = { permissions: ['compute.vms.get', 'iam.bindings.create'] }
    const update = { id: role, update_mask: 'permissions', body }
    expect(await outcomeOf(a.roles.updateRole(update, a.as(a.ada)))).toBe('PRINCIPAL_KIND_NOT_BINDABLE')
    expect(await add('compute.vms.list')).toBe('OK')
    await a.bindings.deleteBinding({ id }, a.as(a.ada))
    expect(await add('iam.bindings.create')).toBe('OK')
  })
})

describe('an ALLOW statement', () => {
  const mine = (a: Arena, permissions: string[], more = {}) =>
    policyOf('mine', statementOf('ALLOW', [`principal:${a.mal}`], permissions, more))

  it.each([
    ['exactly', [secret], {}],
    ['by a wildcard', ['vault.*'], {}],
    ['by everything', ['*'], {}],
    [
      'on some resources, under a condition',
      [secret],
      { resources: ['vault.secrets/name:ci-*'], condition: 'request.hour_of_day > 1' },
    ],
  ])('gives no permission that its writer lacks: %s', async (_how, permissions, more) => {
    const a = await arena()
    const call = a.policies.createPolicy({ workspace: a.w.id, body: mine(a, permissions, more) }, a.as(a.mal))
    expect(await outcomeOf(call)).toBe('ESCALATION_DENIED')
  })

  it('gives a wildcard without its exceptions, and may deny any permission', async () => {
    const a = await arena()
    const rest = { except_permissions: ['compute.vms.create', 'compute.vms.delete', 'compute.operations.*'] }
    const others = ['list', 'reset', 'restart', 'resume', 'start', 'stop', 'suspend', 'update']
    rest.except_permissions.push(...others.map(verb => `compute.vms.${verb}`))
    const body = mine(a, ['compute.*'], rest)
    expect(await outcomeOf(a.policies.createPolicy({ workspace: a.w.id, body }, a.as(a.mal)))).toBe('OK')
    const denying = policyOf('deny', statementOf('DENY', [`principal:${a.kim}`], ['*']))
    expect(await outcomeOf(a.policies.createPolicy({ workspace: a.w.id, body: denying }, a.as(a.mal)))).toBe('OK')
  })

  it('is given by the editor who puts it in force, in exactly these words', async () => {
    const a = await arena()
    const asleep = { ...mine(a, [secret]), enabled: false }
    const create = a.policies.createPolicy({ workspace: a.w.id, body: asleep }, a.as(a.mal))
    const { resource_id: id } = await valueOf(create)
    const update = (by: string, body: object, update_mask: string) =>
      outcomeOf(a.policies.updatePolicy({ workspace: a.w.id, id, body, update_mask }, a.as(by)))
    expect(await update(a.mal, { enabled: true }, 'enabled')).toBe('ESCALATION_DENIED')
    expect(await update(a.oz, { enabled: true }, 'enabled')).toBe('OK')
    expect(await update(a.mal, { description: 'x' }, 'description')).toBe('OK')
    const [statement] = asleep.statements
    const harmless = statementOf('DENY', [`principal:${a.kim}`], ['*'])
    expect(await update(a.mal, { statements: [harmless, statement] }, 'statements')).toBe('OK')
    const wider = { ...statement, principals: [`principal:${a.kim}`] }
    expect(await update(a.mal, { statements: [statement, wider] }, 'statements')).toBe('ESCALATION_DENIED')
    expect(await update(a.mal, { statements: [harmless] }, 'statements')).toBe('OK')
    expect(await update(a.mal, { statements: [statement] }, 'statements')).toBe('ESCALATION_DENIED')
  })

  it('needs a permanent source', async () => {
    const a = await arena()
    await a.bind(a.mal, a.secretRole, a.w, { expire_time: hourly(a, 1) })
    const call = a.policies.createPolicy({ workspace: a.w.id, body: mine(a, [secret]) }, a.as(a.mal))
    expect(await outcomeOf(call)).toBe('ESCALATION_DENIED')
  })
})
