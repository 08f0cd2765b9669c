import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../../../output/client.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { serve } from '../../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../../areas/members.ts'
import { servedVault } from '../../../../domain/vault/served-vault.ts'
import { testStorePlace } from '../../../store/left-place.ts'
import { hasGateway, keys, startGateway } from '../gateway.ts'
import { addSecret, classBody, get, put, send, type BucketAt } from '../remote-storage.ts'

/** The number of objects that each client uploads, copies, completes and deletes. */
const laps = Number(process.env['NINEFOLD_S3_LAPS'] ?? 6)
const clients = 8

/** Makes a call at one of two servers, and at the other one while the first does not serve it. */
type Either = <R>(run: (api: Ninefold) => Promise<R>) => Promise<R>

const eitherOf = (apis: readonly Ninefold[], first: number): Either => {
  let at = first
  return async run => {
    for (;;) {
      const api = apis[at % apis.length]
      if (!api) throw new Error('there is no server')
      try {
        return await run(api)
      } catch (error) {
        const isDown = error instanceof ApiError && (error.rpc === 'UNAVAILABLE' || error.reason === 'CONNECTION_FAILED')
        if (!isDown) throw error
        at += 1
        await sleep(50)
      }
    }
  }
}

/** Deletes an object; after a server was killed, the object may be gone already. */
async function remove(either: Either, at: BucketAt, object: string): Promise<void> {
  await either(async ({ storage }) => {
    try {
      await storage.deleteObject({ ...at, object })
    } catch (error) {
      if (!(error instanceof ApiError) || error.rpc !== 'NOT_FOUND') throw error
    }
  })
}

async function uploadInParts(either: Either, at: BucketAt, object: string, content: string): Promise<void> {
  const { resource_id: upload_id } = await either(({ storage }) =>
    storage.createMultipartUpload({ ...at, body: { object } }),
  )
  const wanted = { parts: [{ part_number: 1 }] }
  const { part_urls } = await either(({ storage }) => storage.createPartUrls({ ...at, upload_id, body: wanted }))
  const parts: { part_number: number; etag: string }[] = []
  for (const url of part_urls) {
    const etag = (await send(url, { body: content })).headers.get('etag') ?? ''
    parts.push({ part_number: url.part_number, etag })
  }
  await either(({ storage }) => storage.completeMultipartUpload({ ...at, upload_id, body: { parts } }))
}

/** Uploads, copies, completes and deletes objects; returns the contents that are left, keyed by name. */
async function work(either: Either, at: BucketAt, client: string): Promise<ReadonlyMap<string, string>> {
  const left = new Map<string, string>()
  for (let lap = 0; lap < laps; lap += 1) {
    const [from, copy, parts] = ['from', 'copy', 'parts'].map(kind => `${client}/${kind}-${lap}`)
    if (!from || !copy || !parts) throw new Error('a name is missing')
    const content = `content of ${from}`
    expect(await either(async api => (await put(api, at, from, content)).status)).toBe(200)
    const body = { source_object: from, destination_object: copy }
    await either(({ storage }) => storage.copyObject({ ...at, body }))
    left.set(copy, content)
    await remove(either, at, from)
    await uploadInParts(either, at, parts, content)
    left.set(parts, content)
  }
  return left
}

describe.skipIf(!hasGateway)('two servers over one database and one S3 store under load', () => {
  it('lose nothing when one of them is killed', { timeout: 600_000 }, async () => {
    const gateway = await startGateway(onTestFinished)
    const place = await testStorePlace()
    const served = await serve(place, 2, { settings: servedVault() })
    const apis = (await Promise.all(served.servers.map(server => server.admin()))).map(({ api }) => api)
    const [first, second] = apis
    if (!first || !second) throw new Error('two servers were not started')
    const secret = await addSecret(first, 's3-keys', keys)
    await first.storage.createStorageClass({ engine: 's3', body: classBody('remote', gateway.url, secret) })
    const { workspace } = await addTenant(first, 'acme')
    const body = { name: 'docs' }
    const { resource_id: bucket } = await first.storage.createBucket({ workspace, engine: 's3', body })
    const at = { workspace, engine: 's3', bucket }
    const working = Promise.all(
      Array.from({ length: clients }, (_, i) => work(eitherOf(apis, i), at, `client-${i}`)),
    )
    const listed = async (): Promise<number> => (await second.storage.listObjects({ ...at, page_size: 100 })).objects.length
    await expect.poll(listed).toBeGreaterThanOrEqual(clients)
    await served.servers[0]?.kill()
    const left = new Map((await working).flatMap(each => [...each]))
    const found = new Map<string, string>()
    for await (const { name } of second.storage.iterateObjects({ ...at, page_size: 100 }))
      found.set(name, await (await get(second, at, name)).text())
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(left))
    const deletion = await second.storage.deleteBucket({ ...at, id: bucket, force: true })
    expect(await second.storage.waitOperation(deletion)).toMatchObject({ errors: [] })
    const names: string[] = []
    for await (const { name } of gateway.account.buckets()) names.push(name)
    expect(names).toEqual([])
    await expect.poll(() => doctorFindings(place), { timeout: 60_000, interval: 250 }).toEqual([])
  })
})
