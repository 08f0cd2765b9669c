import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { addMember, roleAt, type Member } from '../../../areas/members.ts'
import { base64, tenantSecrets, type TenantSecrets } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

let tenant: TenantSecrets
let members = 0

beforeAll(async () => {
  tenant = await tenantSecrets({ later: afterTests })
})

/** Makes a user with a predefined role, or with a new role of these permissions, at the workspace. */
async function member(role: string | readonly string[]): Promise<Member> {
  const { admin, organisation, platform, workspace } = tenant
  const name = `member-${(members += 1)}`
  const scope = { scope_type: 'ORGANISATION', scope_id: organisation } as const
  const id =
    typeof role === 'string'
      ? role
      : (await admin.api.iam.createRole({ body: { name, ...scope, permissions: [...role] } })).resource_id
  const grants = [roleAt(id, 'WORKSPACE', workspace)]
  return addMember(platform, admin.api, { email: `${name}@acme.test`, organisation_id: organisation, grants })
}

/** Makes a secret of one version. */
async function newSecret(): Promise<string> {
  const secret = await tenant.create(`secret-${(members += 1)}`)
  await tenant.add(secret, 'one')
  return secret
}

type Run = (api: Ninefold, secret: string) => Promise<unknown>

const versionAt = (secret: string) => ({ ...tenant.at, secret, id: '1' })

/** The operationId of each call, its permission, and the call. */
const calls: readonly (readonly [operationId: string, permission: string, run: Run])[] = [
  ['listSecrets', 'vault.secrets.list', ({ vault }) => vault.listSecrets(tenant.at)],
  ['getSecret', 'vault.secrets.get', ({ vault }, id) => vault.getSecret({ ...tenant.at, id })],
  [
    'createSecret',
    'vault.secrets.create',
    ({ vault }, id) => vault.createSecret({ ...tenant.at, body: { name: `made-${id}`.slice(0, 60) } }),
  ],
  [
    'updateSecret',
    'vault.secrets.update',
    ({ vault }, id) =>
      vault.updateSecret({ ...tenant.at, id, update_mask: 'description', body: { description: 'new' } }),
  ],
  ['deleteSecret', 'vault.secrets.delete', ({ vault }, id) => vault.deleteSecret({ ...tenant.at, id })],
  [
    'addSecretVersion',
    'vault.secretVersions.add',
    ({ vault }, secret) => vault.addSecretVersion({ ...tenant.at, secret, body: { payload: { data: base64('two') } } }),
  ],
  [
    'listSecretVersions',
    'vault.secretVersions.list',
    ({ vault }, secret) => vault.listSecretVersions({ ...tenant.at, secret }),
  ],
  ['getSecretVersion', 'vault.secretVersions.access', ({ vault }, secret) => vault.getSecretVersion(versionAt(secret))],
  [
    'getSecretVersion of the basic view',
    'vault.secretVersions.access',
    ({ vault }, secret) => vault.getSecretVersion({ ...versionAt(secret), view: 'VAULT_SECRET_VERSION_VIEW_BASIC' }),
  ],
  [
    'disableSecretVersion',
    'vault.secretVersions.disable',
    ({ vault }, secret) => vault.disableSecretVersion({ ...versionAt(secret), body: {} }),
  ],
  [
    'destroySecretVersion',
    'vault.secretVersions.destroy',
    ({ vault }, secret) => vault.destroySecretVersion({ ...versionAt(secret), body: {} }),
  ],
]

const permissions = [...new Set(calls.map(([, permission]) => permission))]

describe('a call of secrets', () => {
  let holders: ReadonlyMap<string, Member>
  let others: ReadonlyMap<string, Member>

  beforeAll(async () => {
    const made = async (of: (permission: string) => readonly string[]) => {
      const entries: (readonly [string, Member])[] = []
      for (const permission of permissions) entries.push([permission, await member(of(permission))])
      return new Map(entries)
    }
    holders = await made(permission => [permission])
    others = await made(permission => permissions.filter(each => each !== permission))
  }, 60_000)

  it.each(calls)('%s needs %s alone', async (_operationId, permission, run) => {
    const [holder, other] = [holders.get(permission), others.get(permission)]
    if (!holder || !other) throw new Error(`nobody holds ${permission}`)
    const secret = await newSecret()
    await expect(run(other.api, secret)).rejects.toMatchObject({
      reason: 'IAM_PERMISSION_DENIED',
      metadata: { permission, scope_type: 'WORKSPACE', scope_id: tenant.workspace },
    })
    await expect(run(holder.api, secret)).resolves.toBeDefined()
  })
})

describe('a predefined role', () => {
  it.each([
    ['workspace-viewer', false],
    ['workspace-editor', false],
    ['security-auditor', false],
    ['vault-secret-accessor', true],
    ['workspace-admin', true],
  ] as const)('%s: reading a payload is allowed: %s; listing needs no right to payloads', async (role, isAllowed) => {
    const { api } = await member(role)
    const secret = await newSecret()
    expect((await api.vault.listSecretVersions({ ...tenant.at, secret })).versions).toHaveLength(1)
    const read = api.vault.getSecretVersion(versionAt(secret))
    if (isAllowed) await expect(read).resolves.toHaveProperty('payload')
    else await expect(read).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
  })
})
