import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BucketInput } from '../../../../../output/storage/types.ts'
import { absentId } from '../../../../areas/members.ts'
import { tenantStorage, type TenantStorage } from '../../tenant-storage.ts'

const rules: NonNullable<BucketInput['cors_rules']> = [
  {
    allowed_origins: ['https://app.test', 'https://*.pages.test'],
    allowed_methods: ['GET', 'PUT'],
    allowed_headers: ['Content-Type', 'x-amz-meta-*'],
    expose_headers: ['ETag', 'x-amz-version-id'],
    max_age_seconds: 600,
  },
  { allowed_origins: ['*'], allowed_methods: ['HEAD'] },
]

type Headers = Readonly<Record<string, string>>

/** Sends a request that a browser would send, to a path below the plane. */
const sent = ({ platform }: TenantStorage, path: string, method: string, headers: Headers): Promise<Response> =>
  platform.from('')(`http://platform.test/storage-data/v1/${path}`, { method, headers })

/** Returns the headers of an answer for browsers, and leaves its body unread. */
function corsOf({ body, headers }: Response): Headers {
  if (body?.locked === false) void body.cancel()
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))
}

let tenant: TenantStorage
let ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  tenant = await tenantStorage({ cors_rules: rules }, { later: end => void ends.push(end) })
  await tenant.put('a', 'hello')
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

describe('a preflight request', () => {
  const allowed = (origin: string, method: string, headers = ''): Headers => ({
    origin,
    'access-control-request-method': method,
    ...(headers !== '' && { 'access-control-request-headers': headers }),
  })

  it.each<readonly [name: string, asked: Headers, answer: Headers | undefined]>([
    [
      'of a listed origin',
      allowed('https://app.test', 'PUT', 'content-type,x-amz-meta-a'),
      {
        'access-control-allow-origin': 'https://app.test',
        'access-control-allow-methods': 'GET, PUT',
        'access-control-allow-headers': 'content-type,x-amz-meta-a',
        'access-control-max-age': '600',
      },
    ],
    [
      'of an origin that fits a pattern',
      allowed('https://a.b.pages.test', 'GET'),
      {
        'access-control-allow-origin': 'https://a.b.pages.test',
        'access-control-allow-methods': 'GET, PUT',
        'access-control-max-age': '600',
      },
    ],
    [
      'of any origin',
      allowed('null', 'HEAD'),
      {
        'access-control-allow-origin': 'null',
        'access-control-allow-methods': 'HEAD',
        'access-control-max-age': '0',
      },
    ],
    ['of another origin', allowed('https://app.test.evil.test', 'PUT'), undefined],
    ['of another scheme', allowed('http://app.test', 'PUT'), undefined],
    ['of another port', allowed('https://app.test:444', 'PUT'), undefined],
    ['of the pattern without its middle', allowed('https://pages.test', 'GET'), undefined],
    ['for another method', allowed('https://app.test', 'DELETE'), undefined],
    ['for a method in lower case', allowed('https://app.test', 'put'), undefined],
    ['for another header', allowed('https://app.test', 'PUT', 'content-type, authorization'), undefined],
    ['for the method of another rule with a header', allowed('https://app.test', 'HEAD', 'content-type'), undefined],
  ])('%s', async (_, asked, answer) => {
    const response = await sent(tenant, `${tenant.at.bucket}/a`, 'OPTIONS', asked)
    expect(response.status).toBe(204)
    const cors = corsOf(response)
    expect(cors['vary']).toMatch(/^Origin/)
    expect({ ...cors, vary: '' }).toEqual({ ...answer, vary: '' })
  })

  it('for a bucket without rules, and for an absent bucket, has the same answer', async () => {
    const { admin, at, workspace } = tenant
    const made = await admin.api.storage.createBucket({ workspace, engine: at.engine, body: { name: 'other' } })
    const asked = allowed('https://app.test', 'PUT')
    for (const path of [`${made.resource_id}/a`, `${absentId}/a`, 'no-id/a', `${at.bucket}%00/a`]) {
      const response = await sent(tenant, path, 'OPTIONS', asked)
      expect(corsOf(response)).toEqual({ vary: 'Origin' })
    }
  })
})

describe('an answer', () => {
  it('to an allowed origin names the origin and the readable headers, also with an error', async () => {
    const headers = { origin: 'https://app.test' }
    const expected = {
      'access-control-allow-origin': 'https://app.test',
      'access-control-expose-headers': 'ETag, x-amz-version-id',
      vary: 'Origin',
    }
    const answers = [
      await tenant.get('a', { headers }),
      await tenant.get('a', { headers: { ...headers, range: 'bytes=9-' } }),
      await tenant.get('absent', { headers }),
      await sent(tenant, `${tenant.at.bucket}/a`, 'GET', headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 416, 404, 403])
    for (const answer of answers) expect(corsOf(answer)).toEqual(expected)
    await Promise.all(answers.map(answer => answer.body?.cancel()))
  })

  it('to another origin, or to none, only says that it depends on the origin', async () => {
    for (const headers of [{}, { origin: 'https://evil.test' }]) {
      const answer = await tenant.get('a', { headers })
      expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }])
      await answer.body?.cancel()
    }
  })

  it('follows a change of the rules at once', async () => {
    const { admin, at } = tenant
    await admin.api.storage.updateBucket({ ...at, id: at.bucket, update_mask: 'cors_rules', body: { cors_rules: [] } })
    const answer = await tenant.get('a', { headers: { origin: 'https://app.test' } })
    expect(corsOf(answer)).toEqual({ vary: 'Origin' })
    await answer.body?.cancel()
  })
})
