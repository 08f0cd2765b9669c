import { describe, expect, it } from 'vitest'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'
import { uploadConditions } from './upload-conditions.ts'

const body = 'hello'

/** A change of a request, and the status and the reason with which the platform refuses the request. */
interface Tampering {
  readonly name: string
  /** Changes the URL of a request. */
  readonly url?: (url: URL) => void
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly method?: string
  readonly body?: string
  readonly refused: readonly [status: number, reason: string]
}

const invalid = [403, 'SIGNATURE_INVALID'] as const

const query = (name: string, change: (value: string) => string | undefined) => (url: URL) => {
  const value = change(url.searchParams.get(name) ?? '')
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
}

/** The changes that every presigned URL must refuse. */
const tamperings: readonly Tampering[] = [
  { name: 'another object', url: url => void (url.pathname += 'x'), refused: invalid },
  { name: 'another method', method: 'DELETE', refused: [405, 'ROUTE_NOT_FOUND'] },
  { name: 'another host', headers: { host: 'other.test' }, refused: invalid },
  { name: 'a longer life', url: query('X-Amz-Expires', () => '604800'), refused: invalid },
  { name: 'a life that is too long', url: query('X-Amz-Expires', () => '604801'), refused: invalid },
  { name: 'a life of zero', url: query('X-Amz-Expires', () => '0'), refused: invalid },
  { name: 'another date', url: query('X-Amz-Date', date => date.replace(/^\d{4}/, '2020')), refused: invalid },
  { name: 'a malformed date', url: query('X-Amz-Date', () => 'today'), refused: invalid },
  {
    name: 'another principal',
    url: query('x-nf-principal', id => id.replace(/.$/, last => (last === '0' ? '1' : '0'))),
    refused: invalid,
  },
  { name: 'no principal', url: query('x-nf-principal', () => undefined), refused: invalid },
  { name: 'a flipped signature', url: query('X-Amz-Signature', text => flipped(text)), refused: invalid },
  { name: 'a shorter signature', url: query('X-Amz-Signature', text => text.slice(1)), refused: invalid },
  { name: 'an empty signature', url: query('X-Amz-Signature', () => ''), refused: invalid },
  { name: 'no signature', url: query('X-Amz-Signature', () => undefined), refused: invalid },
  { name: 'no algorithm', url: query('X-Amz-Algorithm', () => undefined), refused: invalid },
  { name: 'another algorithm', url: query('X-Amz-Algorithm', () => 'AWS4-HMAC-SHA1'), refused: invalid },
  {
    name: 'the key of an SDK',
    url: query('X-Amz-Credential', text => text.replace(/^NFK\w+/, 'AKIAIOSFODNN7EXAMPLE')),
    refused: invalid,
  },
  { name: 'another engine', url: query('X-Amz-Credential', text => text.replace('native', 'other')), refused: invalid },
  { name: 'a malformed credential', url: query('X-Amz-Credential', () => 'x'), refused: invalid },
  { name: 'no signed host', url: query('X-Amz-SignedHeaders', text => text.replace('host', 'x')), refused: invalid },
  { name: 'a further parameter', url: url => url.searchParams.append('versionId', 'x'), refused: invalid },
  {
    name: 'a parameter twice',
    url: url => url.searchParams.append('X-Amz-Date', '20260101T000000Z'),
    refused: invalid,
  },
  { name: 'a further header of S3', headers: { 'x-amz-acl': 'public-read' }, refused: invalid },
  { name: 'a further header of the platform', headers: { 'x-nf-max-length': '9' }, refused: invalid },
]

/** The changes that a URL for an upload with all conditions must refuse. */
const uploadTamperings: readonly Tampering[] = [
  { name: 'fewer signed headers', url: query('X-Amz-SignedHeaders', () => 'host'), refused: invalid },
  { name: 'another media type', headers: { 'content-type': 'text/html' }, refused: invalid },
  { name: 'no media type', headers: { 'content-type': undefined }, refused: invalid },
  { name: 'a longer body', headers: { 'content-length': '6' }, body: 'hello!', refused: invalid },
  { name: 'a body in chunks', headers: { 'content-length': undefined }, refused: [411, 'CONTENT_LENGTH_REQUIRED'] },
  { name: 'another digest', headers: { 'x-amz-checksum-sha256': `${'A'.repeat(43)}=` }, refused: invalid },
  { name: 'other metadata', headers: { 'x-amz-meta-a': '2' }, refused: invalid },
  { name: 'further metadata', headers: { 'x-amz-meta-c': '2' }, refused: invalid },
  { name: 'another disposition', headers: { 'content-disposition': 'inline' }, refused: invalid },
  { name: 'no condition', headers: { 'if-none-match': undefined }, refused: invalid },
  { name: 'the method of a download', method: 'GET', refused: invalid },
]

const downloadTamperings: readonly Tampering[] = [
  { name: 'the method of an upload', method: 'PUT', body, refused: invalid },
  { name: 'another type of the answer', url: query('response-content-type', () => 'text/html'), refused: invalid },
]

const flipped = (text: string): string => text.replace(/^./, first => (first === '0' ? '1' : '0'))

/** Sends a changed request; returns the status and the reason of its answer. */
async function tampered({ platform }: TenantStorage, signed: PresignedUrl, change: Partial<Tampering>) {
  const url = new URL(signed.url)
  change.url?.(url)
  const method = change.method ?? signed.method.replace('STORAGE_HTTP_METHOD_', '')
  const headers = { host: new URL(signed.url).host, ...signed.headers, ...change.headers }
  const sent = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const content = method === 'PUT' ? { body: change.body ?? body } : {}
  const answer = await platform.from('')(url.href, {
    method,
    headers: new Headers(sent.map(each => [...each])),
    ...content,
  })
  if (answer.ok) {
    await answer.body?.cancel()
    return [answer.status, '']
  }
  const { details, message }: { details: readonly { reason?: string }[]; message: string } = await answer.json()
  expect(message.length).toBeGreaterThan(20)
  return [answer.status, details.find(({ reason }) => reason !== undefined)?.reason]
}

describe('a presigned URL', () => {
  it('for an upload refuses every other request than the signed request, and then still works', async () => {
    const tenant = await tenantStorage()
    const request = { ...tenant.at, body: { object: 'a/ü b+%.txt', ...uploadConditions } }
    const signed = await tenant.admin.api.storage.createPresignedUploadUrl(request)
    for (const change of [...tamperings, ...uploadTamperings]) {
      expect([change.name, ...(await tampered(tenant, signed, change))]).toEqual([change.name, ...change.refused])
    }
    expect(await tenant.usage()).toMatchObject({ version_count: 0, bytes: 0 })
    expect(await tampered(tenant, signed, {})).toEqual([200, ''])
    expect(await tampered(tenant, signed, {})).toEqual([412, 'OBJECT_ALREADY_EXISTS'])
  })

  it('for a download refuses every other request than the signed request, and then still works', async () => {
    const tenant = await tenantStorage()
    await tenant.put('a', body)
    const request = { ...tenant.at, body: { object: 'a', response_content_type: 'text/plain' } }
    const signed = await tenant.admin.api.storage.createPresignedDownloadUrl(request)
    for (const change of [...tamperings, ...downloadTamperings]) {
      expect([change.name, ...(await tampered(tenant, signed, change))]).toEqual([change.name, ...change.refused])
    }
    expect(await tampered(tenant, signed, {})).toEqual([200, ''])
    expect(await tampered(tenant, signed, { method: 'HEAD' })).toEqual([200, ''])
  })

  it.each([
    ['another body', 'jello', 400, 'CHECKSUM_MISMATCH'],
    ['a body over the signed maximum', 'hello!', 413, 'CONTENT_TOO_LONG'],
  ])('refuses %s under its conditions, and keeps nothing', async (_, content, status, reason) => {
    const tenant = await tenantStorage()
    const { content_md5 } = uploadConditions
    const request = { ...tenant.at, body: { object: 'a', content_md5, max_content_length: 5 } }
    const signed = await tenant.admin.api.storage.createPresignedUploadUrl(request)
    expect(await tampered(tenant, signed, { body: content })).toEqual([status, reason])
    expect(await tenant.usage()).toMatchObject({ version_count: 0, bytes: 0 })
  })
})
