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
})
