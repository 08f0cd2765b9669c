import { describe, expect, test } from 'vitest'
import {
  accessEntry,
  effectivePermissions,
  type RightsInput,
} from '../../../../domain/iam/decisions/effective-permissions.ts'
import { statementsOf } from '../../../../domain/iam/decisions/policy-statements.ts'
import type { Binding, Policy, PolicyStatement } from '../../../../output/iam/types.ts'
import { catalogue } from '../../../../server/access/catalogue.ts'
import { ids, start, statement } from '../world.ts'
import { platformScope } from '../rows.ts'
import type { Scope } from '../../../../domain/ports/scope.ts'

const time = new Date(start).toISOString()
const later = new Date(start + 60_000).toISOString()
const stamps = { created_by: '', etag: '1', created: time, updated: time }
const chain = [ids.w, ids.g, ids.o, platformScope]

const binding = (id: string, role_id: string, { id: scope_id, type }: Scope, said: Partial<Binding> = {}): Binding => ({
  id,
  principal_id: 'kim',
  principal_kind: 'USER',
  role_id,
  scope_type: type,
  scope_id,
  condition: '',
  ...stamps,
  ...said,
})

const policy = (id: string, statements: readonly PolicyStatement[], enabled = true): Policy => ({
  id,
  workspace_id: ids.w.id,
  name: `name-of-${id}`,
  display_name: '',
  description: '',
  labels: {},
  enabled,
  ...stamps,
  statements: [...statements],
})

const roles: Readonly<Record<string, readonly string[]>> = {
  viewer: ['compute.vms.get', 'compute.vms.list'],
  editor: ['compute.vms.get', 'compute.vms.create'],
}

type Said = Partial<Omit<RightsInput, 'statements'>> & { readonly policies?: readonly Policy[] }

const holding = ({ policies = [], ...said }: Said): RightsInput => ({
  catalogue,
  principal: {
    id: 'kim',
    kind: 'USER',
    display_name: 'Kim',
    email: 'kim@corp.example',
    name: '',
    status: 'ACTIVE',
    organisation_id: '',
    workspace_id: '',
  },
  chain,
  bindings: [],
  role: id => (roles[id] ? { name: `role-${id}`, permissions: [...roles[id]] } : undefined),
  statements: policies.flatMap(each => statementsOf(catalogue, each)),
  now: start,
  ...said,
})

const allow = (said: Partial<PolicyStatement> = {}): PolicyStatement =>
  statement({ effect: 'ALLOW', principals: ['principal:kim'], permissions: ['compute.vms.get'], ...said })

const told = (said: Said): readonly (readonly [string, boolean])[] =>
  effectivePermissions(holding(said)).map(({ conditional, permission }) => [permission, conditional])

describe('effective permissions', () => {
  test('have the source of each permission', () => {
    const bindings = [
      binding('b1', 'viewer', ids.g, { expire_time: later }),
      binding('b2', 'editor', ids.w, { condition: 'request.hour_of_day = 9' }),
      binding('b3', 'editor', ids.other),
    ]
    expect(effectivePermissions(holding({ bindings, policies: [policy('p1', [allow()])] }))[1]).toEqual({
      permission: 'compute.vms.get',
      service: 'compute',
      access_class: 'READ',
      conditional: false,
      sources: [
        {
          source_type: 'BINDING',
          binding_id: 'b2',
          policy_id: '',
          role_id: 'editor',
          grant_type: 'DIRECT',
          scope_type: 'WORKSPACE',
          scope_id: ids.w.id,
          condition: 'request.hour_of_day = 9',
        },
        {
          source_type: 'BINDING',
          binding_id: 'b1',
          policy_id: '',
          role_id: 'viewer',
          grant_type: 'INHERITED',
          scope_type: 'GROUP',
          scope_id: ids.g.id,
          condition: '',
          expire_time: later,
        },
        {
          source_type: 'POLICY',
          binding_id: '',
          policy_id: 'p1',
          role_id: '',
          grant_type: 'DIRECT',
          scope_type: 'WORKSPACE',
          scope_id: ids.w.id,
          condition: '',
        },
      ],
    })
  })

  const bindings = [binding('b', 'viewer', ids.o)]
  const all = [
    ['compute.vms.get', false],
    ['compute.vms.list', false],
  ]

  test.each([
    ['from a binding', { bindings }, all],
    ['from an expired binding', { bindings: [binding('b', 'viewer', ids.o, { expire_time: time })] }, []],
    [
      'from a conditional binding',
      { bindings: [binding('b', 'viewer', ids.o, { condition: 'request.hour_of_day = 9' })] },
      all.map(([key]) => [key, true]),
    ],
    ['from a statement', { policies: [policy('p', [allow()])] }, [['compute.vms.get', false]]],
    ['from a disabled one', { policies: [policy('p', [allow()], false)] }, []],
    [
      'from a statement for some resources',
      { policies: [policy('p', [allow({ resources: ['compute.vms/id:1'] })])] },
      [['compute.vms.get', true]],
    ],
    [
      'from a statement for a role that is held if',
      {
        bindings: [binding('b', 'editor', ids.o, { condition: 'request.hour_of_day = 9' })],
        policies: [policy('p', [allow({ principals: ['role:editor'], permissions: ['compute.vms.list'] })])],
      },
      [
        ['compute.vms.create', true],
        ['compute.vms.get', true],
        ['compute.vms.list', true],
      ],
    ],
    ['denied', { bindings, policies: [policy('p', [statement({ permissions: ['compute.vms.get'] })])] }, all.slice(1)],
    ['denied if', { bindings, policies: [policy('p', [statement({ condition: 'request.hour_of_day = 9' })])] }, all],
    ['denied for some', { bindings, policies: [policy('p', [statement({ resources: ['compute.vms/id:1'] })])] }, all],
    ['denied to others', { bindings, policies: [policy('p', [statement({ except_principals: ['all'] })])] }, all],
    ['of an inactive principal', { bindings, principal: { ...holding({}).principal, status: 'DEACTIVATED' } }, []],
  ] satisfies [string, Said, unknown][])('%s', (_, said, expected) => {
    expect(told(said)).toEqual(expected)
  })
})

describe('an entry of an access list', () => {
  const entry = (said: Said) => accessEntry(holding(said))

  test('has the roles and policies', () => {
    const found = entry({
      bindings: [binding('b1', 'viewer', ids.g), binding('b2', 'editor', platformScope, { expire_time: later })],
      policies: [policy('p1', [allow(), allow({ permissions: ['compute.*'] }), statement({})]), policy('p2', [])],
    })
    expect(found).toEqual({
      principal_id: 'kim',
      principal_kind: 'USER',
      display_name: 'Kim',
      email: 'kim@corp.example',
      status: 'ACTIVE',
      roles: [
        {
          role_id: 'viewer',
          role_name: 'role-viewer',
          binding_id: 'b1',
          grant_type: 'INHERITED',
          scope_type: 'GROUP',
          scope_id: ids.g.id,
          condition: '',
        },
        {
          role_id: 'editor',
          role_name: 'role-editor',
          binding_id: 'b2',
          grant_type: 'INHERITED',
          scope_type: 'PLATFORM',
          scope_id: '',
          condition: '',
          expire_time: later,
        },
      ],
      policies: [{ policy_id: 'p1', name: 'name-of-p1' }],
    })
  })

  test.each([
    ['without a binding', {}, false],
    ['with one elsewhere', { bindings: [binding('b', 'viewer', ids.other)] }, false],
    ['with an expired one', { bindings: [binding('b', 'viewer', ids.w, { expire_time: time })] }, false],
    [
      'with a binding whose condition is false',
      { bindings: [binding('b', 'viewer', ids.w, { condition: 'request.hour_of_day = 9' })] },
      false,
    ],
    [
      'with one that hangs on the address',
      { bindings: [binding('b', 'viewer', ids.w, { condition: 'request.ip:"10.0.0.0/8"' })] },
      true,
    ],
    [
      'with a statement whose condition is false',
      { policies: [policy('p', [allow({ condition: 'request.hour_of_day = 9' })])] },
      false,
    ],
    ['with a statement', { policies: [policy('p', [allow()])] }, true],
    ['with a statement for others', { policies: [policy('p', [allow({ principals: ['principal:bob'] })])] }, false],
  ] satisfies [string, Said, boolean][])('of a principal %s exists: %s', (_, said, isListed) => {
    expect(entry(said) !== undefined).toBe(isListed)
  })
})
