import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { CertificateInput, CertificateTemplateInput } from '../../../../../output/vault/types.ts'
import { testFolder } from '../../../../server/store/harness.ts'
import { tenantCertificates, type TenantCertificates } from '../tenant-certificates.ts'
import { pkilint, pkilintErrors, zlint, zlintErrors } from './lint-programs.ts'
import { afterTests } from '../../../../undo.ts'

const algorithms = [
  'EC_P256_SHA256',
  'EC_P384_SHA384',
  'ED25519',
  'RSA_PKCS1_3072_SHA256',
  'RSA_PKCS1_4096_SHA256',
  'RSA_PSS_3072_SHA256',
] as const

const reasons = [
  'UNSPECIFIED',
  'KEY_COMPROMISE',
  'CA_COMPROMISE',
  'AFFILIATION_CHANGED',
  'SUPERSEDED',
  'CESSATION_OF_OPERATION',
  'PRIVILEGE_WITHDRAWN',
] as const

const mirrors = {
  crl_urls: ['http://crl.acme.example/a.crl', 'http://crl2.acme.example/a.crl'],
  issuing_certificate_urls: ['http://crl.acme.example/a.crt'],
}

const constraints = {
  permitted_dns_names: ['acme.example'],
  excluded_dns_names: ['evil.example'],
  permitted_ip_ranges: ['10.0.0.0/8', '2001:db8::/32'],
  excluded_ip_ranges: ['10.255.0.0/16'],
  permitted_email_domains: ['acme.example'],
}

const names = {
  dns_names: ['*.acme.example', 'münchen.acme.example'],
  ip_addresses: ['10.1.1.1', '2001:db8::1'],
  uris: ['spiffe://acme.example/web'],
  email_addresses: ['web@acme.example'],
}

const subject = {
  common_name: 'web.acme.example',
  organization: 'Acme Ltd',
  organizational_unit: 'Web',
  country_code: 'DE',
  province: 'Bayern',
  locality: 'München',
}

const allNames = {
  allowed_dns_names: ['**.acme.example'],
  allow_wildcard_names: true,
  allowed_ip_ranges: ['10.0.0.0/8', '2001:db8::/32'],
  allowed_uri_prefixes: ['spiffe://acme.example/web'],
  allowed_email_domains: ['acme.example'],
  allow_subject_passthrough: true,
  policy_oids: ['1.3.6.1.4.1.99999.1', '1.3.6.1.4.1.99999.2'],
} as const satisfies Partial<CertificateTemplateInput>

/** A template that allows all usages of keys; each kind of key gets those that it can have. */
const allUsages = [
  'VAULT_KEY_USAGE_DIGITAL_SIGNATURE',
  'VAULT_KEY_USAGE_CONTENT_COMMITMENT',
  'VAULT_KEY_USAGE_KEY_ENCIPHERMENT',
  'VAULT_KEY_USAGE_DATA_ENCIPHERMENT',
  'VAULT_KEY_USAGE_KEY_AGREEMENT',
] as const

const publicKeys = {
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const

/**
 * Findings that stand for no fault: RFC 9525, 6.3 has wildcards in DNS names, and the syntax of URIs that pkilint knows has
 * no scheme of one's own, which RFC 5280, 4.2.1.6 allows.
 */
const known = [
  'pkix.invalid_domain_name_syntax (ERROR): Invalid domain name syntax: "*.acme.example"',
  'pkix.invalid_uri_syntax (ERROR): Invalid URI syntax: "spiffe://acme.example/web"',
]

let tenant: TenantCertificates
let files: readonly string[] = []

/** Writes the certificates of an authority and of its subordinate and leaf, and its lists before and after revocations. */
async function issueAll(put: (name: string, pem: string) => void): Promise<void> {
  const { admin, at, below, issue, root, template } = tenant
  const { vault } = admin.api
  const chain = async (id: string) => (await vault.getCertificateAuthority({ ...at, id })).pem_certificate
  const list = async (id: string) => (await vault.getCertificateRevocationList({ ...at, id })).pem_crl
  const leaf = async (name: string, certificate_authority: string, body: CertificateInput, round: number) => {
    const id = await issue(certificate_authority, body)
    put(`${name}-leaf`, (await vault.getCertificate({ ...at, certificate_authority, id })).pem_certificate)
    const reason = `VAULT_REVOCATION_REASON_${reasons[round % reasons.length] ?? 'UNSPECIFIED'}` as const
    await vault.revokeCertificate({ ...at, certificate_authority, id, body: { reason } })
  }
  for (const [round, short] of algorithms.entries()) {
    const name = short.toLowerCase().replaceAll('_', '-')
    const top = await root(name, { key_algorithm: `VAULT_CRYPTO_KEY_ALGORITHM_${short}`, ...mirrors })
    put(`${name}-root`, await chain(top))
    put(`${name}-sub`, await chain(await below(top, `${name}-sub`, { name_constraints: constraints })))
    put(`${name}-empty-crl`, await list(top))
    await leaf(name, top, { config: { subject }, private_key_secret_name: name }, round)
    put(`${name}-crl`, await list(top))
  }
  const long = { lifetime: '946080000s', max_path_length: 5, name_constraints: constraints }
  const top = await root('long', long)
  put('long-root', await chain(top))
  const wide = await template(top, 'wide', allNames)
  const used = { ...allNames, key_usages: [...allUsages], extended_key_usages: ['1.3.6.1.5.5.7.3.17'] }
  const usages = await template(top, 'usages', used)
  const stamps = await template(top, 'stamps', {
    ...allNames,
    extended_key_usages: ['VAULT_EXTENDED_KEY_USAGE_TIME_STAMPING'],
  })
  const keyed = Object.entries(publicKeys).map(([name, { publicKey }]) => [
    name,
    publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  ])
  const bodies: Readonly<Record<string, CertificateInput>> = {
    all: { certificate_template_id: wide, config: { subject, subject_alt_names: names } },
    'no-subject': { certificate_template_id: wide, config: { subject_alt_names: names } },
    stamps: { certificate_template_id: stamps, config: { subject } },
    person: { config: { subject: { common_name: 'Jane Doe' } } },
    ...Object.fromEntries(
      keyed.flatMap(([name, public_key_pem = '']) => [
        [`${name}-usages`, { certificate_template_id: usages, config: { subject, public_key_pem } }],
        [`${name}-plain`, { config: { subject, public_key_pem } }],
      ]),
    ),
  }
  for (const [round, [name, body]] of Object.entries(bodies).entries()) {
    const isMade = body.config?.public_key_pem === undefined
    await leaf(name, top, { ...body, ...(isMade && { private_key_secret_name: `key-of-${name}` }) }, round)
  }
  put('all-reasons-crl', await list(top))
}

beforeAll(async () => {
  if (zlint === undefined && pkilint === undefined) return
  tenant = await tenantCertificates({ later: afterTests })
  const folder = testFolder(afterTests)
  const written: string[] = []
  await issueAll((name, pem) => {
    const path = join(folder, `${name}.pem`)
    writeFileSync(path, pem)
    written.push(path)
  })
  files = written
}, 120_000)

test.skipIf(zlint === undefined)(
  'zlint finds no error in authorities, leaves and lists of every algorithm',
  async () => {
    expect(await zlintErrors(zlint ?? '', files)).toEqual([])
  },
  60_000,
)

test.skipIf(pkilint === undefined)(
  'pkilint finds no error in authorities, leaves and lists of every algorithm',
  async () => {
    const errors = await pkilintErrors(pkilint ?? '', files)
    expect(errors.filter(line => !known.some(each => line.endsWith(each)))).toEqual([])
    // The known findings show that pkilint has judged the names.
    for (const each of known) expect(errors.some(line => line.endsWith(each))).toBe(true)
  },
  120_000,
)
