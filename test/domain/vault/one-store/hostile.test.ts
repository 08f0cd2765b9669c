import { beforeAll, describe, expect, it } from 'vitest'
import { seeded } from '../../../areas/random.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { tenantSecrets, type TenantSecrets } from '../tenant-secrets.ts'
import { afterTests } from '../../../undo.ts'

/** The number of random requests; `NINEFOLD_VAULT_HOSTILE=10000 npx vitest run test/domain/vault/one-store/hostile.test.ts` */
const requests = Number(process.env['NINEFOLD_VAULT_HOSTILE'] ?? 400)

let tenant: TenantSecrets
let secret: string

beforeAll(async () => {
  tenant = await tenantSecrets({ later: afterTests })
  secret = await tenant.create('target')
  await tenant.add(secret, 'the one value')
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
  "'; DROP TABLE vault_secrets; --",
  '${7*7}',
  '../../etc/passwd',
  'latest',
  '__proto__',
  'Infinity',
  '9'.repeat(40),
  '0s',
  '-86400s',
  '86400.5s',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59Z',
  [],
  [[]],
  {},
  { data: {} },
  { data: 'YQ==', data_crc32c: '1' },
  { data: 'YQ==', data_crc32c: -1 },
  { constructor: '1' },
  { toString: '1' },
  { ['a'.repeat(64)]: '1' },
  Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, '1'])),
]

const members = [
  'name',
  'display_name',
  'description',
  'labels',
  'expire_time',
  'ttl',
  'version_destroy_delay',
  'version_aliases',
  'rotation',
  'crypto_key_id',
  'latest_version',
  'payload',
  'disabled',
  'etag',
  '__proto__',
]

const paths = () => {
  const secrets = `/vault/v1/workspaces/${tenant.workspace}/engines/native/secrets`
  return [
    ['POST', secrets],
    ['PATCH', `${secrets}/${secret}`],
    ['PATCH', `${secrets}/${secret}?update_mask=version_aliases,rotation`],
    ['POST', `${secrets}/${secret}:addVersion`],
    ['POST', `${secrets}/${secret}/versions/1:disable`],
    ['POST', `${secrets}/${secret}/versions/2:destroy`],
    ['GET', `${secrets}/${secret}/versions/${encodeURIComponent('../1')}`],
    ['GET', `${secrets}/${secret}/versions/99999999999`],
    ['GET', `${secrets}/${secret}/versions/__proto__`],
    ['GET', `${secrets}/%00/versions/1`],
    ['GET', `${secrets}?filter=expire_time%20%3E%201`],
  ] as const
}

describe('hostile input', () => {
  it(
    'is answered with documented errors, and changes nothing that it must not',
    { timeout: 60_000 + requests * 20 },
    async () => {
      const random = seeded(21)
      const call = tenant.platform.from('192.0.2.9')
      const statuses = new Map<number, number>()
      for (let i = 0; i < requests; i += 1) {
        const [method, path] = random.oneOf(paths())
        const body = Object.fromEntries(
          Array.from({ length: 1 + random.below(3) }, () => [random.oneOf(members), random.oneOf(values)]),
        )
        const sent = random.percent(5) ? '{"payload":' : JSON.stringify(random.percent(5) ? random.oneOf(values) : body)
        const response = await call(`http://platform.test${path}`, {
          method,
          headers: { authorization: `Bearer ${tenant.admin.token}`, 'content-type': 'application/json' },
          ...(method === 'GET' ? {} : { body: sent }),
        })
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        const text = await response.text()
        if (response.status !== 200)
          expect(JSON.parse(text)).toMatchObject({
            details: expect.arrayContaining([expect.objectContaining({ reason: expect.any(String) })]),
          })
        expect(text).not.toContain('the one value')
      }
      const unexpected = [...statuses.keys()].filter(status => ![200, 400, 404, 405, 409].includes(status))
      expect(unexpected).toEqual([])
      await tenant.admin.api.vault.disableSecretVersion({ ...tenant.at, secret, id: '1', body: { disabled: false } })
      expect(await tenant.read(secret, '1')).toBe('the one value')
      expect(await doctorFindings(tenant.platform.config)).toEqual([])
    },
  )

  it('a body of a megabyte is refused without its text in the log', async () => {
    const platform = await testPlatform()
    const { token } = await platform.admin()
    const data = 'QUJD'.repeat(350_000)
    const response = await platform.from('192.0.2.9')(
      `http://platform.test/vault/v1/workspaces/${tenant.workspace}/engines/native/secrets/${secret}:addVersion`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ payload: { data } }),
      },
    )
    expect([400, 404, 413]).toContain(response.status)
    expect(platform.lines.join('\n')).not.toContain('QUJDQUJD')
  })
})
