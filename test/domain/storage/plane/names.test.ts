import { expect, it } from 'vitest'
import { absentId } from '../../../areas/members.ts'
import { tenantStorage } from '../tenant-storage.ts'
import { invalidNames, objectNames } from './object-names.ts'

const byBytes = (names: readonly string[]): readonly string[] =>
  names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

it('stores, lists, answers and deletes objects with every valid name, each apart from the others', async () => {
  const { admin, at, get, put } = await tenantStorage()
  const { storage } = admin.api
  for (const name of objectNames) expect([name, (await put(name, name)).status]).toEqual([name, 200])
  const listed = await storage.listObjects({ ...at, page_size: 100 })
  expect(listed.objects.map(({ name }) => name)).toEqual(byBytes(objectNames))
  for (const [i, object] of objectNames.entries()) {
    expect(Buffer.from(await (await get(object)).bytes()).toString()).toBe(object)
    expect((await storage.getObjectMetadata({ ...at, object })).name).toBe(object)
    if (i % 4 !== 0) continue
    const { objects } = await storage.listObjects({ ...at, prefix: object, page_size: 100 })
    expect(objects.map(({ name }) => name)).toEqual(byBytes(objectNames.filter(name => name.startsWith(object))))
  }
  for (const [i, object] of objectNames.entries()) {
    const deleted = await storage.deleteObject({ ...at, object })
    expect(deleted.resource_id).toBe(`${at.bucket}/${object}`)
    if (i % 10 !== 0) continue
    const { objects } = await storage.listObjects({ ...at, page_size: 100 })
    expect(objects.map(({ name }) => name)).toEqual(byBytes(objectNames.slice(i + 1)))
  }
  expect((await storage.listObjects(at)).objects).toEqual([])
})

it('completes uploads in parts for valid names', async () => {
  const { admin, at, get, send } = await tenantStorage()
  const { storage } = admin.api
  for (const object of objectNames.filter((_, i) => i % 5 === 0)) {
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object } })
    const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
    const [url] = part_urls
    if (!url) throw new Error('a part has no URL')
    const etag = (await send(url, { body: object })).headers.get('etag') ?? ''
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [{ part_number: 1, etag }] } })
    expect(Buffer.from(await (await get(object)).bytes()).toString()).toBe(object)
  }
})

it('copies every valid name to another valid name, with all bytes', async () => {
  const { admin, at, put, send } = await tenantStorage()
  const { storage } = admin.api
  const { resource_id: bucket } = await storage.createBucket({ ...at, body: { name: 'copies' } })
  for (const name of objectNames) await put(name, name)
  // Each name is once a source and once a destination.
  const pairs = objectNames.map((source, i) => [source, objectNames.at(i - 1) ?? ''] as const)
  for (const [source_object, destination_object] of pairs) {
    const body = { source_bucket_id: at.bucket, source_object, destination_object }
    const { resource_id } = await storage.copyObject({ ...at, bucket, body })
    expect(resource_id).toBe(`${bucket}/${destination_object}`)
  }
  const { objects } = await storage.listObjects({ ...at, bucket, page_size: 100 })
  expect(objects.map(({ name }) => name)).toEqual(byBytes(objectNames))
  for (const [source, object] of pairs) {
    const answer = await send(await storage.createPresignedDownloadUrl({ ...at, bucket, body: { object } }))
    expect([object, Buffer.from(await answer.bytes()).toString()]).toEqual([object, source])
  }
})

it('refuses every other name, in all calls', async () => {
  const { admin, at } = await tenantStorage()
  const { storage } = admin.api
  for (const object of invalidNames) {
    const body = { object }
    const calls: Promise<unknown>[] = [
      storage.createPresignedUploadUrl({ ...at, body }),
      storage.createPresignedDownloadUrl({ ...at, body }),
      storage.createMultipartUpload({ ...at, body }),
      storage.copyObject({ ...at, body: { source_object: object, destination_object: 'a' } }),
      storage.copyObject({ ...at, body: { source_object: 'a', destination_object: object } }),
    ]
    // A client refuses these path segments itself, because URLs cannot have them.
    if (object !== '.' && object !== '..')
      calls.push(
        storage.getObject({ ...at, object }),
        storage.getObject({ ...at, object, version_id: absentId }),
        storage.getObjectMetadata({ ...at, object }),
        storage.deleteObject({ ...at, object }),
      )
    const results = await Promise.allSettled(calls)
    // No text of the platform has a NUL.
    const reason = { reason: object.includes('\0') ? 'FIELD_INVALID' : 'OBJECT_NAME_INVALID' }
    const refused = results.map(() => ({ status: 'rejected', reason }))
    expect([object, results]).toMatchObject([object, refused])
  }
  expect((await storage.listObjects(at)).objects).toEqual([])
})
