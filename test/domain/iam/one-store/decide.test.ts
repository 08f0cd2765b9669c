import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ids, start, statement, World } from '../world.ts'
import { platformScope } from '../rows.ts'
import { afterTests } from '../../../undo.ts'

let world: World
let admin: string

beforeAll(async () => {
  world = await World.make(afterTests)
  admin = await world.holder('platform-admin', platformScope)
})

afterEach(() => world.clear())

const at = (millis: number): string => new Date(millis).toISOString()

describe('a principal that is not ACTIVE has no permission', () => {
  test.each(['INVITED', 'DEACTIVATED'] as const)('%s', async status => {
    const principal = await world.principal({ status })
    await world.bind(principal, 'platform-admin', platformScope)
    expect(await world.decide({ principal })).toMatchObject({ reason: 'PRINCIPAL_INACTIVE' })
    expect(await world.decisions.isActive(principal)).toBe(false)
  })

  test('neither has an anonymous caller', async () => {
    expect(await world.decide({ principal: 'nobody' })).toMatchObject({ reason: 'PRINCIPAL_INACTIVE' })
  })

  test('a service account is not active while its workspace is not', async () => {
    const principal = await world.principal({ kind: 'SERVICE_ACCOUNT', workspace_id: ids.w.id })
    expect(await world.decisions.isActive(principal)).toBe(true)
    await world.setState('ARCHIVED', 'g')
    expect(await world.decisions.isActive(principal)).toBe(false)
    await world.setState('ACTIVE', 'g')
    expect(await world.decisions.isActive(principal)).toBe(true)
  })
})

describe('bindings', () => {
  test.each(['w', 'gg', 'g', 'o'] as const)('at %s reach the workspace', async where => {
    const principal = await world.holder('workspace-viewer', ids[where])
    expect(await world.isGranted({ principal })).toBe(true)
  })

  test('at the platform reach the workspace', async () => {
    expect(await world.isGranted({ principal: admin })).toBe(true)
  })

  test.each(['other', 'side'] as const)('at %s do not reach the workspace', async where => {
    const principal = await world.holder('workspace-viewer', ids[where])
    expect(await world.decide({ principal })).toEqual({ reason: 'NOT_GRANTED', bindingIds: [], policyId: '' })
  })

  test('at the workspace do not reach what is above it', async () => {
    const principal = await world.holder('workspace-admin')
    for (const scope of [ids.gg, ids.o, platformScope]) {
      expect(await world.isGranted({ principal, permission: 'iam.access.list', scope })).toBe(false)
    }
  })

  test('give only the permissions of their role, and their ids are reported', async () => {
    const principal = await world.principal()
    await world.bind(principal, 'workspace-viewer', ids.side)
    const above = await world.bind(principal, 'workspace-viewer', platformScope)
    const here = await world.bind(principal, 'workspace-editor', ids.w)
    const { bindingIds } = await world.decide({ principal, permission: 'compute.vms.list' })
    expect(bindingIds).toEqual([here, above])
    expect(await world.isGranted({ principal, permission: 'compute.vms.create' })).toBe(true)
    expect(await world.isGranted({ principal, permission: 'iam.policies.create' })).toBe(false)
  })

  test('reach through archived ancestors', async () => {
    const principal = await world.holder('workspace-viewer', ids.o)
    await world.setState('ARCHIVED', 'g')
    await world.setState('ARCHIVED', 'o')
    expect(await world.isGranted({ principal })).toBe(true)
    await world.setState('ACTIVE', 'g')
    await world.setState('ACTIVE', 'o')
  })

  test('give no permission at a scope that does not exist, and no unknown permission', async () => {
    const scope = { type: 'WORKSPACE', id: 'no-such-workspace' } as const
    expect(await world.isGranted({ principal: admin, scope })).toBe(false)
    expect(await world.decisions.chain(scope)).toBeUndefined()
    expect(await world.isGranted({ principal: admin, permission: 'compute.vms.fly' })).toBe(false)
  })

  test('end at the instant of their expiry, whatever was decided before', async () => {
    const end = start + 60_000
    const principal = await world.holder('workspace-viewer', ids.g, { expire_time: at(end) })
    for (const [now, isGranted] of [
      [start, true],
      [end - 1, true],
      [end, false],
      [end + 1, false],
      [end - 1, true],
    ] as const) {
      expect(await world.isGranted({ principal, now })).toBe(isGranted)
    }
  })

  test('of a role that lost a permission do not give it any more', async () => {
    await world.role('r', ['compute.vms.get'])
    const principal = await world.holder('r')
    expect(await world.isGranted({ principal })).toBe(true)
    await world.role('r', ['compute.vms.list', 'no.such.key'])
    expect(await world.isGranted({ principal })).toBe(false)
  })
})

describe('conditional bindings', () => {
  test.each([
    ['request.hour_of_day = 5', 'GRANTED'],
    ['request.hour_of_day = 6', 'CONDITION_NOT_MET'],
    ['request.ip:"10.0.0.0/8"', 'CONDITION_NOT_MET'],
    ['NOT request.ip:"10.0.0.0/8"', 'CONDITION_NOT_MET'],
    ['resource.name = "x"', 'CONDITION_NOT_MET'],
    ['NOT resource.name = "x"', 'CONDITION_NOT_MET'],
    ['request.hour_of_day = 5 OR resource.name = "x"', 'GRANTED'],
    ['request.weather = fine', 'CONDITION_NOT_MET'],
  ])('with %s: %s', async (condition, reason) => {
    const principal = await world.principal()
    const binding = await world.bind(principal, 'workspace-viewer', ids.g, { condition })
    expect(await world.decide({ principal })).toEqual({ reason, bindingIds: [binding], policyId: '' })
  })

  test('give a permission in addition to other bindings', async () => {
    const principal = await world.holder('workspace-viewer', ids.w, { condition: 'request.hour_of_day = 6' })
    const second = await world.bind(principal, 'workspace-editor', ids.w, { condition: 'request.day_of_week = 3' })
    expect(await world.decide({ principal })).toMatchObject({ reason: 'GRANTED', bindingIds: [second] })
  })

  test('decide by the address of the call', async () => {
    const principal = await world.holder('workspace-viewer', ids.w, { condition: 'request.ip:"10.0.0.0/8"' })
    expect(await world.isGranted({ principal, ip: '10.9.9.9' })).toBe(true)
    expect(await world.isGranted({ principal, ip: '11.9.9.9' })).toBe(false)
  })

  test('look the resource up only if the other attributes do not decide', async () => {
    world.things.set('compute.vms/1', { name: 'web-1', labels: { env: 'prod' } })
    const resource = { type: 'compute.vms', id: '1' }
    const condition = 'request.hour_of_day = 6 AND resource.name = "web-*"'
    const settled = await world.holder('workspace-viewer', ids.w, { condition })
    expect(await world.isGranted({ principal: settled, resource })).toBe(false)
    expect(world.lookedUp).toEqual([])
    const open = await world.holder('workspace-viewer', ids.w, { condition: 'resource.labels.env = prod' })
    expect(await world.isGranted({ principal: open, resource })).toBe(true)
    expect(world.lookedUp).toEqual(['compute.vms/1'])
  })
})

describe('DENY statements', () => {
  const denied = async (said: Parameters<typeof statement>[0], asked = {}): Promise<string> => {
    await world.policy([statement(said)])
    return (await world.decide({ principal: admin, ...asked })).reason
  }

  test('take precedence over every allow, and report their policy', async () => {
    const policy = await world.policy([statement({ permissions: ['compute.vms.get'] })])
    expect(await world.decide({ principal: admin })).toEqual({
      reason: 'DENIED_BY_POLICY',
      bindingIds: [],
      policyId: policy,
    })
    await world.enable(policy, false)
    expect(await world.isGranted({ principal: admin })).toBe(true)
    await world.enable(policy, true)
    expect(await world.isGranted({ principal: admin })).toBe(false)
  })

  test('take precedence over ALLOW statements', async () => {
    const principal = await world.principal()
    await world.policy([statement({ effect: 'ALLOW', principals: [`principal:${principal}`] }), statement({})])
    expect(await world.decide({ principal })).toMatchObject({ reason: 'DENIED_BY_POLICY' })
  })

  test('apply in their workspace alone', async () => {
    await world.policy([statement({})])
    expect(await world.isGranted({ principal: admin, scope: ids.side })).toBe(true)
    expect(await world.isGranted({ principal: admin, permission: 'iam.bindings.list', scope: ids.gg })).toBe(true)
  })

  test.each([
    ['compute.vms.get', 'DENIED_BY_POLICY'],
    ['compute.vms.*', 'DENIED_BY_POLICY'],
    ['compute.*', 'DENIED_BY_POLICY'],
    ['*', 'DENIED_BY_POLICY'],
    ['compute.vms.list', 'GRANTED'],
    ['network.*', 'GRANTED'],
  ])('of %s: compute.vms.get is %s', async (pattern, reason) => {
    expect(await denied({ permissions: [pattern] })).toBe(reason)
  })

  test.each([
    ['compute.vms.get', 'GRANTED'],
    ['compute.vms.*', 'GRANTED'],
    ['*', 'GRANTED'],
    ['compute.vms.list', 'DENIED_BY_POLICY'],
  ])('except %s: compute.vms.get is %s', async (pattern, reason) => {
    expect(await denied({ except_permissions: [pattern] })).toBe(reason)
  })

  test.each(['iam.policies.list', 'iam.policies.update', 'iam.access.list', 'iam.access.listPermissions'])(
    'of all permissions still allow %s',
    async permission => {
      expect(await denied({}, { permission })).toBe('GRANTED')
    },
  )

  test('name principals in five forms', async () => {
    const robot = await world.principal({ kind: 'SERVICE_ACCOUNT' })
    await world.bind(robot, 'workspace-viewer', ids.g)
    const viewer = await world.holder('workspace-viewer', ids.o)
    const whom = async (form: string): Promise<readonly string[]> => {
      const policy = await world.policy([statement({ principals: [form] })])
      const found: string[] = []
      for (const [name, principal] of Object.entries({ admin, robot, viewer })) {
        if (!(await world.isGranted({ principal }))) found.push(name)
      }
      await world.enable(policy, false)
      return found
    }
    expect(await whom('all')).toEqual(['admin', 'robot', 'viewer'])
    expect(await whom('kind:USER')).toEqual(['admin', 'viewer'])
    expect(await whom('kind:SERVICE_ACCOUNT')).toEqual(['robot'])
    expect(await whom(`principal:${viewer}`)).toEqual(['viewer'])
    expect(await whom('role:workspace-viewer')).toEqual(['robot', 'viewer'])
  })

  test.each([
    ['all', 'GRANTED'],
    ['kind:USER', 'GRANTED'],
    ['kind:SERVICE_ACCOUNT', 'DENIED_BY_POLICY'],
    ['role:platform-admin', 'GRANTED'],
    ['role:platform-viewer', 'DENIED_BY_POLICY'],
    ['principal:nobody', 'DENIED_BY_POLICY'],
  ])('except %s: the administrator is %s', async (form, reason) => {
    expect(await denied({ except_principals: [form] })).toBe(reason)
  })

  test.each([
    ['request.hour_of_day = 5', 'DENIED_BY_POLICY'],
    ['request.hour_of_day = 6', 'GRANTED'],
    ['request.ip:"10.0.0.0/8"', 'DENIED_BY_POLICY'],
    ['resource.labels.env = prod', 'DENIED_BY_POLICY'],
    ['request.hour_of_day = 6 AND resource.labels.env = prod', 'GRANTED'],
    ['request.weather = fine', 'DENIED_BY_POLICY'],
  ])('with the condition %s: %s', async (condition, reason) => {
    expect(await denied({ condition })).toBe(reason)
  })

  test.each([
    ['request.hour_of_day = 5', 'DENIED_BY_POLICY', 'GRANTED'],
    ['request.hour_of_day = 6', 'GRANTED', 'DENIED_BY_POLICY'],
    ['request.ip:"10.0.0.0/8"', 'DENIED_BY_POLICY', 'DENIED_BY_POLICY'],
  ])('of a role with the condition %s: %s; except it: %s', async (condition, named, excepted) => {
    const principal = await world.holder('workspace-viewer', ids.g)
    await world.bind(principal, 'certificate-requester', ids.g, { condition })
    const form = 'role:certificate-requester'
    const policy = await world.policy([statement({ principals: [form] })])
    expect((await world.decide({ principal })).reason).toBe(named)
    await world.enable(policy, false)
    await world.policy([statement({ except_principals: [form] })])
    expect((await world.decide({ principal })).reason).toBe(excepted)
  })

  test('of a role do not count an expired binding', async () => {
    const principal = await world.holder('workspace-viewer', ids.g)
    await world.bind(principal, 'certificate-requester', ids.g, { expire_time: at(start + 1000) })
    await world.policy([statement({ principals: ['role:certificate-requester'] })])
    expect(await world.isGranted({ principal, now: start + 999 })).toBe(false)
    expect(await world.isGranted({ principal, now: start + 1000 })).toBe(true)
  })
})

describe('statements for some resources', () => {
  const vm = (id: string) => ({ type: 'compute.vms', id })
  const version = { type: 'vault.secretVersions', id: '3', above: [{ type: 'vault.secrets', id: 's1' }] }

  beforeEach(() => {
    world.things.set('compute.vms/1', { name: 'web-1', labels: {} })
    world.things.set('compute.vms/2', { name: 'db-1', labels: {} })
    world.things.set('vault.secrets/s1', { name: 'ci-token', labels: { env: 'prod' } })
    world.things.set('vault.secretVersions/3', { name: '', labels: {} })
    world.things.set('compute.vms/broken', new Error('the area is away'))
  })

  test.each([
    ['compute.vms/id:1', vm('1'), false],
    ['compute.vms/id:1', vm('2'), true],
    ['network.vpcs/id:1', vm('1'), true],
    ['compute.vms/name:web-*', vm('1'), false],
    ['compute.vms/name:web-*', vm('2'), true],
    ['compute.vms/name:*', vm('2'), false],
    ['compute.vms/name:web-*', undefined, true],
    ['compute.vms/name:web-*', { type: 'compute.vms', name: 'web-9' }, false],
    ['compute.vms/name:web-*', { type: 'compute.vms', name: 'db-9' }, true],
    ['compute.vms/name:web-*', { type: 'compute.vms' }, true],
    ['compute.vms/name:web-*', vm('gone'), false],
    ['compute.vms/name:web-*', vm('broken'), false],
    ['compute.vms/id:1', vm('broken'), true],
    ['vault.secrets/name:ci-*', version, false],
    ['vault.secrets/id:s1', version, false],
    ['vault.secrets/name:cd-*', version, true],
    ['vault.secretVersions/name:ci-*', version, true],
  ])('DENY on %s: a call on %j is admitted: %s', async (pattern, resource, isGranted) => {
    await world.policy([statement({ resources: [pattern] })])
    expect(await world.isGranted({ principal: admin, ...(resource && { resource }) })).toBe(isGranted)
  })

  test.each([
    ['compute.vms/id:1', vm('1'), true],
    ['compute.vms/name:web-*', vm('1'), true],
    ['compute.vms/name:web-*', vm('2'), false],
    ['compute.vms/name:web-*', undefined, false],
    ['compute.vms/name:web-*', vm('gone'), false],
    ['compute.vms/name:web-*', vm('broken'), false],
    ['vault.secrets/name:ci-*', version, true],
  ])('ALLOW on %s: a call on %j is admitted: %s', async (pattern, resource, isGranted) => {
    const principal = await world.principal()
    const principals = [`principal:${principal}`]
    await world.policy([statement({ effect: 'ALLOW', principals, resources: [pattern] })])
    expect(await world.isGranted({ principal, ...(resource && { resource }) })).toBe(isGranted)
  })

  test.each([
    ['resource.name = "ci-*"', version, true],
    ['resource.type = "vault.secrets"', version, true],
    ['resource.id = s1', version, true],
    ['resource.labels.env = prod', version, true],
    ['resource.labels.env = test', version, false],
    ['NOT resource.labels.owner = kim', version, true],
    ['resource.name = "web-*"', { type: 'compute.vms', name: 'web-9' }, true],
    ['NOT resource.labels.env = prod', { type: 'compute.vms', name: 'web-9' }, true],
    ['resource.labels.env = prod', { type: 'compute.vms', name: 'w', labels: { env: 'prod' } }, true],
    ['NOT resource.id = x', { type: 'compute.vms', name: 'w' }, false],
    ['NOT resource.name = x', vm('gone'), false],
  ])('ALLOW if %s: a call on %j is admitted: %s', async (condition, resource, isGranted) => {
    const principal = await world.principal()
    await world.policy([statement({ effect: 'ALLOW', principals: [`principal:${principal}`], condition })])
    expect(await world.isGranted({ principal, resource })).toBe(isGranted)
  })

  test('a resource of another type is not looked up', async () => {
    await world.policy([statement({ principals: ['kind:SERVICE_ACCOUNT'], resources: ['compute.vms/name:a*'] })])
    await world.policy([statement({ permissions: ['network.*'], resources: ['compute.vms/name:a*'] })])
    expect(await world.isGranted({ principal: admin, resource: vm('1') })).toBe(true)
    expect(world.lookedUp).toEqual([])
  })
})

describe('ALLOW statements', () => {
  const allow = async (said: Parameters<typeof statement>[0], permission = 'compute.vms.get') => {
    const principal = await world.principal()
    const principals = [`principal:${principal}`]
    const policy = await world.policy([statement({ effect: 'ALLOW', principals, ...said })])
    return { policy, decision: await world.decide({ principal, permission }) }
  }

  test('give a permission without a binding, and report their policy', async () => {
    const { decision, policy } = await allow({})
    expect(decision).toEqual({ reason: 'GRANTED', bindingIds: [], policyId: policy })
  })

  test.each(['iam.policies.get', 'iam.policies.delete', 'taxonomy.organisations.update'])(
    'of all permissions do not give %s',
    async permission => {
      expect((await allow({}, permission)).decision.reason).toBe('NOT_GRANTED')
    },
  )

  test.each([
    ['request.hour_of_day = 5', 'GRANTED'],
    ['request.hour_of_day = 6', 'CONDITION_NOT_MET'],
    ['request.ip:"10.0.0.0/8"', 'CONDITION_NOT_MET'],
  ])('with the condition %s: %s', async (condition, reason) => {
    const { decision, policy } = await allow({ condition })
    expect(decision).toMatchObject({ reason, policyId: policy })
  })

  test.each([
    ['', true],
    ['request.hour_of_day = 5', true],
    ['request.hour_of_day = 6', false],
    ['request.ip:"10.0.0.0/8"', false],
  ])('of a role with the condition %j: %s', async (condition, isGranted) => {
    const principal = await world.holder('certificate-requester', ids.g, { condition })
    await world.policy([statement({ effect: 'ALLOW', principals: ['role:certificate-requester'] })])
    expect(await world.isGranted({ principal })).toBe(isGranted)
  })

  test('of a role, except a role that may be held, give no permission', async () => {
    const principal = await world.holder('certificate-requester', ids.g)
    await world.bind(principal, 'vault-crypto-user', ids.g, { condition: 'request.ip:"10.0.0.0/8"' })
    await world.policy([
      statement({
        effect: 'ALLOW',
        principals: ['role:certificate-requester'],
        except_principals: ['role:vault-crypto-user'],
      }),
    ])
    expect(await world.isGranted({ principal })).toBe(false)
    expect(await world.isGranted({ principal, ip: '10.0.0.1' })).toBe(false)
    expect(await world.isGranted({ principal, ip: '11.0.0.1' })).toBe(true)
  })

  test('do not give permissions in other workspaces', async () => {
    const principal = await world.principal()
    await world.policy([statement({ effect: 'ALLOW', principals: [`principal:${principal}`] })])
    expect(await world.isGranted({ principal, scope: ids.side })).toBe(false)
  })
})
