import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PolicyStatementInput } from '../../../output/iam/types.ts'
import { absentId, addMember, addTenant, roleAt, type Member } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'

/**
 * An organisation with a workspace, and its members: `oz` administers the organisation, `wa` the workspace, `vi` is a
 * viewer.
 */
interface Staffed {
  readonly organisation: string
  readonly workspace: string
  readonly oz: Member
  readonly wa: Member
  readonly vi: Member
}

const undo: (() => void | Promise<void>)[] = []
let ada: Member
let fetched: typeof fetch
let acme: Staffed
let umbrella: Staffed

async function staffed(platform: TestPlatform, name: string): Promise<Staffed> {
  const { organisation, workspace } = await addTenant(ada.api, name)
  const member = (word: string, grant: ReturnType<typeof roleAt>): Promise<Member> =>
    addMember(platform, ada.api, {
      email: `${word}@${name}.example`,
      organisation_id: organisation,
      grants: [grant],
    })
  return {
    organisation,
    workspace,
    oz: await member('oz', roleAt('organisation-admin', 'ORGANISATION', organisation)),
    wa: await member('wa', roleAt('workspace-admin', 'WORKSPACE', workspace)),
    vi: await member('vi', roleAt('workspace-viewer', 'WORKSPACE', workspace)),
  }
}

beforeAll(async () => {
  const platform = await testPlatform({ later: later => void undo.push(later) })
  fetched = platform.from('192.0.2.7')
  ada = await platform.admin()
  acme = await staffed(platform, 'acme')
  umbrella = await staffed(platform, 'umbrella')
}, 120_000)

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

interface Answered {
  readonly status: number
  readonly text: string
  readonly reason: string | undefined
}

async function call(token: string | undefined, method: string, path: string, body?: unknown): Promise<Answered> {
  return answered(
    await fetched(`${baseUrl}/iam/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}

async function answered(answer: Response): Promise<Answered> {
  const text = await answer.text()
  const { details: [info] = [] }: { details?: { reason: string }[] } = text === '' ? {} : JSON.parse(text)
  return { status: answer.status, text, reason: info?.reason }
}

describe('a resource of another tenant', () => {
  /** The calls that name a resource of the other tenant by its id alone. */
  const calls: readonly [name: string, idOf: () => string, path: string, body: object][] = [
    ['a session', () => umbrella.vi.sessionId, 'tokens:revoke', { token_id: 'ID' }],
    ['all sessions of a user', () => umbrella.vi.id, 'tokens:revoke', { principal_id: 'ID' }],
    ['a password', () => umbrella.vi.id, 'users/ID:resetPassword', {}],
    ['a user', () => umbrella.vi.id, 'users/ID:deactivate', {}],
  ]

  it.each(calls)('%s is refused like an absent one, and its home is not revealed', async (_name, idOf, path, body) => {
    const asked = (id: string) => {
      const sent: unknown = JSON.parse(JSON.stringify(body).replace('ID', id))
      return call(acme.oz.token, 'POST', path.replace('ID', id), sent)
    }
    const hidden = await asked(idOf())
    const missing = await asked(absentId)
    expect(hidden.reason).toBe('IAM_PERMISSION_DENIED')
    expect({ ...hidden, text: hidden.text.replaceAll(idOf(), absentId) }).toEqual(missing)
    expect(hidden.text).not.toContain(umbrella.organisation)
  })

  /** The calls that name a role in their body. */
  const namings: readonly [name: string, method: string, path: () => string, body: (role: string) => object][] = [
    [
      'createBinding',
      'POST',
      () => 'bindings',
      role_id => ({ principal_id: acme.vi.id, role_id, scope_type: 'WORKSPACE', scope_id: acme.workspace }),
    ],
    [
      'grantAccess',
      'POST',
      () => `scopes/WORKSPACE/${acme.workspace}/access:grant`,
      role_id => ({ principal_id: acme.vi.id, role_ids: ['workspace-viewer', role_id] }),
    ],
    [
      'revokeAccess',
      'POST',
      () => `scopes/WORKSPACE/${acme.workspace}/access:revoke`,
      role_id => ({ principal_id: acme.vi.id, role_ids: [role_id] }),
    ],
    [
      'inviteUser',
      'POST',
      () => 'users:invite',
      role_id => ({
        email: 'new@acme.example',
        organisation_id: acme.organisation,
        grants: [{ role_id, scope_type: 'ORGANISATION', scope_id: acme.organisation }],
      }),
    ],
    [
      'createPolicy',
      'POST',
      () => `workspaces/${acme.workspace}/policies`,
      role_id => ({
        name: 'p',
        statements: [{ effect: 'DENY', principals: [`role:${role_id}`], permissions: ['compute.vms.delete'] }],
      }),
    ],
  ]

  it.each(namings)('a role of another tenant is an absent role for %s', async (_name, method, path, body) => {
    const role = { name: 'hush-hush', scope_type: 'ORGANISATION' as const, scope_id: umbrella.organisation }
    const made = await umbrella.oz.api.iam.createRole({ body: { ...role, permissions: [] } })
    const id = made.resource_id
    const foreign = await call(acme.oz.token, method, path(), body(id))
    const absent = await call(acme.oz.token, method, path(), body(absentId))
    expect(absent.reason).toBe('ROLE_NOT_FOUND')
    expect({ ...foreign, text: foreign.text.replaceAll(id, absentId) }).toEqual(absent)
    await umbrella.oz.api.iam.deleteRole({ id })
  })

  /**
   * Returns true if a policy of acme with a condition on resource names denies the administrator of acme's workspace a
   * permission on a resource.
   */
  async function isDenied(condition: string, type: string, id: string): Promise<boolean> {
    const { wa, workspace } = acme
    const permissions = ['taxonomy.workspaces.update']
    const statement: PolicyStatementInput = {
      effect: 'DENY',
      principals: [`principal:${wa.id}`],
      permissions,
      condition,
    }
    const name = `guess-${crypto.randomUUID()}`
    const { resource_id } = await wa.api.iam.createPolicy({ workspace, body: { name, statements: [statement] } })
    const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
    const { results } = await wa.api.iam.testMyPermissions({
      ...scope,
      body: { permissions, resource: { type, id } },
    })
    await wa.api.iam.deletePolicy({ workspace, id: resource_id })
    return results[0]?.granted === false
  }

  it.each(['taxonomy.organisations', 'taxonomy.workspaces', 'iam.policies', 'iam.serviceAccounts'])(
    'does not reveal the name of one of its %s by conditions of a policy elsewhere',
    async type => {
      const { oz, organisation, workspace } = umbrella
      const statements = [{ effect: 'DENY', principals: ['all'], permissions: ['compute.vms.start'] }] as const
      const idOf: Readonly<Record<string, () => Promise<string | undefined>>> = {
        'taxonomy.organisations': async () => organisation,
        'taxonomy.workspaces': async () => workspace,
        'iam.serviceAccounts': async () => (await oz.api.iam.listServiceAccounts({})).service_accounts[0]?.id,
        'iam.policies': async () => {
          const body = {
            name: 'umbrella-policy',
            statements: statements.map(each => ({ ...each, principals: ['all'], permissions: [...each.permissions] })),
          }
          return (await oz.api.iam.createPolicy({ workspace, body })).resource_id
        },
      }
      const id = (await idOf[type]?.()) ?? ''
      // The guesses run sequentially, because each guess creates and deletes a policy. A condition that cannot be
      // evaluated denies, as for an absent resource.
      for (const guess of ['umbrella*', 'web*', 'default*', 'nothing-like-it*']) {
        const verdict = await isDenied(`resource.name:"${guess}"`, type, id)
        expect([guess, verdict]).toEqual([guess, true])
      }
    },
  )

  it('is looked up in its own scope', async () => {
    const { workspace } = acme
    expect(await isDenied('resource.name:"web*"', 'taxonomy.workspaces', workspace)).toBe(true)
    expect(await isDenied('resource.name:"nothing*"', 'taxonomy.workspaces', workspace)).toBe(false)
  })

  it('is not named in a policy elsewhere, where no caller could match', async () => {
    const { oz, organisation } = umbrella
    const body = { name: 'own-role', scope_type: 'ORGANISATION' as const, scope_id: organisation, permissions: [] }
    const { resource_id: id } = await oz.api.iam.createRole({ body })
    const statements = [{ effect: 'DENY', principals: [`role:${id}`], permissions: ['compute.vms.start'] }]
    const path = `workspaces/${acme.workspace}/policies`
    const refused = await call(acme.wa.token, 'POST', path, { name: 'squat', statements })
    const missing = await call(acme.wa.token, 'POST', path, {
      name: 'squat',
      statements: [{ ...statements[0], principals: [`role:${absentId}`] }],
    })
    expect(refused.reason).toBe('ROLE_NOT_FOUND')
    expect({ ...refused, text: refused.text.replaceAll(id, absentId) }).toEqual(missing)
    expect((await oz.api.iam.deleteRole({ id })).status).toBe('IAM_OPERATION_STATUS_DONE')
  })
})

it.each(['workspace', 'PLATFORM', 'TEAM', '__proto__'])('a scope %s is not in any path', async word => {
  const tokens = [acme.oz.token, ada.token]
  for (const token of tokens) {
    const paths = [`scopes/${word}/${acme.workspace}/access`, `scopes/${word}/${acme.workspace}/access/me/permissions`]
    const answers = await Promise.all(paths.map(path => call(token, 'GET', path)))
    expect(answers.map(({ reason, status }) => [status, reason])).toEqual(paths.map(() => [404, 'ROUTE_NOT_FOUND']))
  }
})
