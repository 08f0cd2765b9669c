import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PolicyStatementInput } from '../../../output/iam/types.ts'
import { addMember, addTenant, password, roleAt, type Member, type Tenant } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'

let undo: (() => void | Promise<void>)[] = []
let platform: TestPlatform
let ada: Member
let at: Tenant
let members = 0

beforeAll(async () => {
  platform = await testPlatform({ later: later => void undo.push(later) })
  ada = await platform.admin()
  at = await addTenant(ada.api, 'acme')
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

/** Adds a user, with `role` at the workspace if `role` is given; returns the signed-in user. */
const member = (role?: string): Promise<Member> =>
  addMember(platform, ada.api, {
    email: `mal-${(members += 1)}@acme.example`,
    organisation_id: at.organisation,
    grants: role === undefined ? [] : [roleAt(role, 'WORKSPACE', at.workspace)],
  })

/**
 * Sends a request whose body ends only after `between` has finished; returns the status and the reason of the response.
 * The reason is undefined for a success.
 */
async function slowly(
  token: string,
  [method, path, body]: readonly [method: string, path: string, body: object],
  between: () => Promise<unknown>,
): Promise<readonly [number, string | undefined]> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const init = {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: readable,
    duplex: 'half',
  }
  const answering = platform.from('192.0.2.7')(`${baseUrl}/iam/v1/${path}`, init)
  // The server reads the body only after the door has admitted the request.
  await writer.write(bytes.subarray(0, 1))
  await between()
  await writer.write(bytes.subarray(1))
  await writer.close()
  const answer = await answering
  const { details: [info] = [] }: { details?: { reason: string }[] } = JSON.parse(await answer.text())
  return [answer.status, info?.reason]
}

const denyStarts: PolicyStatementInput = { effect: 'DENY', principals: ['all'], permissions: ['compute.vms.start'] }
const late = { name: 'late', statements: [denyStarts] }

describe('a body that is sent slowly', () => {
  it('takes effect if nothing has changed', async () => {
    const mal = await member()
    const asked = ['PATCH', 'users/me', { display_name: 'in time' }] as const
    expect(await slowly(mal.token, asked, async () => undefined)).toEqual([200, undefined])
    expect((await ada.api.iam.getUser({ id: mal.id })).display_name).toBe('in time')
  })

  /** The calls that end a session, each named by its effect on the user. */
  const ends: readonly [name: string, end: (mal: Member) => Promise<unknown>][] = [
    ['signed out', ({ refreshToken: token }) => platform.as().iam.revokeToken({ body: { token } })],
    ['has been revoked', async ({ token }) => ada.api.iam.revokeToken({ body: { token_id: sessionOf(token) } })],
    ['has been revoked with all others', ({ id }) => ada.api.iam.revokeToken({ body: { principal_id: id } })],
    ['has had the password reset', ({ id }) => ada.api.iam.resetUserPassword({ id, body: {} })],
    ['has been deactivated', ({ id }) => ada.api.iam.deactivateUser({ id, body: {} })],
    [
      'has changed the password elsewhere',
      async ({ email }) => {
        const { api } = await platform.signedIn(email)
        const body = { current_password: password, new_password: 'another-harbour-lantern' }
        await api.iam.changeMyPassword({ body })
      },
    ],
    [
      'is taken for a thief',
      async ({ refreshToken }) => {
        const { iam } = platform.as()
        const { refresh_token = '' } = await iam.refreshToken({ body: { refresh_token: refreshToken } })
        await iam.refreshToken({ body: { refresh_token } })
        await iam.refreshToken({ body: { refresh_token: refreshToken } }).catch(() => undefined)
      },
    ],
  ]

  it.each(ends)('changes nothing for a user who %s during the upload', async (_name, end) => {
    const mal = await member('workspace-admin')
    const asked = ['PATCH', 'users/me', { display_name: 'late' }] as const
    expect(await slowly(mal.token, asked, () => end(mal))).toEqual([401, 'TOKEN_REVOKED'])
    expect((await ada.api.iam.getUser({ id: mal.id })).display_name).not.toBe('late')
  })

  it.each(ends)('creates nothing for a user who %s during the upload', async (_name, end) => {
    const mal = await member('workspace-admin')
    const asked = ['POST', `workspaces/${at.workspace}/policies`, late] as const
    expect(await slowly(mal.token, asked, () => end(mal))).toEqual([401, 'TOKEN_REVOKED'])
  })

  it('creates nothing by a permission that was removed during the upload', async () => {
    const mal = await member('workspace-admin')
    const place = { scope_type: 'WORKSPACE', scope_id: at.workspace } as const
    const revoked = () => ada.api.iam.revokeAccess({ ...place, body: { principal_id: mal.id } })
    const asked = ['POST', `workspaces/${at.workspace}/policies`, late] as const
    expect(await slowly(mal.token, asked, revoked)).toEqual([403, 'IAM_PERMISSION_DENIED'])
  })

  it('creates nothing if the policy on whose condition it depends is deleted during the upload', async () => {
    const { workspace } = at
    const never = { ...denyStarts, permissions: ['iam.policies.create'], resources: ['iam.policies/name:never-*'] }
    const body = { name: 'by-name', statements: [never] }
    const { resource_id: id } = await ada.api.iam.createPolicy({ workspace, body })
    const mal = await member('workspace-viewer')
    const gone = () => ada.api.iam.deletePolicy({ workspace, id })
    const asked = ['POST', `workspaces/${workspace}/policies`, late] as const
    expect(await slowly(mal.token, asked, gone)).toEqual([403, 'IAM_PERMISSION_DENIED'])
  })
})

/** Returns the session id of an access token. */
function sessionOf(token: string): string {
  const { sid }: { sid: string } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return sid
}
