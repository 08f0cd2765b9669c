import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { authorityCollection } from '../../../../domain/vault/certificates/authorities-store.ts'
import { listCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { patch } from '../../taxonomy/broken-store.ts'
import { tenantCertificates, type TenantCertificates } from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()
const config = { subject: { common_name: 'www.acme.example' }, public_key_pem }
const reason = 'VAULT_REVOCATION_REASON_SUPERSEDED'

const isSealed = {
  reason: 'VAULT_SEALED',
  code: 9_000_101,
  response: { status: 503, body: { code: 14 } },
  details: { retryAfterSeconds: 30 },
}

/** The rows that an unsealed server has left, and the calls on a server without a root key over the same store. */
interface Sealed {
  readonly first: TenantCertificates
  readonly platform: TestPlatform
  readonly vault: Ninefold['vault']
  readonly at: TenantCertificates['at']
  /** An authority with a signed list, a template and a live certificate. */
  readonly root: string
  readonly template: string
  readonly certificate: string
  /** An authority whose list was never signed, and one that waits for its certificate. */
  readonly unsigned: string
  readonly waiting: string
}

/** Makes the list of an authority one that was never signed. */
async function forgetSignature(place: StorePlace, authority: string): Promise<void> {
  const store = await openBeside(place, storeCollections(areas))
  await store.tx(async tx => {
    const list = await tx.get(listCollection, authority)
    if (!list) throw new Error('the list is absent')
    const { next_update_time: _next, this_update_time: _this, ...rest } = list.value
    const never = { crl_number: '', content: '', parts: 0, revoked_count: 0, is_dirty: true }
    await tx.update(listCollection, authority, { ...rest, ...never }, list.version)
    await patch(tx, authorityCollection, authority, { crl_number: '' })
  })
  await store.close()
}

let sealed: Sealed

beforeAll(async () => {
  const first = await tenantCertificates({ later: afterTests })
  const root = await first.root('root')
  const template = await first.template(root, 'web', { allowed_dns_names: ['*.acme.example'] })
  const certificate = await first.issue(root, { name: 'web', config })
  await first.admin.api.vault.getCertificateRevocationList({ ...first.at, id: root })
  const waiting = await first.below('', 'waiting')
  const { dataDir, storeUrl } = first.platform.config
  const unsigned = await first.root('unsigned')
  // The server that has the keys ends first, because its worker would sign the lists.
  await first.platform.close()
  await forgetSignature(first.platform.config, unsigned)
  const place = { dataDir, ...(storeUrl !== undefined && { storeUrl }), isDev: false }
  const platform = await testPlatform({ config: place, later: afterTests })
  const { vault } = (await platform.admin()).api
  sealed = { first, platform, vault, at: first.at, root, template, certificate, unsigned, waiting }
})

type Call = (sealed: Sealed) => Promise<unknown>

const authority = { name: 'late', type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT', lifetime: '86400s' } as const

const refused: readonly (readonly [name: string, call: Call])[] = [
  [
    'a new authority',
    ({ at, vault }) =>
      vault.createCertificateAuthority({ ...at, body: { ...authority, subject: { common_name: 'Late' } } }),
  ],
  [
    'the activation of an authority',
    ({ at, vault, waiting }) =>
      vault.createCertificateAuthority({
        ...at,
        body: { activation: { certificate_authority_id: waiting, pem_certificate_chain: ['none'] } },
      }),
  ],
  ['a body with faults', ({ at, vault }) => vault.createCertificateAuthority({ ...at, body: {} })],
  [
    'an issue',
    ({ at, root, vault }) => vault.createCertificate({ ...at, certificate_authority: root, body: { config } }),
  ],
  [
    'an issue with a pair of the platform',
    ({ at, root, vault }) =>
      vault.createCertificate({
        ...at,
        certificate_authority: root,
        body: { config: { subject: config.subject }, private_key_secret_name: 'late' },
      }),
  ],
  ['a snapshot', ({ vault }) => vault.takeSnapshot({ body: {} })],
]

const served: readonly (readonly [name: string, call: Call, shown: object])[] = [
  ['an authority', ({ at, root, vault }) => vault.getCertificateAuthority({ ...at, id: root }), { name: 'root' }],
  [
    'the authorities',
    ({ at, vault }) => vault.listCertificateAuthorities(at),
    { certificate_authorities: [{ name: 'root' }, { name: 'unsigned' }, { name: 'waiting' }] },
  ],
  [
    'a certificate',
    ({ at, certificate: id, root, vault }) => vault.getCertificate({ ...at, certificate_authority: root, id }),
    { name: 'web' },
  ],
  [
    'the certificates',
    ({ at, root, vault }) => vault.listCertificates({ ...at, certificate_authority: root }),
    { certificates: [{ name: 'web' }] },
  ],
  [
    'a template',
    ({ at, root, template: id, vault }) => vault.getCertificateTemplate({ ...at, certificate_authority: root, id }),
    { name: 'web' },
  ],
  [
    'the templates',
    ({ at, root, vault }) => vault.listCertificateTemplates({ ...at, certificate_authority: root }),
    { certificate_templates: [{ name: 'web' }] },
  ],
  [
    'the signed list',
    ({ at, root, vault }) => vault.getCertificateRevocationList({ ...at, id: root }),
    { revoked_count: 0 },
  ],
  [
    'a new template',
    ({ at, root, vault }) =>
      vault.createCertificateTemplate({ ...at, certificate_authority: root, body: { name: 'mail' } }),
    { operation_type: 'VAULT_OPERATION_TYPE_CREATE' },
  ],
  [
    'a change of a template',
    ({ at, root, template: id, vault }) =>
      vault.updateCertificateTemplate({
        ...at,
        certificate_authority: root,
        id,
        update_mask: 'description',
        body: { description: 'servers' },
      }),
    { operation_type: 'VAULT_OPERATION_TYPE_UPDATE' },
  ],
  [
    'a deletion of a template',
    ({ at, root, template: id, vault }) => vault.deleteCertificateTemplate({ ...at, certificate_authority: root, id }),
    { operation_type: 'VAULT_OPERATION_TYPE_DELETE' },
  ],
  [
    'a revocation',
    ({ at, certificate: id, root, vault }) =>
      vault.revokeCertificate({ ...at, certificate_authority: root, id, body: { reason } }),
    { operation_type: 'VAULT_OPERATION_TYPE_REVOKE' },
  ],
  [
    'the last list, though a revocation is absent from it',
    ({ at, root, vault }) => vault.getCertificateRevocationList({ ...at, id: root }),
    { revoked_count: 0 },
  ],
  [
    'a revocation of an authority that waits',
    ({ at, vault, waiting: id }) => vault.revokeCertificateAuthority({ ...at, id, body: { reason } }),
    { operation_type: 'VAULT_OPERATION_TYPE_REVOKE' },
  ],
]

describe('a sealed server', () => {
  it.each(refused)('refuses %s', async (_, call) => {
    await expect(call(sealed)).rejects.toMatchObject(isSealed)
  })

  it.each(served)('serves %s', async (_, call, shown) => {
    expect(await call(sealed)).toMatchObject(shown)
  })

  it('refuses a list that was never signed, on both paths, and serves the signed list to everyone', async () => {
    const { at, platform, root, unsigned, vault } = sealed
    const fetched = (id: string) => platform.from('192.0.2.7')(`http://platform.test/crl/${id}.crl`)
    expect((await fetched(root)).status).toBe(200)
    expect((await fetched(unsigned)).status).toBe(503)
    await expect(vault.getCertificateRevocationList({ ...at, id: unsigned })).rejects.toMatchObject(isSealed)
  })

  it('leaves a store in which the doctor finds nothing, and whose list an unsealed server signs', async () => {
    const { at, first, platform, root } = sealed
    expect(await doctorFindings(platform.config)).toEqual([])
    await platform.close()
    const { dataDir, storeUrl } = first.platform.config
    const unsealed = await testPlatform({ config: { dataDir, ...(storeUrl !== undefined && { storeUrl }) } })
    const { vault } = (await unsealed.admin()).api
    expect(await vault.getCertificateRevocationList({ ...at, id: root })).toMatchObject({ revoked_count: 1 })
  })
})
