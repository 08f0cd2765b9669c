import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { functionCaller } from '../../../areas/function-caller.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

/** The folder with the open descriptors of the process, which Linux alone has. */
const descriptors = '/proc/self/fd'

/** Returns the open content files of a platform. */
function openFiles({ platform }: TenantStorage): readonly string[] {
  const folder = join(platform.config.dataDir, 'storage')
  return readdirSync(descriptors).flatMap(name => {
    try {
      const path = readlinkSync(join(descriptors, name))
      return path.startsWith(folder) ? [path] : []
    } catch {
      // The descriptor of the list itself is closed by now.
      return []
    }
  })
}

const large = new Uint8Array(2_000_000)

/** The smallest size of a part that is not the last. */
const partBytes = 5 * 2 ** 20

describe.skipIf(process.platform !== 'linux')('the files of content', () => {
  it('are closed after every answer, also if the caller reads nothing of it', async () => {
    const caller = functionCaller()
    const tenant = await tenantStorage({}, { areas: caller.areas })
    const { at, get, put, workspace } = tenant
    await put('a', large)
    const etag = (await get('a', { method: 'HEAD' })).headers.get('etag') ?? ''
    const requests: readonly (readonly [number, RequestInit])[] = [
      [200, { method: 'HEAD' }],
      [200, { method: 'HEAD', headers: { range: 'bytes=0-1' } }],
      [206, { headers: { range: 'bytes=0-1' } }],
      [304, { headers: { 'if-none-match': etag } }],
      [304, { method: 'HEAD', headers: { 'if-none-match': etag } }],
      [412, { headers: { 'if-match': '"other"' } }],
      [416, { headers: { range: 'bytes=9000000-' } }],
    ]
    for (const [status, init] of requests) {
      const answer = await get('a', init)
      expect(answer.status).toBe(status)
      await answer.bytes()
    }
    const cancelled = await get('a')
    await cancelled.body?.cancel()
    const storage = caller.functions('storage')
    const place = { workspace, bucket: at.bucket, object: 'a' }
    await (await storage.readObject(undefined, place)).body.cancel()
    await new Response((await storage.readObject(undefined, place, { first: 0, last: 0 })).body).bytes()
    await expect.poll(() => openFiles(tenant)).toEqual([])
  })

  it('of several parts are closed wherever a reader leaves', async () => {
    const tenant = await tenantStorage()
    const { admin, at, get, send } = tenant
    const { storage } = admin.api
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'a' } })
    const body = { parts: [1, 2, 3].map(part_number => ({ part_number })) }
    const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body })
    const parts: { part_number: number; etag: string }[] = []
    for (const url of part_urls) {
      const etag = (await send(url, { body: new Uint8Array(partBytes) })).headers.get('etag') ?? ''
      parts.push({ part_number: url.part_number, etag })
    }
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
    for (const border of [0, partBytes, 2 * partBytes]) {
      for (const early of [0, 1, 131_072, 262_144, 400_000]) {
        const reader = (await get('a', { headers: { range: `bytes=${border}-` } })).body?.getReader()
        for (let read = 0; read < partBytes - early; read += (await reader?.read())?.value?.length ?? Infinity);
        const last = reader?.read()
        await reader?.cancel()
        await last
      }
    }
    await (await get('a', { method: 'HEAD' })).bytes()
    expect((await (await get('a', { headers: { range: `bytes=${partBytes - 1}-` } })).bytes()).length).toBe(
      2 * partBytes + 1,
    )
    await expect.poll(() => openFiles(tenant)).toEqual([])
  })

  it('are closed after every refused upload', async () => {
    const tenant = await tenantStorage({ max_object_size_bytes: 1_000_000 })
    const { at, put, send } = tenant
    const { storage } = tenant.admin.api
    expect((await put('a', large)).status).toBe(413)
    expect((await put('a', 'hello', { checksum_sha256: Buffer.alloc(32).toString('base64') })).status).toBe(400)
    const chunks = (fail: boolean) =>
      new ReadableStream<Uint8Array>({
        pull: controller => (fail ? controller.error(new Error('the caller leaves')) : controller.enqueue(large)),
      })
    const url = await storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } })
    expect((await send(url, { body: chunks(false), duplex: 'half' } as RequestInit)).status).toBe(413)
    await send(url, { body: chunks(true), duplex: 'half' } as RequestInit).catch(() => undefined)
    await expect.poll(() => openFiles(tenant)).toEqual([])
  })
})
