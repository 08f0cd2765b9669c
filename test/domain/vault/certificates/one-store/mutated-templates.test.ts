import { X509Certificate } from 'node:crypto'
import { BlockList, isIPv4 } from 'node:net'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate as AsnCertificate, KeyUsage } from '@peculiar/asn1-x509'
import { expect, it } from 'vitest'
import { usageFlags } from '../../../../../domain/vault/certificates/x509/extensions.ts'
import type { CertificateTemplate, KeyUsageInput } from '../../../../../output/vault/types.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { baseUrl } from '../../../../areas/open-platform.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { tenantCertificates } from '../tenant-certificates.ts'

const rounds = Number(process.env['NINEFOLD_MUTATED_REQUESTS'] ?? 300)
const seed = Number(process.env['NINEFOLD_FUZZED_SEED'] ?? Date.now())

/** Values of each member of a template: fitting, wrong by little, and of another type. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  maximum_lifetime: ['300s', '3600s', '299s', '-1s', '946080001s', '1e9s', '', 3600, null, '3600.5s'],
  default_lifetime: ['300s', '600s', '7200s', '0s', '9'.repeat(30), null],
  key_usages: [
    ['VAULT_KEY_USAGE_DIGITAL_SIGNATURE'],
    ['VAULT_KEY_USAGE_KEY_AGREEMENT', 'VAULT_KEY_USAGE_CONTENT_COMMITMENT'],
    ['VAULT_KEY_USAGE_KEY_ENCIPHERMENT'],
    ['VAULT_KEY_USAGE_CERT_SIGN'],
    ['VAULT_KEY_USAGE_DIGITAL_SIGNATURE', 'VAULT_KEY_USAGE_CRL_SIGN'],
    ['VAULT_KEY_USAGE_UNSPECIFIED'],
    [],
    'VAULT_KEY_USAGE_DIGITAL_SIGNATURE',
  ],
  extended_key_usages: [
    ['VAULT_EXTENDED_KEY_USAGE_CLIENT_AUTH'],
    ['VAULT_EXTENDED_KEY_USAGE_TIME_STAMPING', '1.2.3.4'],
    ['1.3.6.1.5.5.7.3.17'],
    ['2.5.29.37.0'],
    ['3.1.1'],
    ['1.2.2147483648'],
    ['1..2'],
    ['VAULT_EXTENDED_KEY_USAGE_EVERYTHING'],
    [],
  ],
  allowed_key_algorithms: [
    [],
    ['VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256'],
    ['VAULT_CRYPTO_KEY_ALGORITHM_ED25519'],
    ['VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256'],
  ],
  allowed_dns_names: [
    ['*.acme.example'],
    ['**.acme.example'],
    ['a.acme.example', '*.b.acme.example'],
    ['*'],
    ['**'],
    ['***.acme.example'],
    ['*.*.acme.example'],
    ['a.*.example'],
    ['*acme.example'],
    ['.acme.example'],
    ['**.'],
    ['*.example.'],
    ['acme.example\u0000'],
    ['*.ACME.example'],
    ['*.10.0.0.1'],
    [''],
    'a.acme.example',
  ],
  allow_wildcard_names: [true, false, 'true', 1],
  allowed_ip_ranges: [
    ['10.0.0.0/8'],
    ['10.1.0.0/16', '2001:db8::/32'],
    ['0.0.0.0/0'],
    ['10.0.0.1/8'],
    ['10.0.0.0/33'],
    ['10.0.0.0'],
    ['10.0.0.0/-1'],
    ['::ffff:10.0.0.0/104'],
    ['010.0.0.0/8'],
    ['/8'],
  ],
  allowed_uri_prefixes: [
    ['spiffe://acme.example/team'],
    ['spiffe://acme.example/team/'],
    ['spiffe://acme.example'],
    ['spiffe://'],
    ['spiffe:'],
    ['spiffe://acme.example/../'],
    ['//acme.example/'],
    ['SPIFFE://ACME.example/team'],
    ['spiffe://acme.example/team?x'],
  ],
  allowed_email_domains: [['acme.example'], ['ACME.example'], ['*.acme.example'], ['@acme.example'], ['example'], ['']],
  allow_subject_passthrough: [true, false, null],
  predefined_subject: [
    { organization: 'Acme Ltd' },
    { organization: '', country_code: 'DE' },
    { country_code: 'de' },
    { common_name: 'evil.example' },
    { organization: 'x'.repeat(65) },
    { organization: 'Acme\u0000' },
  ],
  policy_oids: [['1.2.3'], ['1.2.3', '1.2.3'], ['2.999.1'], ['1.40.1'], ['0'], ['']],
}

const names = {
  dns_names: [
    'a.acme.example',
    '*.acme.example',
    'x.b.acme.example',
    'acme.example',
    'evil.example',
    'a.acme.example.evil.example',
  ],
  ip_addresses: ['10.1.2.3', '11.1.2.3', '2001:db8::1', '2001:db9::1'],
  uris: [
    'spiffe://acme.example/team/web',
    'spiffe://acme.example/team',
    'spiffe://acme.example/teams',
    'spiffe://acme.example.evil.example/team',
    'https://acme.example/team',
  ],
  email_addresses: ['a@acme.example', 'a@b.acme.example', 'a@evil.example'],
} as const

/** Returns one of the first two values in nine of ten cases, because one bad value refuses the whole body. */
const oftenFirst = <T>(random: Random, list: readonly T[]): T =>
  random.oneOf(random.percent(90) ? list.slice(0, 2) : list)

function randomTemplate(random: Random): Readonly<Record<string, unknown>> {
  const members = Object.keys(values).filter(() => random.percent(50))
  return Object.fromEntries(members.map(member => [member, oftenFirst(random, values[member] ?? [])]))
}

function randomConfig(random: Random) {
  const some = (of: readonly string[]): string[] => (random.percent(35) ? [oftenFirst(random, of)] : [])
  return {
    subject: {
      ...(random.percent(50) && { common_name: oftenFirst(random, [...names.dns_names, 'Jane Doe']) }),
      ...(random.percent(40) && { organization: 'Evil Ltd' }),
    },
    subject_alt_names: {
      dns_names: some(names.dns_names),
      ip_addresses: some(names.ip_addresses),
      uris: some(names.uris),
      email_addresses: some(names.email_addresses),
    },
    key_algorithm: random.oneOf([
      'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
      'VAULT_CRYPTO_KEY_ALGORITHM_ED25519',
    ] as const),
  }
}

/** Whether a template allows a name of a certificate, judged without the code of the platform. */
function isAllowed(template: CertificateTemplate, name: string): boolean {
  const [kind = '', text = ''] = name.split(/:(.*)/s)
  if (kind === 'DNS') {
    if (text.startsWith('*') && !template.allow_wildcard_names) return false
    return template.allowed_dns_names.some(pattern => {
      const [stars = '', host = ''] = pattern.split(/(?<=\*)\.(.*)/s)
      if (!stars.startsWith('*')) return pattern === text
      const below = text.endsWith(`.${host}`) ? text.slice(0, -host.length - 1) : ''
      return below !== '' && (stars === '**' || !below.includes('.'))
    })
  }
  if (kind === 'IP Address') {
    const ranges = new BlockList()
    for (const range of template.allowed_ip_ranges) {
      const [address = '', prefix] = range.split('/')
      ranges.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6')
    }
    return ranges.check(text, isIPv4(text) ? 'ipv4' : 'ipv6')
  }
  if (kind === 'URI')
    return template.allowed_uri_prefixes.some(prefix => `${text}/`.startsWith(prefix.replace(/\/?$/, '/')))
  return kind === 'email' && template.allowed_email_domains.some(domain => text.endsWith(`@${domain}`))
}

/** Returns the faults of a certificate outside of its template. */
function faultsOf(template: CertificateTemplate, pem: string): readonly string[] {
  const read = new X509Certificate(pem)
  const extensions = AsnConvert.parse(read.raw, AsnCertificate).tbsCertificate.extensions ?? []
  const usage = extensions.find(({ extnID }) => extnID === '2.5.29.15')
  const flags = usage ? AsnConvert.parse(usage.extnValue, KeyUsage).toNumber() : 0
  const allowed = template.key_usages.reduce((sum, each) => sum | (isKnown(each) ? usageFlags[each] : 0), 0)
  const organization = /^O=(.*)$/m.exec(read.subject)?.[1]
  const common = /^CN=(.*)$/m.exec(read.subject)?.[1]
  const alternative = read.subjectAltName?.split(', ') ?? []
  const wanted = template.predefined_subject?.organization ?? ''
  const lifeMs = read.validToDate.getTime() - read.validFromDate.getTime() - 60_000
  return [
    ...(read.ca ? ['is an authority'] : []),
    ...(flags === 0 || (flags & ~allowed) !== 0 ? [`has the key usages ${flags}`] : []),
    ...(lifeMs > Number.parseInt(template.maximum_lifetime, 10) * 1000 ? [`lives ${lifeMs} ms`] : []),
    ...alternative.filter(name => !isAllowed(template, name)),
    ...(common !== undefined && !template.allow_subject_passthrough && !isAllowed(template, `DNS:${common}`)
      ? [`has the common name ${common}`]
      : []),
    ...(organization !== undefined && organization !== wanted && !template.allow_subject_passthrough
      ? [`has the organization ${organization}`]
      : []),
    ...(wanted !== '' && organization !== wanted ? ['has not the organization of the template'] : []),
  ]
}

const isKnown = (usage: string): usage is KeyUsageInput => Object.hasOwn(usageFlags, usage)

it('issues nothing outside of a template, whatever the template says', async () => {
  const { admin, at, platform, root } = await tenantCertificates()
  const { vault } = admin.api
  const random = seeded(seed)
  const path = { ...at, certificate_authority: await root('root') }
  const target = `${baseUrl}/vault/v1/workspaces/${at.workspace}/engines/native/certificateAuthorities/${path.certificate_authority}/certificateTemplates`
  let [accepted, issued] = [0, 0]
  for (let round = 0; round < rounds; round += 1) {
    const sent = { name: `t-${round}`, ...randomTemplate(random) }
    const place = `seed ${seed}, round ${round}: ${JSON.stringify(sent)}`
    const answer = await platform.from('192.0.2.7')(target, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
    const { code, resource_id: id }: { readonly code?: number; readonly resource_id?: string } = await answer.json()
    if (id === undefined) {
      expect([answer.status, code], place).toEqual([400, 3])
      continue
    }
    accepted += 1
    const template = await vault.getCertificateTemplate({ ...path, id })
    for (let n = 0; n < 1; n += 1) {
      const config = randomConfig(random)
      const body = { config, certificate_template_id: id, private_key_secret_name: `key-${round}-${n}` }
      try {
        const { resource_id } = await vault.createCertificate({ ...path, body })
        const { pem_certificate } = await vault.getCertificate({ ...path, id: resource_id })
        issued += 1
        expect(faultsOf(template, pem_certificate), `${place}, ${JSON.stringify(config)}`).toEqual([])
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        expect(error.rpc, `${place}, ${error.message}`).toBe('INVALID_ARGUMENT')
      }
    }
  }
  expect(accepted).toBeGreaterThan(rounds / 20)
  expect(issued).toBeGreaterThan(0)
}, 900_000)
