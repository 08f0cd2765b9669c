import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '../../../../undo.ts'
import { declareClientTests } from '../client-contract.ts'
import { get, put, remoteStorage, send, type RemoteStorage } from '../remote-storage.ts'
import { hasSwift, startSwift, swiftKeys } from '../swift.ts'

let remote: RemoteStorage
let url = ''
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasSwift) return
  url = await startSwift(afterTests)
  remote = await remoteStorage(url, { later: afterTests }, swiftKeys)
}, 600_000)

describe.skipIf(!hasSwift)('a bucket in OpenStack Swift', { timeout: 120_000 }, () => {
  declareClientTests(() => ({ remote, account: { url, ...swiftKeys } }))

  it('is of a class with the capabilities that Swift has', async () => {
    const { s3 } = await api().storage.getStorageClass({ engine: 's3', id: 'remote' })
    expect(s3?.capabilities.toSorted()).toEqual([
      'STORAGE_CAPABILITY_MULTIPART',
      'STORAGE_CAPABILITY_RANGE',
      'STORAGE_CAPABILITY_VERSIONING',
    ])
  })

  it('refuses what Swift lacks by the name of the capability', async () => {
    const at = await remote.bucket('lacking')
    const sign = (more: object) => api().storage.createPresignedUploadUrl({ ...at, body: { object: 'a', ...more } })
    const lacks = (capability: string) => ({ reason: 'ENGINE_CAPABILITY_UNSUPPORTED', metadata: { capability } })
    await expect(sign({ if_none_match: '*' })).rejects.toMatchObject(lacks('CONDITIONAL_PUT'))
    const checksum_sha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='
    await expect(sign({ checksum_sha256 })).rejects.toMatchObject(lacks('CHECKSUM_SHA256'))
    const rule = { allowed_origins: ['https://example.com'], allowed_methods: ['GET' as const] }
    await expect(remote.bucket('cors', { cors_rules: [rule] })).rejects.toMatchObject(lacks('CORS'))
  })

  it('takes uploads as they were signed, and answers ranges', async () => {
    const at = await remote.bucket('objects')
    const body = { object: 'a/grüße b.txt', content_type: 'text/plain', content_length: 5 }
    const url = await api().storage.createPresignedUploadUrl({ ...at, body })
    expect((await send(url, { body: 'hello!' })).status).toBe(403)
    expect((await send(url, { body: 'hello' })).status).toBe(200)
    expect(await api().storage.getObject({ ...at, object: body.object })).toMatchObject({
      size: 5,
      content_type: 'text/plain',
      etag: '5d41402abc4b2a76b9719d911017c592',
    })
    const answer = await get(api(), at, body.object, { headers: { range: 'bytes=1-2' } })
    expect([answer.status, await answer.text()]).toEqual([206, 'el'])
    const copy = { source_object: body.object, destination_object: 'copy' }
    await api().storage.copyObject({ ...at, body: copy })
    expect((await api().storage.listObjects({ ...at })).objects.map(({ name }) => name)).toEqual([body.object, 'copy'])
    await api().storage.deleteBucket({ ...at, id: at.bucket, force: true })
    const read = () => api().storage.getBucket({ ...at, id: at.bucket })
    await expect
      .poll(() => read().catch((error: { reason?: string }) => error.reason), { timeout: 60_000 })
      .toBe('BUCKET_NOT_FOUND')
  })

  it('makes an object of the parts of an upload', async () => {
    const at = await remote.bucket('parts')
    const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object: 'film' } })
    const contents = [new Uint8Array(5_242_880).fill(1), new Uint8Array(10).fill(2)]
    const wanted = { parts: contents.map((_, i) => ({ part_number: i + 1 })) }
    const { part_urls } = await api().storage.createPartUrls({ ...at, upload_id, body: wanted })
    const parts: { part_number: number; etag: string }[] = []
    for (const [i, url] of part_urls.entries()) {
      const answer = await send(url, { body: contents[i] ?? null })
      parts.push({ part_number: url.part_number, etag: answer.headers.get('etag') ?? '' })
    }
    await api().storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
    expect(await api().storage.getObject({ ...at, object: 'film' })).toMatchObject({
      etag: '34d4c179026ab040d35d264b856c514a-2',
      size: 5_242_890,
    })
  })

  it('keeps versions, and puts markers on top', async () => {
    const at = await remote.bucket('versions', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    await put(api(), at, 'a', 'first')
    await put(api(), at, 'a', 'second')
    await api().storage.deleteObject({ ...at, object: 'a' })
    const { objects } = await api().storage.listObjects({ ...at, versions: true })
    expect(objects.map(({ is_delete_marker, size }) => [is_delete_marker, size])).toEqual([
      [true, 0],
      [false, 6],
      [false, 5],
    ])
    await api().storage.deleteObject({ ...at, object: 'a', version_id: objects[0]?.version_id ?? '' })
    expect(await (await get(api(), at, 'a')).text()).toBe('second')
  })
})
