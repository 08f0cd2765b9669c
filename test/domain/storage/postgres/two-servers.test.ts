import { expect, it } from 'vitest'
import type { PresignedUrl } from '../../../../output/storage/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { fetchAs } from '../../../areas/kill/fetch-as.ts'
import { serve } from '../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../areas/members.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { servedVault } from '../../vault/served-vault.ts'

const engine = 'native'

/** Sends a request over a presigned URL to one server; returns the status, the headers and the text of the response. */
async function sent(server: string, { headers, method, url }: PresignedUrl, body?: string) {
  const { host, pathname, search } = new URL(url)
  const init = { method: method.replace('STORAGE_HTTP_METHOD_', ''), headers: { ...headers, host } }
  const answer = await fetchAs(`${server}${pathname}${search}`, { ...init, ...(body !== undefined && { body }) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Uploads `hello` to the server that holds the lease; returns the index of the server. */
async function holderOf(addresses: readonly string[], upload: PresignedUrl): Promise<number> {
  let holder = -1
  const found = async (): Promise<boolean> => {
    const answers = await Promise.all(addresses.map(server => sent(server, upload, 'hello')))
    holder = answers.findIndex(({ status }) => status === 200)
    return holder !== -1
  }
  await expect.poll(found, { timeout: 60_000, interval: 250 }).toBe(true)
  return holder
}

it(
  'the holder of the lease alone serves content, and another server takes over its content and its copies when it is killed',
  { timeout: 180_000 },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, 2, { settings: servedVault() })
    const members = await Promise.all(served.servers.map(server => server.admin()))
    const [admin] = members
    if (!admin) throw new Error('no server was started')
    const { workspace } = await addTenant(admin.api, 'acme')
    const docs = await admin.api.storage.createBucket({ workspace, engine, body: { name: 'docs' } })
    const { resource_id: bucket } = docs
    const at = { workspace, engine, bucket }
    const signed = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } })
    const holder = await holderOf(served.addresses, signed)
    const other = 1 - holder
    const [first = '', second = ''] = [served.addresses[holder], served.addresses[other]]
    // The calls go to the server that survives.
    const { storage } = (members[other] ?? admin).api
    const storage_class = 'archive'
    await storage.createStorageClass({ engine, body: { name: storage_class, tier: 'STORAGE_TIER_ARCHIVE' } })
    const instance = { name: 'archive-local', location: 'local' }
    await storage.waitOperation(await storage.instantiateStorageClass({ storage_class, body: instance }))
    const body = { name: 'archive', storage_class }
    const { resource_id: archive } = await storage.createBucket({ workspace, engine, body })
    const upload = () => storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } })
    const download = (of: string, object: string) =>
      storage.createPresignedDownloadUrl({ workspace, engine, bucket: of, body: { object } })

    for (const [url, content] of [[await upload(), 'other'] as const, [await download(bucket, 'a')] as const]) {
      const refused = await sent(second, url, content)
      expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('"ENGINE_UNAVAILABLE"')])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await sent(first, await download(bucket, 'a'))).text).toBe('hello')

    const copy = { source_bucket_id: bucket, source_object: 'a', destination_object: 'b' }
    const begun = await storage.copyObject({ workspace, engine, bucket: archive, body: copy })
    await served.servers[holder]?.kill()
    const since = performance.now()
    await storage.deleteObject({ ...at, object: 'a' })
    const ended = await storage.waitOperation(begun)
    expect(ended).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
    const statusOf = async () => (await sent(second, await download(archive, 'b'))).status
    await expect.poll(statusOf, { timeout: 60_000, interval: 250 }).toBe(200)
    console.log(`taken over after ${Math.round(performance.now() - since)} ms`)
    expect((await sent(second, await download(archive, 'b'))).text).toBe('hello')

    await served.restart(holder)
    expect((await sent(first, await download(archive, 'b'))).status).toBe(503)
    expect((await sent(second, await upload(), 'again')).status).toBe(200)
    expect(await doctorFindings(place)).toEqual([])
  },
)
