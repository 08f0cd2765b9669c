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

it('a client can refuse to replace an object, although its URL has no such condition', async () => {
  expect((await upload('once', { 'if-none-match': '*' })).status).toBe(200)
  const answer = await upload('once', { 'if-none-match': '*' })
  expect([answer.status, await answer.text()]).toEqual([412, expect.stringContaining('"OBJECT_ALREADY_EXISTS"')])
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
