import { beforeEach, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { isPostgres } from '../../store/place.ts'
import { addMember, addTenant, password, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'

/** The members in the scenarios of iam.md 7. */
interface Scene extends Tenant {
  readonly platform: TestPlatform
  /** The administrator of the platform. */
  readonly ada: Member
  /** The administrator of the organisation. */
  readonly oz: Member
  /** An editor of the workspace. */
  readonly eve: Member
}

async function scene(): Promise<Scene> {
  const platform = await testPlatform()
  const ada = await platform.admin()
  const tenant = await addTenant(ada.api, 'acme')
  const { organisation, workspace } = tenant
  const organisation_id = organisation
  const oz = await addMember(platform, ada.api, {
    email: 'oz@acme.example',
    organisation_id,
    grants: [roleAt('organisation-admin', 'ORGANISATION', organisation)],
  })
  const eve = await addMember(platform, oz.api, {
    email: 'eve@acme.example',
    organisation_id,
    grants: [roleAt('workspace-editor', 'WORKSPACE', workspace)],
  })
  return { platform, ada, oz, eve, ...tenant }
}

let at: Scene
beforeEach(async () => {
  at = await scene()
})

/** Returns the error with which a call is refused; throws if the call succeeds. */
async function refused(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  if (error instanceof ApiError) return error
  throw new Error(`the call was not refused: ${String(error)}`)
}

it('shows the source of an inherited role, and names it when the role is revoked elsewhere', async () => {
  const { group, oz, organisation, platform, workspace } = at
  const kim = await addMember(platform, oz.api, { email: 'kim@acme.example', organisation_id: organisation })
  const role_ids = ['workspace-viewer']
  const given = await oz.api.iam.grantAccess({
    scope_type: 'GROUP',
    scope_id: group,
    body: { principal_id: kim.id, role_ids },
  })
  expect(given).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE', resource_id: kim.id })
  const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
  const { access } = await oz.api.iam.listScopeAccess(scope)
  const roles = access.find(({ principal_id }) => principal_id === kim.id)?.roles
  expect(roles).toMatchObject([
    { role_id: 'workspace-viewer', grant_type: 'INHERITED', scope_type: 'GROUP', scope_id: group },
  ])
  const { code, metadata, reason, response, rpc } = await refused(
    oz.api.iam.revokeAccess({ ...scope, body: { principal_id: kim.id, role_ids } }),
  )
  expect([response?.status, rpc, reason, code]).toEqual([400, 'FAILED_PRECONDITION', 'ACCESS_INHERITED', 2_008_002])
  expect(response?.body).toMatchObject({ code: 9, details: [{ metadata: { code: '2008002' } }, {}, {}] })
  expect(metadata).toEqual({ scope_id: group, scope_type: 'GROUP', binding_id: roles?.[0]?.binding_id })
  // The role can be revoked at the group, where its binding is.
  const there = { scope_type: 'GROUP', scope_id: group, body: { principal_id: kim.id, role_ids } } as const
  await oz.api.iam.revokeAccess(there)
  const after = await oz.api.iam.listScopeAccess(scope)
  expect(after.access.filter(({ principal_id }) => principal_id === kim.id)).toEqual([])
  await expect(kim.api.taxonomy.getWorkspace({ organisation, id: workspace })).rejects.toMatchObject({
    reason: 'IAM_PERMISSION_DENIED',
  })
})

it('shows an editor of a workspace the permissions of that role', async () => {
  const { eve, workspace } = at
  const permissions = ['vault.secretVersions.access', 'compute.vms.create', 'iam.policies.update']
  const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
  expect(await eve.api.iam.testMyPermissions({ ...scope, body: { permissions } })).toMatchObject({
    permissions: ['compute.vms.create'],
  })
})

it('denies by a policy even the administrator of the platform, until the policy is disabled', async () => {
  const { ada, workspace } = at
  const other = await platformBeside()
  const deny = (permission: string) => ({
    name: `no-${permission.toLowerCase().replaceAll('.', '-')}`,
    statements: [{ effect: 'DENY' as const, principals: ['all'], permissions: [permission] }],
  })
  const { resource_id: id } = await ada.api.iam.createPolicy({ workspace, body: deny('compute.vms.delete') })
  const test = async (by: Member['api']) => {
    const { results } = await by.iam.testPrincipalPermissions({
      scope_type: 'WORKSPACE',
      scope_id: workspace,
      principal: ada.id,
      body: { permissions: ['compute.vms.delete'] },
    })
    return results
  }
  for (const api of [ada.api, other]) {
    expect(await test(api)).toMatchObject([{ granted: false, reason: 'DENIED_BY_POLICY', policy_id: id }])
  }
  const changed = await ada.api.iam.updatePolicy({ workspace, id, update_mask: 'enabled', body: { enabled: false } })
  expect(changed).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE' })
  for (const api of [other, ada.api]) expect(await test(api)).toMatchObject([{ granted: true, reason: 'GRANTED' }])
  const error = await refused(ada.api.iam.createPolicy({ workspace, body: deny('iam.policies.delete') }))
  expect([error.response?.status, error.rpc, error.reason]).toEqual([
    400,
    'INVALID_ARGUMENT',
    'PERMISSION_NOT_DENIABLE',
  ])
})

/**
 * Returns the administrator's client for a second server on the same store; returns the client for the first server if
 * the store admits only one server.
 */
async function platformBeside(): Promise<Member['api']> {
  const { storeUrl } = at.platform.config
  if (storeUrl === undefined || !isPostgres(storeUrl)) return at.ada.api
  return (await testPlatform({ config: { storeUrl } })).as(at.ada.token)
}

it('leads an invited user from the invitation to an acceptable password, with one token', async () => {
  const { organisation, oz, platform, workspace } = at
  const anonymous = platform.as().iam
  const { credential, id } = await oz.api.iam.inviteUser({
    body: {
      email: 'x@y.example',
      organisation_id: organisation,
      grants: [roleAt('workspace-viewer', 'WORKSPACE', workspace)],
    },
  })
  const token = credential?.token ?? ''
  expect(token).toMatch(/^ct1\./)
  const early = await refused(anonymous.authenticate({ body: { email: 'x@y.example', password } }))
  expect([early.response?.status, early.reason]).toEqual([401, 'INVALID_CREDENTIALS'])
  expect(await anonymous.lookupCredentialToken({ body: { token } })).toMatchObject({ purpose: 'ACTIVATION' })
  const activate = (words: string) => anonymous.activateUser({ body: { token, password: words } })
  const weak = await refused(activate('elevenchars'))
  expect([weak.response?.status, weak.reason]).toEqual([400, 'PASSWORD_TOO_WEAK'])
  expect(await anonymous.lookupCredentialToken({ body: { token } })).toMatchObject({ purpose: 'ACTIVATION' })
  expect(await activate('twelve-chars')).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE' })
  const spent = await refused(activate('twelve-chars'))
  expect([spent.response?.status, spent.reason]).toEqual([404, 'CREDENTIAL_TOKEN_INVALID'])
  expect(await oz.api.iam.getOperation({ id })).not.toHaveProperty('credential')
  const x = await platform.signedIn('x@y.example', 'twelve-chars')
  expect(await x.api.taxonomy.getWorkspace({ organisation, id: workspace })).toMatchObject({ id: workspace })
})

it('repeats a lost refresh, and ends the session if a spent token is used', async () => {
  const { eve, platform } = at
  const refresh = (refresh_token: string) => platform.as().iam.refreshToken({ body: { refresh_token } })
  const r1 = eve.refreshToken
  const second = await refresh(r1)
  const r2 = second.refresh_token ?? ''
  expect(r2).not.toBe(r1)
  expect((await refresh(r1)).refresh_token).toBe(r2)
  const third = await refresh(r2)
  const r3 = third.refresh_token ?? ''
  const present = platform.as(third.access_token).iam
  const mine = (await present.listTokens({})).tokens.find(({ current }) => current)
  expect(mine).toMatchObject({ id: third.token_id, status: 'ACTIVE' })
  const reused = await refused(refresh(r1))
  expect([reused.response?.status, reused.reason]).toEqual([401, 'REFRESH_TOKEN_INVALID'])
  expect(await refused(refresh(r3))).toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' })
  expect(await refused(present.getMyProfile({}))).toMatchObject({ reason: 'TOKEN_REVOKED' })
  const { tokens } = await at.oz.api.iam.listTokens({ filter: `principal_id = "${eve.id}"` })
  expect(tokens).toMatchObject([{ id: third.token_id, status: 'REVOKED', revoke_reason: 'REUSE_DETECTED' }])
})

it('delays guesses, and treats an unknown address like a known one', async () => {
  const { platform } = at
  const client = platform.as(undefined, '198.51.100.1').iam
  const sixth = async (email: string) => {
    for (let i = 0; i < 5; i += 1) {
      const wrong = await refused(client.authenticate({ body: { email, password: `wrong password ${i}` } }))
      expect([wrong.response?.status, wrong.reason]).toEqual([401, 'INVALID_CREDENTIALS'])
    }
    return refused(client.authenticate({ body: { email, password } }))
  }
  const known = await sixth('eve@acme.example')
  const unknown = await sixth('nobody@acme.example')
  for (const { details, reason, response } of [known, unknown]) {
    expect([response?.status, reason]).toEqual([429, 'AUTHENTICATION_THROTTLED'])
    expect(response?.body).toMatchObject({ code: 8 })
    // On a slow machine, up to 4 of the 60 seconds have passed.
    expect(60 - (details.retryAfterSeconds ?? 0)).toBeOneOf([0, 1, 2, 3, 4])
  }
  const [first, second] = [known, unknown].map(({ response }) =>
    JSON.stringify(response?.body).replace(/"retry_delay":"\d+s"/, '"retry_delay":""'),
  )
  expect(second).toBe(first)
  // The delay applies to the guessed accounts only.
  expect(await platform.signedIn('oz@acme.example')).toMatchObject({ email: 'oz@acme.example' })
})
