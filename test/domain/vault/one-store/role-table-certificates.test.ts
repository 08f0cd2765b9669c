import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { addMember, roleAt, type Member } from '../../../areas/members.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { outcomeOf } from '../../outcomes.ts'
import { certificateCalls } from '../certificates/tenant-certificates.ts'
import { tenantSecrets, type TenantSecrets } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

let tenant: TenantSecrets
let count = 0
const members = new Map<string, Member>()

/** The predefined roles, of which each test user has one at the workspace. */
const roles = [
  'workspace-viewer',
  'workspace-editor',
  'workspace-admin',
  'security-auditor',
  'vault-secret-accessor',
  'vault-crypto-user',
  'certificate-requester',
] as const

type Role = (typeof roles)[number]

/** Makes a user with a predefined role, or with a new role of these permissions, at the workspace. */
async function member(role: string | readonly string[]): Promise<Member> {
  const { admin, organisation, platform, workspace } = tenant
  const name = `member-${(count += 1)}`
  const scope = { scope_type: 'ORGANISATION', scope_id: organisation } as const
  const id =
    typeof role === 'string'
      ? role
      : (await admin.api.iam.createRole({ body: { name, ...scope, permissions: [...role] } })).resource_id
  const grants = [roleAt(id, 'WORKSPACE', workspace)]
  return addMember(platform, admin.api, { email: `${name}@acme.test`, organisation_id: organisation, grants })
}

beforeAll(async () => {
  tenant = await tenantSecrets({ later: afterTests })
  for (const role of roles) members.set(role, await member(role))
})

const readers: readonly Role[] = [
  'workspace-viewer',
  'workspace-editor',
  'workspace-admin',
  'security-auditor',
  'certificate-requester',
]
const writers: readonly Role[] = ['workspace-editor', 'workspace-admin']
/** Authorities and their policy are administered, which editors may not. */
const admins: readonly Role[] = ['workspace-admin']
const requesters: readonly Role[] = [...writers, 'certificate-requester']

/** A call on an absent authority: a caller with the permission gets another answer than a denial. */
type Call = (vault: Ninefold['vault'], at: TenantSecrets['at']) => Promise<unknown>

const id = '01900000-0000-7000-8000-0000000000ff'
const certificate_authority = id
const body = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } as const
const config = { subject: { common_name: 'a.example' } }
const public_key_pem = 'none'

const calls: readonly (readonly [operationId: string, allowed: readonly Role[], call: Call])[] = [
  ['listCertificateAuthorities', readers, (vault, at) => vault.listCertificateAuthorities(at)],
  ['getCertificateAuthority', readers, (vault, at) => vault.getCertificateAuthority({ ...at, id })],
  ['createCertificateAuthority', admins, (vault, at) => vault.createCertificateAuthority({ ...at, body: {} })],
  ['revokeCertificateAuthority', admins, (vault, at) => vault.revokeCertificateAuthority({ ...at, id, body })],
  ['getCertificateRevocationList', readers, (vault, at) => vault.getCertificateRevocationList({ ...at, id })],
  ['listCertificates', readers, (vault, at) => vault.listCertificates({ ...at, certificate_authority })],
  ['getCertificate', readers, (vault, at) => vault.getCertificate({ ...at, certificate_authority, id })],
  [
    'createCertificate',
    requesters,
    (vault, at) => vault.createCertificate({ ...at, certificate_authority, body: { config: { public_key_pem } } }),
  ],
  ['revokeCertificate', writers, (vault, at) => vault.revokeCertificate({ ...at, certificate_authority, id, body })],
  [
    'listCertificateTemplates',
    readers,
    (vault, at) => vault.listCertificateTemplates({ ...at, certificate_authority }),
  ],
  [
    'getCertificateTemplate',
    readers,
    (vault, at) => vault.getCertificateTemplate({ ...at, certificate_authority, id }),
  ],
  [
    'createCertificateTemplate',
    admins,
    (vault, at) => vault.createCertificateTemplate({ ...at, certificate_authority, body: { name: 'web' } }),
  ],
  [
    'updateCertificateTemplate',
    admins,
    (vault, at) =>
      vault.updateCertificateTemplate({ ...at, certificate_authority, id, update_mask: 'labels', body: {} }),
  ],
  [
    'deleteCertificateTemplate',
    admins,
    (vault, at) => vault.deleteCertificateTemplate({ ...at, certificate_authority, id }),
  ],
]

describe('a predefined role', () => {
  it.each(calls)('of the table allows %s, and no other role does', async (_, allowed, call) => {
    const outcomes: string[] = []
    for (const role of roles) {
      const { api } = members.get(role) ?? tenant.admin
      if ((await outcomeOf(call(api.vault, tenant.at))) !== 'IAM_PERMISSION_DENIED') outcomes.push(role)
    }
    expect(outcomes).toEqual(roles.filter(role => allowed.includes(role)))
  })
})

describe('the private key of a certificate whose key the vault makes', () => {
  const privateKey = /PRIVATE KEY|UFJJVkFURSBLRV/

  it('is in no answer about certificates, but in the secret, for callers that may read payloads', async () => {
    const { admin, at, platform } = tenant
    const { issue, root } = certificateCalls({ ...tenant, at })
    const top = await root('root')
    const path = { ...at, certificate_authority: top }
    const operation = await admin.api.vault.createCertificate({
      ...path,
      body: { name: 'web', config, private_key_secret_name: 'web-key' },
    })
    const leaf = await admin.api.vault.getCertificate({ ...path, id: operation.resource_id })
    await issue(top, { config, private_key_secret_name: 'other-key' })
    const secret = { ...at, secret: leaf.private_key_secret_id }
    const { payload } = await admin.api.vault.getSecretVersion({ ...secret, id: '1' })
    expect(Buffer.from(payload?.data ?? '', 'base64').toString()).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    const answers = [
      operation,
      leaf,
      await admin.api.vault.listCertificates(path),
      await admin.api.vault.getCertificateAuthority({ ...at, id: top }),
      await admin.api.vault.listCertificateAuthorities(at),
      await admin.api.vault.listOperations({}),
      await admin.api.vault.listSecrets(at),
      await admin.api.vault.listSecretVersions(secret),
      await (await platform.from('192.0.2.7')(`${baseUrl}/crl/${top}.crl`)).text(),
      platform.lines,
    ]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(privateKey)
    for (const role of roles) {
      const { api } = members.get(role) ?? admin
      const isAllowed = role === 'workspace-admin' || role === 'vault-secret-accessor'
      const outcome = await outcomeOf(api.vault.getSecretVersion({ ...secret, id: '1' }))
      expect([role, outcome !== 'IAM_PERMISSION_DENIED']).toEqual([role, isAllowed])
    }
  })

  it('needs the right to create secrets beside the right to request certificates', async () => {
    const { at } = tenant
    const top = await certificateCalls({ ...tenant, at }).root('for-requests')
    const issue = (api: Ninefold, more: object) =>
      outcomeOf(
        api.vault.createCertificate({
          ...at,
          certificate_authority: top,
          body: { config, private_key_secret_name: `key-${(count += 1)}`, ...more },
        }),
      )
    const requester = await member(['vault.certificates.create'])
    const both = await member(['vault.certificates.create', 'vault.secrets.create'])
    expect(await issue(requester.api, {})).toBe('IAM_PERMISSION_DENIED')
    await expect(
      requester.api.vault.createCertificate({
        ...at,
        certificate_authority: top,
        body: { config, private_key_secret_name: 'denied' },
      }),
    ).rejects.toMatchObject({
      metadata: { permission: 'vault.secrets.create', scope_type: 'WORKSPACE', scope_id: tenant.workspace },
    })
    expect(await issue(both.api, {})).not.toBe('IAM_PERMISSION_DENIED')
    // A crypto key of an authority signs on behalf of the creator.
    const creator = await member(['vault.certificateAuthorities.create'])
    await expect(
      creator.api.vault.createCertificateAuthority({
        ...at,
        body: {
          name: 'pinned',
          type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
          subject: { common_name: 'Acme' },
          lifetime: '86400s',
          crypto_key_id: id,
        },
      }),
    ).rejects.toMatchObject({
      reason: 'IAM_PERMISSION_DENIED',
      metadata: { permission: 'vault.cryptoKeys.sign' },
    })
  })
})
