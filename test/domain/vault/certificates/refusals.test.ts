import { X509Certificate, generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, it, test } from 'vitest'
import type {
  CertificateAuthorityInput,
  CertificateInput,
  CertificateTemplateInput,
} from '../../../../output/vault/types.ts'
import { childrenOf, derBitString, derSequence, elementAt } from '../../../../domain/vault/certificates/x509/der.ts'
import { pemOf } from '../../../../domain/vault/certificates/x509/pem.ts'
import { absentId } from '../../../areas/members.ts'
import { tenantCertificates, type TenantCertificates } from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

let tenant: TenantCertificates
let count = 0

beforeAll(async () => {
  tenant = await tenantCertificates({ later: afterTests })
})

const next = (): string => `made-${(count += 1)}`

const publicKey = (bits: number): string =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'pem', type: 'spki' }).toString()

const ecPair = (namedCurve: string, paramEncoding: 'named' | 'explicit') =>
  generateKeyPairSync('ec', { namedCurve, paramEncoding }).publicKey

/** A key that spells the parameters of its curve out, which clients refuse in a certificate. */
const spelledCurve = (curve: string): string =>
  ecPair(curve, 'explicit').export({ format: 'pem', type: 'spki' }).toString()

/** A key of a named curve whose point has one coordinate. */
function compressedPoint(curve: string): string {
  const der = ecPair(curve, 'named').export({ format: 'der', type: 'spki' })
  const [, algorithm, bits] = parts(der)
  const point = bits?.content.subarray(1) ?? Buffer.alloc(0)
  const size = (point.length - 1) / 2
  const short = Buffer.concat([Uint8Array.of(2 + ((point.at(-1) ?? 0) & 1)), point.subarray(1, 1 + size)])
  return pemOf('PUBLIC KEY', derSequence(algorithm?.bytes ?? Buffer.alloc(0), derBitString(short)))
}

function parts(der: Buffer) {
  const root = elementAt(der, 0)
  return [root, ...childrenOf(root)] as const
}

const givenKey = (public_key_pem: string): CertificateInput => ({
  config: { subject: { common_name: 'a' }, public_key_pem },
})

const named = (common_name: string): CertificateInput => ({ config: { subject: { common_name } } })

interface Refusal {
  readonly authority?: Partial<CertificateAuthorityInput>
  readonly template?: Partial<CertificateTemplateInput>
  readonly body: CertificateInput
}

test.each<readonly [string, number, Refusal]>([
  ['TEMPLATE_REQUIRED', 9_007_009, { authority: { require_template: true }, body: named('a.example') }],
  ['TEMPLATE_NOT_FOUND', 9_008_001, { body: { ...named('a.example'), certificate_template_id: absentId } }],
  ['LIFETIME_EXCEEDS_ISSUER', 9_007_007, { body: { ...named('a.example'), lifetime: '320000000s' } }],
  [
    'LIFETIME_EXCEEDS_ISSUER',
    9_007_007,
    { authority: { maximum_lifetime: '3600s' }, body: { ...named('a.example'), lifetime: '3601s' } },
  ],
  [
    'LIFETIME_EXCEEDS_TEMPLATE',
    9_007_008,
    {
      template: { allowed_dns_names: ['a.example'], maximum_lifetime: '3600s' },
      body: { ...named('a.example'), lifetime: '3601s' },
    },
  ],
  ['NAME_NOT_ALLOWED', 9_007_006, { template: { allowed_dns_names: ['b.example'] }, body: named('a.example') }],
  ['NAME_NOT_ALLOWED', 9_007_006, { template: { allowed_dns_names: ['b.example'] }, body: named('Jane Doe') }],
  [
    'NAME_NOT_ALLOWED',
    9_007_006,
    { authority: { name_constraints: { permitted_dns_names: ['acme.example'] } }, body: named('*.evil.com') },
  ],
  [
    'ALGORITHM_NOT_ALLOWED',
    9_003_006,
    {
      template: {
        allowed_dns_names: ['a.example'],
        allowed_key_algorithms: ['VAULT_CRYPTO_KEY_ALGORITHM_ED25519'],
      },
      body: named('a.example'),
    },
  ],
  [
    'ALGORITHM_NOT_ALLOWED',
    9_003_006,
    {
      template: { allowed_dns_names: ['a.example'], key_usages: ['VAULT_KEY_USAGE_KEY_ENCIPHERMENT'] },
      body: named('a.example'),
    },
  ],
  ['WEAK_KEY', 9_007_005, { body: { config: { subject: { common_name: 'a' }, public_key_pem: publicKey(1024) } } }],
  ...(['prime256v1', 'secp384r1', 'secp521r1'] as const).map(
    curve => ['WEAK_KEY', 9_007_005, { body: givenKey(spelledCurve(curve)) }] as const,
  ),
  ...(['prime256v1', 'secp384r1', 'secp521r1'] as const).map(
    curve => ['WEAK_KEY', 9_007_005, { body: givenKey(compressedPoint(curve)) }] as const,
  ),
  ['CSR_INVALID', 9_007_004, { body: { pem_csr: 'no request' } }],
  ['FIELD_INVALID', 9_000_010, { body: { config: {} } }],
])('refuses a certificate with %s', async (reason, code, { authority, body, template }) => {
  const certificate_authority = await tenant.root(next(), authority)
  const certificate_template_id = template ? await tenant.template(certificate_authority, next(), template) : undefined
  const isMade = body.config !== undefined && body.config.public_key_pem === undefined
  const whole = {
    ...(isMade && { private_key_secret_name: next() }),
    ...(certificate_template_id !== undefined && { certificate_template_id }),
    ...body,
  }
  await expect(tenant.issue(certificate_authority, whole)).rejects.toMatchObject({
    reason,
    code,
    response: { status: 400, body: { code: 3 } },
  })
})

it('refuses the key of an authority of the chain', async () => {
  const { admin, at, create, root } = tenant
  const { vault } = admin.api
  const crypto_key_id = await create(next(), 'EC_P256_SHA256')
  const { public_key_pem } = await vault.getCryptoKeyVersion({ ...at, cryptokey: crypto_key_id, id: '1' })
  const top = await root(next(), { crypto_key_id })
  const config = { subject: { common_name: 'a.example' }, public_key_pem }
  await expect(tenant.issue(top, { config })).rejects.toMatchObject({ reason: 'CSR_INVALID', code: 9_007_004 })
})

it('issues nothing with a version of a crypto key that is disabled', async () => {
  const { admin, at, create, root } = tenant
  const crypto_key_id = await create(next(), 'EC_P256_SHA256')
  const top = await root(next(), { crypto_key_id })
  await admin.api.vault.disableCryptoKeyVersion({ ...at, cryptokey: crypto_key_id, id: '1', body: {} })
  const body = { ...named('a.example'), private_key_secret_name: next() }
  await expect(tenant.issue(top, body)).rejects.toMatchObject({ reason: 'KEY_VERSION_DISABLED', code: 9_004_002 })
})

it('overwrites the subject by the template, and takes only an allowed common name of a request', async () => {
  const { admin, at, issue, root, template } = tenant
  const top = await root(next())
  const certificate_template_id = await template(top, next(), {
    allowed_dns_names: ['*.acme.example'],
    predefined_subject: { organization: 'Acme Ltd' },
  })
  const subject = { common_name: 'web.acme.example', organization: 'Evil Ltd', locality: 'Evil City' }
  const body = { config: { subject }, certificate_template_id, private_key_secret_name: next() }
  const id = await issue(top, body)
  const leaf = await admin.api.vault.getCertificate({ ...at, certificate_authority: top, id })
  expect(leaf.subject).toMatchObject({ common_name: 'web.acme.example', organization: 'Acme Ltd', locality: '' })
  expect(leaf.dns_names).toEqual(['web.acme.example'])
  expect(Date.parse(leaf.not_after_time) - Date.parse(leaf.not_before_time)).toBe(2_592_060_000)
})

test.each(['crl_urls', 'issuing_certificate_urls'] as const)(
  '%s are URLs that a certificate can hold',
  async member => {
    const urls = [
      'http://\u00e9.example/',
      'http://a.example/\u0169',
      'http://a.example/\u202e',
      'http://a/"',
      'http://[::1/',
    ]
    for (const url of urls)
      await expect(tenant.root(next(), { [member]: ['http://a.example/', url] })).rejects.toMatchObject({
        reason: 'FIELD_INVALID',
        details: { badRequest: [{ field: `${member}[1]` }] },
      })
    const url = 'http://xn--9ca.example:8080/%C3%A9?a=b'
    const { admin, at, issue, root } = tenant
    const certificate_authority = await root(next(), { [member]: [url] })
    const config = { subject: { common_name: 'a.example' } }
    const id = await issue(certificate_authority, { config, private_key_secret_name: next() })
    const { pem_certificate } = await admin.api.vault.getCertificate({ ...at, certificate_authority, id })
    expect(new X509Certificate(pem_certificate).raw.includes(url, undefined, 'latin1')).toBe(true)
  },
)
