import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import { expect, it } from 'vitest'
import {
  AttributeTypeAndValue,
  AttributeValue,
  Certificate as AsnCertificate,
  Extension,
  GeneralName,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  id_ce_subjectAltName,
} from '@peculiar/asn1-x509'
import { schemes } from '../../../../../domain/vault/keys/schemes.ts'
import { signatureOf } from '../../../../../domain/vault/keys/signatures.ts'
import { basicConstraints, keyUsage } from '../../../../../domain/vault/certificates/x509/extensions.ts'
import { derOfPem, pemOf } from '../../../../../domain/vault/certificates/x509/pem.ts'
import { signedRequest } from '../../../../../domain/vault/certificates/x509/signing-request.ts'
import type { CertificateTemplateInput } from '../../../../../output/vault/types.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { tenantCertificates } from '../tenant-certificates.ts'

const rounds = Number(process.env['NINEFOLD_MUTATED_REQUESTS'] ?? 300)
const seed = Number(process.env['NINEFOLD_FUZZED_SEED'] ?? Date.now())

const scheme = schemes.VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256

/** Names that attackers and typists write: allowed, forbidden and malformed. */
const hosts = [
  'a.acme.example',
  '*.acme.example',
  'acme.example',
  'x.y.acme.example',
  'evil.example',
  'A.ACME.EXAMPLE',
  'a.acme.example.',
  'a.acme.example\0.evil.example',
  'evil.example\0.acme.example',
  ' a.acme.example',
  'xn--a.acme.example',
  '192.0.2.1',
  'a_b.acme.example',
  '',
  '.acme.example',
  `${'a'.repeat(70)}.acme.example`,
  'Jane Doe',
]

const otherNames = [
  new GeneralName({ iPAddress: '10.1.2.3' }),
  new GeneralName({ iPAddress: '11.1.2.3' }),
  new GeneralName({ iPAddress: '::ffff:a01:203' }),
  new GeneralName({ uniformResourceIdentifier: 'spiffe://acme.example/team/web' }),
  new GeneralName({ uniformResourceIdentifier: 'spiffe://acme.example/team/../admin' }),
  new GeneralName({ uniformResourceIdentifier: 'spiffe://acme.example.evil.example/team' }),
  new GeneralName({ rfc822Name: 'a@acme.example' }),
  new GeneralName({ rfc822Name: 'a@evil.example' }),
  new GeneralName({ registeredID: '1.2.3.4' }),
]

const templates: readonly CertificateTemplateInput[] = [
  { name: 'one-label', allowed_dns_names: ['*.acme.example'] },
  { name: 'wildcards', allowed_dns_names: ['*.acme.example'], allow_wildcard_names: true },
  {
    name: 'all-kinds',
    allowed_dns_names: ['**.acme.example'],
    allowed_ip_ranges: ['10.0.0.0/8'],
    allowed_uri_prefixes: ['spiffe://acme.example/team'],
    allowed_email_domains: ['acme.example'],
    allow_subject_passthrough: true,
    maximum_lifetime: '3600s',
    predefined_subject: { organization: 'Acme Ltd' },
  },
  { name: 'nothing' },
]

/** Returns a request that is signed by its key, with random names and with extensions that no leaf may have. */
function randomRequest(random: Random, keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }) {
  const attribute = (type: string, text: string) =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: text }) }),
    ])
  const subject = [
    ...(random.percent(70) ? [attribute('2.5.4.3', random.oneOf(hosts))] : []),
    ...(random.percent(10) ? [attribute('2.5.4.3', 'evil.example')] : []),
    ...(random.percent(20) ? [attribute('2.5.4.10', 'Evil Ltd')] : []),
    ...(random.percent(5) ? [attribute('1.2.840.113549.1.9.1', 'a@evil.example')] : []),
  ]
  const names = Array.from({ length: random.below(4) }, () =>
    random.percent(70) ? new GeneralName({ dNSName: random.oneOf(hosts) }) : random.oneOf(otherNames),
  )
  const value = new OctetString(AsnConvert.serialize(new SubjectAlternativeName(names)))
  const extensions = [
    ...(names.length > 0 ? [new Extension({ extnID: id_ce_subjectAltName, critical: false, extnValue: value })] : []),
    ...(random.percent(50) ? [basicConstraints(3), keyUsage(['VAULT_KEY_USAGE_CERT_SIGN'])] : []),
    ...(random.percent(20)
      ? [new Extension({ extnID: '1.2.3.4.5', critical: true, extnValue: new OctetString(Buffer.from('3000', 'hex')) })]
      : []),
  ]
  const content = {
    subject: Buffer.from(AsnConvert.serialize(new Name(subject))),
    publicKey: keys.publicKey,
    extensions,
  }
  return signedRequest(content, scheme, async bytes => signatureOf(scheme, keys.privateKey, { data: bytes }, 'der'))
}

/** Returns a request with some bytes changed, cut off or added. */
function damaged(random: Random, pem: string): string {
  const der = Buffer.from(derOfPem(pem, 'CERTIFICATE REQUEST') ?? [])
  for (let i = random.below(3); i >= 0; i -= 1) der[random.below(der.length)] = random.below(256)
  if (random.percent(20)) return pemOf('CERTIFICATE REQUEST', der.subarray(0, random.below(der.length)))
  return pemOf('CERTIFICATE REQUEST', random.percent(10) ? Buffer.concat([der, Buffer.of(0)]) : der)
}

/** Whether the template with this name allows a name of a certificate, judged without the code of the platform. */
function isAllowed(template: string, name: string): boolean {
  const [kind = '', text = ''] = name.split(/:(.*)/s)
  if (template === 'nothing') return false
  if (kind === 'DNS') {
    if (template === 'all-kinds') return /^(?:[a-z0-9-]+\.)+acme\.example$/.test(text)
    return /^[a-z0-9-]+\.acme\.example$/.test(text) || (template === 'wildcards' && text === '*.acme.example')
  }
  if (template !== 'all-kinds') return false
  if (kind === 'IP Address') return /^10\.\d+\.\d+\.\d+$/.test(text)
  if (kind === 'URI') return /^spiffe:\/\/acme\.example\/team(?:\/[^.]*)?$/.test(text)
  return kind === 'email' && /^[^@]+@acme\.example$/.test(text)
}

/** Returns the faults of a certificate outside of its template. */
function faultsOf(template: string, pem: string): readonly string[] {
  const read = new X509Certificate(pem)
  const ids = AsnConvert.parse(read.raw, AsnCertificate).tbsCertificate.extensions?.map(({ extnID }) => extnID) ?? []
  const names = read.subjectAltName?.split(', ') ?? []
  const common = /^CN=(.*)$/m.exec(read.subject)?.[1]
  const organization = /^O=(.*)$/m.exec(read.subject)?.[1]
  return [
    ...(read.ca ? ['is an authority'] : []),
    ...ids.filter(id => !['19', '15', '37', '14', '35', '17', '31'].includes(id.replace(/^2\.5\.29\./, ''))),
    ...names.filter(name => !isAllowed(template, name)),
    ...(common?.includes('.') && !names.includes(`DNS:${common}`) && !names.includes(`IP Address:${common}`)
      ? [`has the common name ${common}`]
      : []),
    ...(organization !== undefined && organization !== 'Acme Ltd' ? [`has the organization ${organization}`] : []),
  ]
}

it('issues nothing outside of a template, whatever a request asks for', async () => {
  const { admin, at, root, template } = await tenantCertificates()
  const random = seeded(seed)
  const certificate_authority = await root('root')
  const ids = new Map<string, string>()
  for (const body of templates) ids.set(body.name, await template(certificate_authority, body.name, body))
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let issued = 0
  for (let round = 0; round < rounds; round += 1) {
    const name = random.oneOf([...ids.keys()])
    const made = await randomRequest(random, keys)
    const pem_csr = random.percent(40) ? damaged(random, made) : made
    const body = {
      pem_csr,
      certificate_template_id: ids.get(name) ?? '',
      ...(random.percent(20) && { lifetime: '7200s' }),
    }
    try {
      const { resource_id: id } = await admin.api.vault.createCertificate({ ...at, certificate_authority, body })
      const { pem_certificate } = await admin.api.vault.getCertificate({ ...at, certificate_authority, id })
      issued += 1
      expect(faultsOf(name, pem_certificate), `seed ${seed}, round ${round}, ${name}: ${pem_csr}`).toEqual([])
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { message, rpc } = error
      expect(rpc, `seed ${seed}, round ${round}, ${message}: ${pem_csr}`).toBe('INVALID_ARGUMENT')
    }
  }
  expect(issued).toBeGreaterThan(rounds / 100)
}, 600_000)
