import { beforeAll, describe, expect, it } from 'vitest'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { seeded } from '../../../areas/random.ts'
import { base64, keyCalls } from '../keys/tenant-keys.ts'
import { tenantCapsules, type TenantCapsules } from '../capsules/tenant-capsules.ts'
import { absentId } from '../../../areas/members.ts'
import { certificateCalls } from '../certificates/tenant-certificates.ts'
import { formsOf, storedBy } from '../stored-texts.ts'
import { afterTests } from '../../../undo.ts'

/** The number of random requests; `NINEFOLD_VAULT_HOSTILE=10000 npx vitest run test/domain/vault/one-store` */
const requests = Number(process.env['NINEFOLD_VAULT_HOSTILE'] ?? 400)

/** Texts that no log, error, activity or row may have, in any form. */
const marks = ['mark-of-the-plaintext', 'mark-of-the-"capsule"', 'mark-of-the-passphrase']
const [plaintext = '', payload = '', passphrase = ''] = marks

let tenant: TenantCapsules
let key: string
let mac: string
let capsule: string
let authority: string

beforeAll(async () => {
  tenant = await tenantCapsules({ later: afterTests })
  const { create } = keyCalls(tenant.admin, tenant.workspace)
  key = await create('target', 'AES_256_GCM')
  mac = await create('mac', 'HMAC_SHA256')
  authority = await certificateCalls({ ...tenant, at: { workspace: tenant.workspace, engine: 'native' } }).root('root')
  capsule = (await tenant.create(payload, { passphrase })).id
})

const values: readonly unknown[] = [
  null,
  true,
  -1,
  2 ** 53,
  1.5,
  '',
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  "'; DROP TABLE vault_crypto_keys; --",
  '__proto__',
  '9'.repeat(40),
  '1',
  '0',
  'vault:v1:',
  'vault:v99999999999999999999:AAAA',
  `vault:v1:${'A'.repeat(200)}`,
  base64(plaintext),
  `cap1.${'A'.repeat(43)}`,
  passphrase,
  '-1s',
  '86400s',
  '9999-12-31T23:59:59Z',
  'VAULT_CRYPTO_KEY_PURPOSE_MAC',
  'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA512',
  [],
  [[]],
  {},
  { data: base64(payload) },
  { data: base64(payload), data_crc32c: 1 },
  { sha256: 'AAAA' },
  { secret_id: '../x', version: '__proto__' },
  { constructor: '1' },
  { common_name: '\u0000' },
  { public_key_pem: `-----BEGIN PUBLIC KEY-----\n${base64(payload)}\n-----END PUBLIC KEY-----` },
  { certificate_authority_id: '__proto__', pem_certificate_chain: [base64(payload)] },
  [`-----BEGIN CERTIFICATE REQUEST-----\n${base64(plaintext)}\n-----END CERTIFICATE REQUEST-----`],
  `-----BEGIN CERTIFICATE REQUEST-----\n${base64(plaintext)}\n-----END CERTIFICATE REQUEST-----`,
]

const members = [
  'name',
  'labels',
  'purpose',
  'algorithm',
  'protection_level',
  'primary_version',
  'rotation_period',
  'next_rotation_time',
  'destroy_scheduled_duration',
  'plaintext',
  'plaintext_crc32c',
  'additional_authenticated_data',
  'ciphertext',
  'key_version',
  'key_size_bytes',
  'include_plaintext',
  'data',
  'digest',
  'mac',
  'signature',
  'signature_encoding',
  'length_bytes',
  'disabled',
  'etag',
  'payload',
  'source',
  'content_type',
  'passphrase',
  'recipient_principal_id',
  'expire_time',
  'ttl',
  'max_attempts',
  'token',
  'reason',
  'type',
  'subject',
  'lifetime',
  'name_constraints',
  'activation',
  'crl_urls',
  'max_path_length',
  'key_usages',
  'extended_key_usages',
  'allowed_dns_names',
  'policy_oids',
  'maximum_lifetime',
  'pem_csr',
  'config',
  'private_key_secret_name',
  'certificate_template_id',
  '__proto__',
]

function paths(): readonly (readonly [method: string, path: string])[] {
  const base = `/vault/alpha/workspaces/${tenant.workspace}/engines/native`
  const keys = `${base}/cryptoKeys`
  const authorities = `/vault/v1/workspaces/${tenant.workspace}/engines/native/certificateAuthorities`
  const uses = ['decrypt', 'encrypt', 'generateDataEncryptionKey', 'hmac', 'reEncrypt', 'sign', 'verify', 'rotate']
  return [
    ['POST', keys],
    ['PATCH', `${keys}/${key}`],
    ['PATCH', `${keys}/${key}?update_mask=primary_version,rotation_period`],
    ['DELETE', `${keys}/${key}?etag=${'%00'.repeat(3)}`],
    ...uses.flatMap(use => [key, mac].map(id => ['POST', `${keys}/${id}:${use}`] as const)),
    ['POST', `${keys}:generateRandomBytes`],
    ['POST', `${keys}/${key}/versions/1:disable`],
    ['POST', `${keys}/${key}/versions/__proto__:destroy`],
    ['POST', `${keys}/${key}/versions/${'9'.repeat(30)}:cancelDestroy`],
    ['GET', `${keys}/${key}/versions/${encodeURIComponent('../1')}`],
    ['GET', `${keys}/%00`],
    ['GET', `${keys}?filter=next_rotation_time%20%3E%201`],
    ['POST', `${base}/capsules`],
    ['POST', `${base}/capsules/${encodeURIComponent('../x')}:revoke`],
    ['GET', `${base}/capsules?filter=state%20%3E%201`],
    ['GET', `/vault/alpha/capsules/${capsule}`],
    ['GET', '/vault/alpha/capsules/%00'],
    ['POST', `/vault/alpha/capsules/${capsule}:redeem`],
    ['POST', authorities],
    ['GET', `${authorities}?filter=not_after_time%20%3E%201`],
    ['GET', `${authorities}/%00/crl`],
    ...[authority, absentId, '__proto__', encodeURIComponent('../x')].flatMap(id =>
      [':revoke', '/certificates', '/certificateTemplates', '/certificates/__proto__:revoke'].map(
        end => ['POST', `${authorities}/${id}${end}`] as const,
      ),
    ),
    ['GET', `${authorities}/${authority}/certificates?filter=dns_names%3A%22%00%22`],
    ['PATCH', `${authorities}/${authority}/certificateTemplates/${absentId}?update_mask=key_usages`],
  ]
}

describe('hostile input of keys, capsules and certificates', () => {
  it(
    'is answered with documented errors, and leaves no payload in the log, errors, activities and rows',
    { timeout: 60_000 + requests * 20 },
    async () => {
      const random = seeded(22)
      const statuses = new Set<number>()
      const errors: string[] = []
      for (let i = 0; i < requests; i += 1) {
        const call = tenant.platform.from(`192.0.2.${i % 250}`)
        const [method, path] = random.oneOf(paths())
        const body = Object.fromEntries(
          Array.from({ length: 1 + random.below(4) }, () => [random.oneOf(members), random.oneOf(values)]),
        )
        const sent = random.percent(5)
          ? '{"plaintext":'
          : JSON.stringify(random.percent(5) ? random.oneOf(values) : body)
        const response = await call(`http://platform.test${path}`, {
          method,
          headers: {
            authorization: `Bearer ${tenant.admin.token}`,
            'content-type': 'application/json',
            ...(random.percent(30) && method !== 'GET' && { 'idempotency-key': `hostile-${i}` }),
          },
          ...(method === 'GET' ? {} : { body: sent }),
        })
        statuses.add(response.status)
        const text = await response.text()
        if (response.status === 200) continue
        errors.push(text)
        expect(JSON.parse(text)).toMatchObject({
          details: expect.arrayContaining([expect.objectContaining({ reason: expect.any(String) })]),
        })
      }
      expect([...statuses].filter(status => ![200, 400, 403, 404, 405, 409, 429].includes(status))).toEqual([])
      const { config, lines } = tenant.platform
      const places = {
        errors: errors.join('\n'),
        log: lines.join('\n'),
        activities: JSON.stringify(await recordedActivities(config)),
        store: await storedBy(config),
      }
      for (const [place, text] of Object.entries(places)) {
        const found = marks.filter(mark => formsOf(mark).some(form => text.includes(form)))
        expect([place, found]).toEqual([place, []])
      }
      expect(await doctorFindings(config)).toEqual([])
    },
  )

  it.each(['%00', '__proto__', '..%2F..%2Fvault', 'x'.repeat(4000), '01900000-0000-7000-8000-0000000000ff', '%F0%9F'])(
    'gets no list from the public path of %s',
    async id => {
      const call = tenant.platform.from('192.0.2.9')
      for (const method of ['GET', 'HEAD']) {
        const response = await call(`http://platform.test/crl/${id}.crl`, { method })
        expect([400, 404]).toContain(response.status)
        expect(await response.text()).not.toContain('BEGIN')
      }
    },
  )
})
