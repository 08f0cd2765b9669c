import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { absentId, addMember, addTenant, roleAt, type Member, type Tenant } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'

let undo: (() => void | Promise<void>)[] = []
let platform: TestPlatform
/** The organisation and the workspace whose resources the callers may see. */
let own: Tenant
/** The administrator of one organisation, without a role in the other organisation. */
let oz: Member
/** A viewer of one workspace. */
let kim: Member
/** The ids of the resources of the other organisation, keyed by kind. */
let foreign: Readonly<Record<Kind, string>>

const kinds = [
  'binding',
  'user',
  'role',
  'operation',
  'serviceAccount',
  'organisation',
  'group',
  'workspace',
  'policy',
  'token',
] as const
type Kind = (typeof kinds)[number]

beforeAll(async () => {
  platform = await testPlatform({ later: later => void undo.push(later) })
  const { api: ada } = await platform.admin()
  own = await addTenant(ada, 'acme')
  const other = await addTenant(ada, 'umbrella')
  const member = (email: string, { organisation }: Tenant, grants: Parameters<typeof addMember>[2]['grants'] = []) =>
    addMember(platform, ada, { email, organisation_id: organisation, grants })
  oz = await member('oz@acme.example', own, [roleAt('organisation-admin', 'ORGANISATION', own.organisation)])
  kim = await member('kim@acme.example', own, [roleAt('workspace-viewer', 'WORKSPACE', own.workspace)])
  const stranger = await member('stranger@umbrella.example', other)
  const bound = await ada.iam.createBinding({
    body: { ...roleAt('workspace-viewer', 'WORKSPACE', other.workspace), principal_id: stranger.id },
  })
  const permissions = ['taxonomy.workspaces.get']
  const role = await ada.iam.createRole({
    body: { name: 'seer', scope_type: 'ORGANISATION', scope_id: other.organisation, permissions },
  })
  const statements = [{ effect: 'DENY' as const, principals: ['all'], permissions }]
  const policy = await ada.iam.createPolicy({
    workspace: other.workspace,
    body: { name: 'closed', enabled: false, statements },
  })
  const { service_accounts } = await ada.iam.listServiceAccounts({ filter: `workspace_id = "${other.workspace}"` })
  const { tokens } = await ada.iam.listTokens({ filter: `principal_id = "${stranger.id}"` })
  foreign = {
    ...other,
    binding: bound.resource_id,
    user: stranger.id,
    role: role.resource_id,
    operation: bound.id,
    serviceAccount: service_accounts[0]?.id ?? '',
    policy: policy.resource_id,
    token: tokens[0]?.id ?? '',
  }
}, 120_000)

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

/** Returns a request for the resource `id`, which stands in the path or in the body. */
type Call = (id: string) => readonly [method: string, path: string, body?: object]

const scopeOf = (type: string, id: string): string => `iam/v1/scopes/${type}/${id}`

const calls: readonly (readonly [operation: string, kind: Kind, call: Call])[] = [
  ['getBinding', 'binding', id => ['GET', `iam/v1/bindings/${id}`]],
  ['deleteBinding', 'binding', id => ['DELETE', `iam/v1/bindings/${id}`]],
  ['getUser', 'user', id => ['GET', `iam/v1/users/${id}`]],
  ['getUserAvatar', 'user', id => ['GET', `iam/v1/users/${id}/avatar`]],
  ['updateUser', 'user', id => ['PATCH', `iam/v1/users/${id}`, { display_name: 'x' }]],
  ['deactivateUser', 'user', id => ['POST', `iam/v1/users/${id}:deactivate`, {}]],
  ['reactivateUser', 'user', id => ['POST', `iam/v1/users/${id}:reactivate`, {}]],
  ['regenerateActivation', 'user', id => ['POST', `iam/v1/users/${id}:regenerateActivation`, {}]],
  ['resetUserPassword', 'user', id => ['POST', `iam/v1/users/${id}:resetPassword`, {}]],
  ['getPrincipal of a user', 'user', id => ['GET', `iam/v1/principals/${id}`]],
  ['getPrincipal of a service account', 'serviceAccount', id => ['GET', `iam/v1/principals/${id}`]],
  ['getServiceAccount', 'serviceAccount', id => ['GET', `iam/v1/service-accounts/${id}`]],
  ['getRole', 'role', id => ['GET', `iam/v1/roles/${id}`]],
  ['updateRole', 'role', id => ['PATCH', `iam/v1/roles/${id}`, { display_name: 'x' }]],
  ['deleteRole', 'role', id => ['DELETE', `iam/v1/roles/${id}`]],
  ['listRolePermissions', 'role', id => ['GET', `iam/v1/roles/${id}/permissions`]],
  ['addRolePermission', 'role', id => ['POST', `iam/v1/roles/${id}/permissions`, { permission: 'iam.users.get' }]],
  ['removeRolePermission', 'role', id => ['DELETE', `iam/v1/roles/${id}/permissions/iam.users.get`]],
  ['getOperation', 'operation', id => ['GET', `iam/v1/operations/${id}`]],
  ['revokeToken by its id', 'token', id => ['POST', 'iam/v1/tokens:revoke', { token_id: id }]],
  ['revokeToken by its principal', 'user', id => ['POST', 'iam/v1/tokens:revoke', { principal_id: id }]],
  ['listPolicies', 'workspace', id => ['GET', `iam/v1/workspaces/${id}/policies`]],
  ['getPolicy', 'workspace', id => ['GET', `iam/v1/workspaces/${id}/policies/${absentId}`]],
  ['getPolicy in the own workspace', 'policy', id => ['GET', `iam/v1/workspaces/${own.workspace}/policies/${id}`]],
  ['listScopeAccess', 'workspace', id => ['GET', `${scopeOf('WORKSPACE', id)}/access`]],
  ['listScopeAccess of a group', 'group', id => ['GET', `${scopeOf('GROUP', id)}/access`]],
  ['listScopeAccess of an organisation', 'organisation', id => ['GET', `${scopeOf('ORGANISATION', id)}/access`]],
  ['listScopeAccess by another type', 'workspace', id => ['GET', `${scopeOf('GROUP', id)}/access`]],
  ['listPrincipalPermissions', 'workspace', id => ['GET', `${scopeOf('WORKSPACE', id)}/access/${kim.id}/permissions`]],
  ['listMyPermissions', 'workspace', id => ['GET', `${scopeOf('WORKSPACE', id)}/access/me/permissions`]],
  [
    'testMyPermissions',
    'workspace',
    id => ['POST', `${scopeOf('WORKSPACE', id)}/access/me/permissions:test`, { permissions: ['iam.users.get'] }],
  ],
  [
    'grantAccess',
    'workspace',
    id => [
      'POST',
      `${scopeOf('WORKSPACE', id)}/access:grant`,
      { principal_id: kim.id, role_ids: ['workspace-viewer'] },
    ],
  ],
  ['revokeAccess', 'group', id => ['POST', `${scopeOf('GROUP', id)}/access:revoke`, { principal_id: kim.id }]],
  [
    'createBinding',
    'workspace',
    id => ['POST', 'iam/v1/bindings', { ...roleAt('workspace-viewer', 'WORKSPACE', id), principal_id: kim.id }],
  ],
  [
    'createRole',
    'organisation',
    id => ['POST', 'iam/v1/roles', { name: 'seer', scope_type: 'ORGANISATION', scope_id: id }],
  ],
  ['inviteUser', 'organisation', id => ['POST', 'iam/v1/users:invite', { email: 'z@z.example', organisation_id: id }]],
  ['getOrganisation', 'organisation', id => ['GET', `taxonomy/v1/organisations/${id}`]],
  ['getGroup', 'organisation', id => ['GET', `taxonomy/v1/organisations/${id}/groups/${absentId}`]],
  ['getGroup in the own one', 'group', id => ['GET', `taxonomy/v1/organisations/${own.organisation}/groups/${id}`]],
  [
    'getWorkspace in the own one',
    'workspace',
    id => ['GET', `taxonomy/v1/organisations/${own.organisation}/workspaces/${id}`],
  ],
  ['getOperation of taxonomy', 'operation', id => ['GET', `taxonomy/v1/operations/${id}`]],
]

/**
 * Sends a request, and returns the response without the headers of a single request and with `<id>` in place of the
 * resource's id.
 */
async function answered(call: Call, id: string, { token }: Member) {
  const [method, path, body] = call(id)
  const answer = await platform.from('192.0.2.9')(`${baseUrl}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const ofRequest = new Set(['date', 'traceparent', 'x-request-id', 'server-timing'])
  const headers = [...answer.headers].filter(([name]) => !ofRequest.has(name))
  return { status: answer.status, headers, body: (await answer.text()).replaceAll(id, '<id>') }
}

describe.each([
  ['an administrator of another organisation', () => oz],
  ['a viewer of a workspace of another organisation', () => kim],
] as const)('%s', (_, caller) => {
  it.each(calls)('gets the same response for a missing and for a foreign resource by %s', async (__, kind, call) => {
    const who = caller()
    expect(foreign[kind]).toMatch(/^[\da-f-]{36}$/)
    const [there, missing] = [await answered(call, foreign[kind], who), await answered(call, absentId, who)]
    expect(there).toEqual(missing)
    expect(there.body).not.toContain('umbrella')
  })
})

it('every requested resource exists', async () => {
  const { token } = await platform.admin()
  for (const [operation, kind, call] of calls.filter(([, , each]) => each(absentId)[0] === 'GET')) {
    if (/own|another type|getPolicy|getGroup|Avatar|of taxonomy/.test(operation)) continue
    const { status } = await answered(call, foreign[kind], { ...oz, token })
    expect([operation, status]).toEqual([operation, 200])
  }
})
