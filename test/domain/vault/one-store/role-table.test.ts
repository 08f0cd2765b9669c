import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import { addMember, roleAt, type Member } from '../../../areas/members.ts'
import { outcomeOf } from '../../outcomes.ts'
import { base64, redeemedText, tenantCapsules, type TenantCapsules } from '../capsules/tenant-capsules.ts'
import { afterTests } from '../../../undo.ts'

let tenant: TenantCapsules
const members = new Map<string, Member>()

/** The predefined roles, of which each test user has one at the workspace. */
const roles = [
  'workspace-viewer',
  'workspace-editor',
  'workspace-admin',
  'security-auditor',
  'vault-secret-accessor',
  'vault-crypto-user',
] as const

type Role = (typeof roles)[number]

beforeAll(async () => {
  tenant = await tenantCapsules({ later: afterTests })
  const { admin, organisation, platform, workspace } = tenant
  for (const role of roles) {
    const grants = [roleAt(role, 'WORKSPACE', workspace)]
    const invited = { email: `${role}@acme.test`, organisation_id: organisation, grants }
    members.set(role, await addMember(platform, admin.api, invited))
  }
})

const readers: readonly Role[] = ['workspace-viewer', 'workspace-editor', 'workspace-admin', 'security-auditor']
const keyReaders: readonly Role[] = [...readers, 'vault-crypto-user']
const writers: readonly Role[] = ['workspace-editor', 'workspace-admin']
const users: readonly Role[] = ['workspace-admin', 'vault-crypto-user']

/** A call on an absent key or capsule: a caller with the permission gets another answer than a denial. */
type Call = (vault: Ninefold['vault'], at: TenantCapsules['at']) => Promise<unknown>

const id = '01900000-0000-7000-8000-0000000000ff'
const version = { cryptokey: id, id: '1' }

const calls: readonly (readonly [operationId: string, allowed: readonly Role[], call: Call])[] = [
  ['listCryptoKeys', keyReaders, (vault, at) => vault.listCryptoKeys(at)],
  ['getCryptoKey', keyReaders, (vault, at) => vault.getCryptoKey({ ...at, id })],
  [
    'createCryptoKey',
    writers,
    (vault, at) => vault.createCryptoKey({ ...at, body: { name: '', purpose: 'VAULT_CRYPTO_KEY_PURPOSE_MAC' } }),
  ],
  ['updateCryptoKey', writers, (vault, at) => vault.updateCryptoKey({ ...at, id, update_mask: 'labels', body: {} })],
  ['deleteCryptoKey', writers, (vault, at) => vault.deleteCryptoKey({ ...at, id })],
  ['rotateCryptoKey', writers, (vault, at) => vault.rotateCryptoKey({ ...at, id, body: {} })],
  ['encrypt', users, (vault, at) => vault.encrypt({ ...at, id, body: { plaintext: '' } })],
  ['decrypt', users, (vault, at) => vault.decrypt({ ...at, id, body: { ciphertext: '' } })],
  ['reEncrypt', users, (vault, at) => vault.reEncrypt({ ...at, id, body: { ciphertext: '' } })],
  ['generateDataEncryptionKey', users, (vault, at) => vault.generateDataEncryptionKey({ ...at, id, body: {} })],
  ['sign', users, (vault, at) => vault.sign({ ...at, id, body: { data: '' } })],
  ['verify', users, (vault, at) => vault.verify({ ...at, id, body: { data: '', mac: '' } })],
  ['hmac', users, (vault, at) => vault.hmac({ ...at, id, body: { data: '' } })],
  ['generateRandomBytes', users, (vault, at) => vault.generateRandomBytes({ ...at, body: { length_bytes: 1 } })],
  ['listCryptoKeyVersions', readers, (vault, at) => vault.listCryptoKeyVersions({ ...at, cryptokey: id })],
  ['getCryptoKeyVersion', readers, (vault, at) => vault.getCryptoKeyVersion({ ...at, ...version })],
  ['disableCryptoKeyVersion', writers, (vault, at) => vault.disableCryptoKeyVersion({ ...at, ...version, body: {} })],
  ['destroyCryptoKeyVersion', writers, (vault, at) => vault.destroyCryptoKeyVersion({ ...at, ...version, body: {} })],
  [
    'cancelDestroyCryptoKeyVersion',
    writers,
    (vault, at) => vault.cancelDestroyCryptoKeyVersion({ ...at, ...version, body: {} }),
  ],
  ['listCapsules', readers, (vault, at) => vault.listCapsules(at)],
  ['getCapsule', readers, (vault, at) => vault.getCapsule({ ...at, id })],
  ['createCapsule', writers, (vault, at) => vault.createCapsule({ ...at, body: { payload: { data: base64('x') } } })],
  ['revokeCapsule', writers, (vault, at) => vault.revokeCapsule({ ...at, id, body: {} })],
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

describe('a capsule for a recipient', () => {
  it('is shown to anyone, and redeemed by its recipient alone, who needs no permission in the workspace', async () => {
    const { admin, anyone, create, organisation, platform } = tenant
    const recipient = await addMember(platform, admin.api, { email: 'friend@acme.test', organisation_id: organisation })
    const capsule = await create('for a friend', { recipient_principal_id: recipient.id })
    const delivery = await anyone.vault.getCapsuleDelivery({ id: capsule.id })
    expect(delivery).toMatchObject({ recipient_restricted: true, state: 'VAULT_CAPSULE_STATE_ACTIVE' })
    expect(JSON.stringify(delivery)).not.toContain(recipient.id)
    for (const api of [anyone, admin.api, members.get('workspace-admin')?.api ?? admin.api])
      expect(await outcomeOf(redeemedText(api, capsule))).toBe('CAPSULE_RECIPIENT_MISMATCH')
    const guess = { id: capsule.id, token: `cap1.${'A'.repeat(43)}` }
    for (const api of [anyone, recipient.api])
      expect(await outcomeOf(redeemedText(api, guess))).toBe('CAPSULE_TOKEN_INVALID')
    expect(await redeemedText(recipient.api, capsule)).toBe('for a friend')
  })

  it('is redeemed with no bad bearer, even if anyone may redeem it', async () => {
    const { create, platform, redeem } = tenant
    const capsule = await create('for anyone')
    expect(await outcomeOf(redeemedText(platform.as('not-a-token'), capsule))).toBe('TOKEN_INVALID')
    expect(await redeem(capsule)).toBe('for anyone')
  })
})
