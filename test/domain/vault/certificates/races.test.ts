import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CertificateInput } from '../../../../output/vault/types.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { race, type Racers } from '../../../areas/race.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { keyCalls } from '../keys/tenant-keys.ts'
import { patient } from '../patient.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { certificateCalls, type TenantCertificates } from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

/**
 * The number of rounds of each race. For two hundred rounds:
 * `NINEFOLD_RACE_LAPS=200 npx vitest run test/domain/vault/certificates/races.test.ts`
 */
const rounds = Number(process.env['NINEFOLD_RACE_LAPS'] ?? 20)

/** The rounds of races that change a crypto key or delete a workspace, for which all servers wait. */
const slowRounds = Math.ceil(rounds / (postgresUrl() === undefined ? 1 : 5))

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()

type Vault = Ninefold['vault']

let tenant: TenantCertificates
let one: Vault
/** The calls on a second server of the same PostgreSQL; on SQLite, the calls `one`. */
let other: Vault
/** An authority that stays ENABLED. */
let top: string

beforeAll(async () => {
  const made = await tenantSecrets({ later: afterTests })
  const { at, organisation, platform, workspace } = made
  const admin = patient(platform, made.admin)
  tenant = { ...made, admin, ...keyCalls(admin, workspace), ...certificateCalls({ admin, at, workspace }) }
  one = admin.api.vault
  other = one
  const scope = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: organisation } as const
  for (const quota of ['vault.certificateAuthorities', 'vault.cryptoKeys'])
    await admin.api.taxonomy.createQuotaOverride({ quota, body: { ...scope, limit: 100_000 } })
  const { dataDir, storeUrl } = platform.config
  if (storeUrl !== undefined) {
    const second = await testPlatform({ config: { dataDir, storeUrl }, later: afterTests })
    other = patient(second, await second.admin()).api.vault
  }
  top = await tenant.root('top')
})

const certificate: CertificateInput = { config: { subject: { common_name: 'www.acme.example' }, public_key_pem } }
const reason = 'VAULT_REVOCATION_REASON_SUPERSEDED'

const issue = (by: Vault, certificate_authority: string, more: Partial<CertificateInput> = {}) =>
  by.createCertificate({ ...tenant.at, certificate_authority, body: { ...certificate, ...more } })
const revoke = (by: Vault, certificate_authority: string, id: string) =>
  by.revokeCertificate({ ...tenant.at, certificate_authority, id, body: { reason } })
const revokeAuthority = (by: Vault, id: string) => by.revokeCertificateAuthority({ ...tenant.at, id, body: { reason } })
const list = (by: Vault, id: string) => by.getCertificateRevocationList({ ...tenant.at, id })
const disable = (by: Vault, cryptokey: string) =>
  by.disableCryptoKeyVersion({ ...tenant.at, cryptokey, id: '1', body: {} })

/** Makes an authority whose key is a version of a crypto key; returns the ids of both. */
async function pinned(name: string) {
  const crypto_key_id = await tenant.create(name, 'EC_P256_SHA256')
  return { key: crypto_key_id, authority: await tenant.root(name, { crypto_key_id }) }
}

interface Race {
  readonly name: string
  readonly count?: number
  readonly prepare: (round: number) => Promise<Racers>
  readonly documented: readonly string[]
  /** Checks the store after each round. */
  readonly after?: () => Promise<void>
}

/** The numbers of the lists that the reads of one round have returned. */
let numbers: string[] = []

const races: readonly Race[] = [
  {
    name: 'two revocations of a certificate',
    async prepare() {
      const { resource_id: id } = await issue(one, top)
      return [one, other].map(by => () => revoke(by, top, id))
    },
    documented: ['OK, CERTIFICATE_ALREADY_REVOKED', 'CERTIFICATE_ALREADY_REVOKED, OK'],
  },
  {
    name: 'a revocation of an authority and an issue',
    async prepare(round) {
      const id = await tenant.root(`revoked-${round}`)
      return [() => revokeAuthority(one, id), () => issue(other, id)]
    },
    documented: ['OK, OK', 'OK, CA_NOT_ENABLED'],
  },
  {
    name: 'two revocations of an authority',
    async prepare(round) {
      const id = await tenant.below(top, `twice-${round}`)
      return [one, other].map(by => () => revokeAuthority(by, id))
    },
    documented: ['OK, CA_NOT_ENABLED', 'CA_NOT_ENABLED, OK'],
  },
  {
    name: 'a revocation of an authority and a subordinate of it',
    async prepare(round) {
      const parent_certificate_authority_id = await tenant.root(`parent-${round}`)
      const subject = { common_name: `Child ${round}` }
      const type = 'VAULT_CERTIFICATE_AUTHORITY_TYPE_SUBORDINATE'
      const body = {
        name: `child-${round}`,
        type,
        subject,
        lifetime: '86400s',
        parent_certificate_authority_id,
      } as const
      return [
        () => revokeAuthority(one, parent_certificate_authority_id),
        () => other.createCertificateAuthority({ ...tenant.at, body }),
      ]
    },
    documented: ['OK, OK', 'OK, CA_NOT_ENABLED'],
  },
  {
    name: 'a revocation of an authority and an issue of its subordinate',
    async prepare(round) {
      const above = await tenant.root(`above-${round}`)
      const below = await tenant.below(above, `below-${round}`)
      return [() => revokeAuthority(one, above), () => issue(other, below)]
    },
    documented: ['OK, OK', 'OK, ISSUER_NOT_USABLE'],
  },
  {
    name: 'a revocation and a renewal of a certificate with its key',
    async prepare() {
      const { resource_id: id } = await issue(one, top)
      return [() => revoke(one, top, id), () => issue(other, top)]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two certificates of one name',
    prepare: async round => [one, other].map(by => () => issue(by, top, { name: `same-${round}` })),
    documented: ['OK, CERTIFICATE_ALREADY_EXISTS', 'CERTIFICATE_ALREADY_EXISTS, OK'],
  },
  {
    name: 'two reads of a list that is due',
    async prepare() {
      await revoke(one, top, (await issue(one, top)).resource_id)
      numbers = []
      return [one, other].map(by => async () => void numbers.push((await list(by, top)).crl_number))
    },
    documented: ['OK, OK'],
    // Two servers sign one list.
    after: async () => expect(new Set(numbers).size).toBe(1),
  },
  {
    name: 'a revocation and a read of the list',
    async prepare() {
      const { resource_id: id } = await issue(one, top)
      return [() => revoke(one, top, id), () => list(other, top)]
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a deletion of a template and an issue by it',
    async prepare(round) {
      const certificate_template_id = await tenant.template(top, `gone-${round}`, {
        allowed_dns_names: ['*.acme.example'],
      })
      const path = { ...tenant.at, certificate_authority: top, id: certificate_template_id }
      return [() => one.deleteCertificateTemplate(path), () => issue(other, top, { certificate_template_id })]
    },
    documented: ['OK, OK', 'OK, TEMPLATE_NOT_FOUND'],
  },
  {
    name: 'a narrower template and an issue by it',
    async prepare(round) {
      const certificate_template_id = await tenant.template(top, `narrow-${round}`, {
        allowed_dns_names: ['*.acme.example'],
      })
      const path = { ...tenant.at, certificate_authority: top, id: certificate_template_id }
      const update = { ...path, update_mask: 'allowed_dns_names', body: { allowed_dns_names: ['a.example'] } }
      return [() => one.updateCertificateTemplate(update), () => issue(other, top, { certificate_template_id })]
    },
    documented: ['OK, OK', 'OK, NAME_NOT_ALLOWED'],
  },
  {
    name: 'two authorities with one version of a crypto key',
    count: slowRounds,
    async prepare(round) {
      const crypto_key_id = await tenant.create(`shared-${round}`, 'EC_P256_SHA256')
      const type = 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT'
      const body = { type, lifetime: '86400s', crypto_key_id } as const
      return [one, other].map((by, i) => () => {
        const own = { name: `sharing-${round}-${i}`, subject: { common_name: `Sharing ${i}` } }
        return by.createCertificateAuthority({ ...tenant.at, body: { ...body, ...own } })
      })
    },
    documented: ['OK, CRYPTO_KEY_IN_USE', 'CRYPTO_KEY_IN_USE, OK'],
  },
  {
    name: 'a disabling of the key of an authority and an issue',
    count: slowRounds,
    async prepare(round) {
      const { authority, key } = await pinned(`disabled-${round}`)
      return [() => disable(one, key), () => issue(other, authority)]
    },
    documented: ['OK, OK', 'OK, KEY_VERSION_DISABLED'],
  },
  {
    name: 'a disabling of the key of an authority and a read of the list that is due',
    count: slowRounds,
    async prepare(round) {
      const { authority, key } = await pinned(`unlisted-${round}`)
      return [() => disable(one, key), () => list(other, authority)]
    },
    documented: ['OK, OK', 'OK, KEY_VERSION_DISABLED'],
  },
  {
    name: 'a revocation of an authority and the destruction of its key',
    count: slowRounds,
    async prepare(round) {
      const { authority, key } = await pinned(`freed-${round}`)
      await one.rotateCryptoKey({ ...tenant.at, id: key, body: {} })
      return [
        () => revokeAuthority(one, authority),
        () => other.destroyCryptoKeyVersion({ ...tenant.at, cryptokey: key, id: '1', body: {} }),
      ]
    },
    documented: ['OK, OK', 'OK, CRYPTO_KEY_IN_USE'],
  },
]

describe('concurrent calls of certificates', () => {
  it.each(races)(
    '$name have documented outcomes',
    { timeout: 60_000 + rounds * 3000 },
    async ({ after, count = rounds, documented, prepare }) => {
      const outcomes = await race(count, prepare, after)
      expect([...outcomes.keys()].filter(outcome => !documented.includes(outcome))).toEqual([])
    },
  )

  it('leave serial numbers of their own, and lists with exactly the revoked certificates', async () => {
    const serials: string[] = []
    let revoked = 0
    const path = { ...tenant.at, certificate_authority: top, page_size: 100 }
    for await (const { serial_number, state } of one.iterateCertificates(path)) {
      serials.push(serial_number)
      if (state === 'VAULT_CERTIFICATE_STATE_REVOKED') revoked += 1
    }
    for await (const authority of one.iterateCertificateAuthorities({ ...tenant.at, page_size: 100 })) {
      const isRevoked = authority.state === 'VAULT_CERTIFICATE_AUTHORITY_STATE_REVOKED'
      if (authority.parent_certificate_authority_id === top && isRevoked) revoked += 1
    }
    expect(new Set(serials).size).toBe(serials.length)
    expect((await list(other, top)).revoked_count).toBe(revoked)
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})
