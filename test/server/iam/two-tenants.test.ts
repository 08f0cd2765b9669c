import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import type { PolicyStatementInput } from '../../../output/iam/types.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { areas } from '../../../server/areas.ts'
import { compose, type Platform } from '../../../server/compose.ts'
import { openIam } from '../../../server/iam/open.ts'
import { administratorFile, signIn } from '../access/sign-in.ts'
import { testStoreUrl } from '../store/harness.ts'

const baseUrl = 'http://platform.test'
const ignore = (): void => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const password = 'nobody will guess this one'
const absent = '01900000-0000-7000-8000-0000000000ff'

interface Person {
  readonly id: string
  readonly token: string
  readonly session: string
  readonly client: Ninefold
}

/** An organisation with a workspace, and who administers the one, the other, or may look at it. */
interface Tenant {
  readonly organisation: string
  readonly workspace: string
  readonly oz: Person
  readonly wa: Person
  readonly vi: Person
}

let platform: Platform
let fetched: typeof fetch
let undo: (() => void | Promise<void>)[] = []
let acme: Tenant
let umbrella: Tenant

const clientOf = (token: string): Ninefold => new Ninefold(createTransport({ baseUrl, token, fetch: fetched }))

type Grants = NonNullable<Parameters<Ninefold['iam']['inviteUser']>[0]['body']['grants']>

async function person(admin: Ninefold, email: string, grants: Grants, organisation_id = ''): Promise<Person> {
  const invited = await admin.iam.inviteUser({ body: { email, grants, organisation_id, delivery: 'RETURN' } })
  const anonymous = new Ninefold({ baseUrl, fetch: fetched })
  await anonymous.iam.activateUser({ body: { token: invited.credential?.token ?? '', password } })
  const { access_token: token, token_id } = await anonymous.iam.authenticate({ body: { email, password } })
  return { id: invited.resource_id, token, session: token_id, client: clientOf(token) }
}

async function tenant(admin: Ninefold, name: string): Promise<Tenant> {
  const { resource_id: organisation } = await admin.taxonomy.createOrganisation({ body: { name } })
  const created = await admin.taxonomy.createWorkspace({ organisation, body: { name: `${name}-web` } })
  const workspace = created.resource_id
  const at = (role_id: string) => [{ scope_type: 'WORKSPACE', scope_id: workspace, role_id }] as const
  const all = [{ scope_type: 'ORGANISATION', scope_id: organisation, role_id: 'organisation-admin' }] as const
  return {
    organisation,
    workspace,
    oz: await person(admin, `oz@${name}.example`, [...all], organisation),
    wa: await person(admin, `wa@${name}.example`, [...at('workspace-admin')], organisation),
    vi: await person(admin, `vi@${name}.example`, [...at('workspace-viewer')], organisation),
  }
}

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-tenants-'))
  undo.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const place = { dataDir, ...(await testStoreUrl(later => void undo.push(later))) }
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  platform = await compose({ baseUrl, http, bootstrap, ...place }, silent, areas, openIam)
  const host = fetchHost(platform.dispatch)
  fetched = (input, init) => host(new Request(input, init))
  const admin = clientOf(await signIn(baseUrl, fetched))
  acme = await tenant(admin, 'acme')
  umbrella = await tenant(admin, 'umbrella')
}, 120_000)

afterAll(async () => {
  await platform.close()
  for (const each of undo.toReversed()) await each()
  undo = []
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

describe('what belongs to another tenant', () => {
  /** What names a thing of the other tenant by its id alone. */
  const calls: readonly [name: string, idOf: () => string, path: string, body: object][] = [
    ['a session', () => umbrella.vi.session, 'tokens:revoke', { token_id: 'ID' }],
    ['all of a user', () => umbrella.vi.id, 'tokens:revoke', { principal_id: 'ID' }],
    ['a password', () => umbrella.vi.id, 'users/ID:resetPassword', {}],
    ['a user', () => umbrella.vi.id, 'users/ID:deactivate', {}],
  ]

  it.each(calls)('%s is refused as what does not exist, and its home is not told', async (_name, idOf, path, body) => {
    const asked = (id: string) => {
      const sent: unknown = JSON.parse(JSON.stringify(body).replace('ID', id))
      return call(acme.oz.token, 'POST', path.replace('ID', id), sent)
    }
    const hidden = await asked(idOf())
    const missing = await asked(absent)
    expect(hidden.reason).toBe('IAM_PERMISSION_DENIED')
    expect({ ...hidden, text: hidden.text.replaceAll(idOf(), absent) }).toEqual(missing)
    expect(hidden.text).not.toContain(umbrella.organisation)
  })

  it('tells neither the name nor the owner of a role that cannot be given here', async () => {
    const { oz, organisation } = umbrella
    const body = { name: 'hush-hush', scope_type: 'ORGANISATION' as const, scope_id: organisation, permissions: [] }
    const { resource_id: role_id } = await oz.client.iam.createRole({ body })
    const place = { scope_type: 'WORKSPACE', scope_id: acme.workspace }
    const refused = await call(acme.wa.token, 'POST', 'bindings', { principal_id: acme.vi.id, role_id, ...place })
    expect(refused.reason).toBe('ROLE_NOT_BINDABLE_AT_SCOPE')
    expect(refused.text).not.toContain('hush-hush')
    expect(refused.text).not.toContain(organisation)
  })

  /** Whether a policy of acme on the names of things denies acme's administrator something about a thing. */
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
    const { resource_id } = await wa.client.iam.createPolicy({ workspace, body: { name, statements: [statement] } })
    const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
    const { results } = await wa.client.iam.testMyPermissions({
      ...scope,
      body: { permissions, resource: { type, id } },
    })
    await wa.client.iam.deletePolicy({ workspace, id: resource_id })
    return results[0]?.granted === false
  }

  it.each(['taxonomy.organisations', 'taxonomy.workspaces', 'iam.policies', 'iam.serviceAccounts'])(
    'does not tell the name of one of its %s by conditions of a policy elsewhere',
    async type => {
      const { oz, organisation, workspace } = umbrella
      const statements = [{ effect: 'DENY', principals: ['all'], permissions: ['compute.vms.start'] }] as const
      const idOf: Readonly<Record<string, () => Promise<string | undefined>>> = {
        'taxonomy.organisations': async () => organisation,
        'taxonomy.workspaces': async () => workspace,
        'iam.serviceAccounts': async () => (await oz.client.iam.listServiceAccounts({})).service_accounts[0]?.id,
        'iam.policies': async () => {
          const body = {
            name: 'umbrella-policy',
            statements: statements.map(each => ({ ...each, principals: ['all'], permissions: [...each.permissions] })),
          }
          return (await oz.client.iam.createPolicy({ workspace, body })).resource_id
        },
      }
      const id = (await idOf[type]?.()) ?? ''
      // One after the other, since each guess is a policy; what cannot be decided denies, as for what does not exist.
      for (const guess of ['umbrella*', 'default*', 'nothing-like-it*']) {
        const verdict = await isDenied(`resource.name:"${guess}"`, type, id)
        expect([guess, verdict]).toEqual([guess, true])
      }
    },
  )

  it('is looked up where it lies', async () => {
    const { workspace } = acme
    expect(await isDenied('resource.name:"acme*"', 'taxonomy.workspaces', workspace)).toBe(true)
    expect(await isDenied('resource.name:"nothing*"', 'taxonomy.workspaces', workspace)).toBe(false)
  })

  it('is named by no policy elsewhere, where nobody could have it', async () => {
    const { oz, organisation } = umbrella
    const body = { name: 'own-role', scope_type: 'ORGANISATION' as const, scope_id: organisation, permissions: [] }
    const { resource_id: id } = await oz.client.iam.createRole({ body })
    const statements = [{ effect: 'DENY', principals: [`role:${id}`], permissions: ['compute.vms.start'] }]
    const path = `workspaces/${acme.workspace}/policies`
    const refused = await call(acme.wa.token, 'POST', path, { name: 'squat', statements })
    const missing = await call(acme.wa.token, 'POST', path, {
      name: 'squat',
      statements: [{ ...statements[0], principals: [`role:${absent}`] }],
    })
    expect(refused.reason).toBe('ROLE_NOT_FOUND')
    expect({ ...refused, text: refused.text.replaceAll(id, absent) }).toEqual(missing)
    expect((await oz.client.iam.deleteRole({ id })).status).toBe('IAM_OPERATION_STATUS_DONE')
  })
})

describe('a body that is sent slowly', () => {
  /** Sends a call whose body ends only once `between` has happened. */
  async function slowly(token: string, method: string, path: string, body: unknown, between: () => Promise<unknown>) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const init = {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: readable,
      duplex: 'half',
    }
    const answer = fetched(`${baseUrl}/iam/v1/${path}`, init)
    // Taken only by who reads the body, who is behind the door.
    await writer.write(bytes.subarray(0, 1))
    await between()
    await writer.write(bytes.subarray(1))
    await writer.close()
    return answered(await answer)
  }

  it('makes nothing by a right that was taken away meanwhile', async () => {
    const { oz, workspace } = acme
    const place = { scope_type: 'WORKSPACE', scope_id: workspace } as const
    const mal = await person(
      oz.client,
      'mal@acme.example',
      [{ ...place, role_id: 'workspace-admin' }],
      acme.organisation,
    )
    const revoked = () => oz.client.iam.revokeAccess({ ...place, body: { principal_id: mal.id } })
    const statements = [{ effect: 'DENY', principals: ['all'], permissions: ['compute.vms.start'] }]
    const path = `workspaces/${workspace}/policies`
    const answer = await slowly(mal.token, 'POST', path, { name: 'late', statements }, revoked)
    expect([answer.status, answer.reason]).toEqual([403, 'IAM_PERMISSION_DENIED'])
  })

  it('changes nothing of who was deactivated meanwhile', async () => {
    const { oz } = acme
    const mal = await person(oz.client, 'malcolm@acme.example', [], acme.organisation)
    const barred = () => oz.client.iam.deactivateUser({ id: mal.id, body: {} })
    const answer = await slowly(mal.token, 'PATCH', 'users/me', { display_name: 'late' }, barred)
    expect([answer.status, answer.reason]).toEqual([401, 'TOKEN_REVOKED'])
  })

  it('makes nothing when the policy that had it decided by its name goes meanwhile', async () => {
    const { oz, vi, workspace } = acme
    const statements: PolicyStatementInput[] = [
      {
        effect: 'DENY',
        principals: ['all'],
        permissions: ['iam.policies.create'],
        resources: ['iam.policies/name:never-*'],
      },
    ]
    const { resource_id } = await oz.client.iam.createPolicy({ workspace, body: { name: 'by-name', statements } })
    const gone = () => oz.client.iam.deletePolicy({ workspace, id: resource_id })
    const answer = await slowly(
      vi.token,
      'POST',
      `workspaces/${workspace}/policies`,
      { name: 'mine', statements },
      gone,
    )
    expect([answer.status, answer.reason]).toEqual([403, 'IAM_PERMISSION_DENIED'])
  })
})

it.each(['workspace', 'PLATFORM', 'TEAM', '__proto__'])('a scope %s is in no path', async word => {
  const tokens = [acme.oz.token, await signIn(baseUrl, fetched)]
  for (const token of tokens) {
    const paths = [`scopes/${word}/${acme.workspace}/access`, `scopes/${word}/${acme.workspace}/access/me/permissions`]
    const answers = await Promise.all(paths.map(path => call(token, 'GET', path)))
    expect(answers.map(({ reason, status }) => [status, reason])).toEqual(paths.map(() => [404, 'ROUTE_NOT_FOUND']))
  }
})
