import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { Traffic } from '../../../../domain/storage/statistics/traffic.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

let tenant: TenantStorage

beforeAll(async () => {
  tenant = await tenantStorage({}, { later: afterAll })
})
afterEach(() => void vi.restoreAllMocks())

/** Uploads `hello` as an object with further headers of the client, which the URL does not demand. */
async function upload(object: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const { admin, at, send } = tenant
  const url = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object } })
  return send(url, { body: 'hello', headers })
}

/** Returns the status, the reason and the faulty fields of an answer. */
async function refusalOf(answer: Response): Promise<readonly unknown[]> {
  const { details }: { details: readonly { reason?: string; field_violations?: readonly { field: string }[] }[] } =
    await answer.json()
  const fields = details.flatMap(({ field_violations = [] }) => field_violations.map(({ field }) => field))
  return [answer.status, details.find(({ reason }) => reason !== undefined)?.reason, fields]
}

it.each([
  ['Content-Range', 'bytes 0-4/10'],
  ['Content-Range', 'bytes */10'],
  ['Content-Type', `text/${'x'.repeat(251)}`],
  ['Content-Type', 'text/pl\u00e4in'],
])('an upload with the header %s: %s is refused, and stores nothing', async (name, value) => {
  expect(await refusalOf(await upload('refused', { [name]: value }))).toEqual([400, 'FIELD_INVALID', [name]])
  expect((await tenant.get('refused')).status).toBe(404)
})

it('a part with the header Content-Range is refused', async () => {
  const { admin, at, send } = tenant
  const { storage } = admin.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'parts' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  const [url] = part_urls
  if (!url) throw new Error('the part has no URL')
  const answer = await send(url, { body: 'hello', headers: { 'content-range': 'bytes 0-4/10' } })
  expect(await refusalOf(answer)).toEqual([400, 'FIELD_INVALID', ['Content-Range']])
})

it('an upload has the media type that the client sends, and the default type for an empty header', async () => {
  const longest = `text/${'x'.repeat(250)}`
  for (const [type, stored] of [
    ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
    [longest, longest],
    ['', 'application/octet-stream'],
  ] as const) {
    expect((await upload('typed', { 'content-type': type })).status).toBe(200)
    const answer = await tenant.get('typed')
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([stored, 'hello'])
  }
})

it('a client can refuse to replace an object, although its URL has no such condition', async () => {
  expect((await upload('once', { 'if-none-match': '*' })).status).toBe(200)
  const answer = await upload('once', { 'if-none-match': '*' })
  expect((await refusalOf(answer)).slice(0, 2)).toEqual([412, 'OBJECT_ALREADY_EXISTS'])
})

it('the received bytes count, with and without a declared length', async () => {
  const { admin, at, send } = tenant
  const count = vi.spyOn(Traffic.prototype, 'count')
  const url = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object: 'counted' } })
  const chunks = new Blob(['hello']).stream()
  for (const init of [
    { body: 'hello', headers: { 'content-length': '5' } },
    { body: chunks, duplex: 'half' },
  ]) {
    expect((await send(url, init)).status).toBe(200)
    expect(count).toHaveBeenLastCalledWith(expect.anything(), { bytes_ingress: 5 })
  }
})
