import { describe, expect, it } from 'vitest'
import { tenantStorage } from '../tenant-storage.ts'

const helloSha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='
const helloMd5 = '5d41402abc4b2a76b9719d911017c592'

const reasonOf = async (answer: Response) => {
  const { details }: { details: readonly { reason?: string }[] } = await answer.json()
  return [answer.status, details.find(({ reason }) => reason !== undefined)?.reason]
}

describe('the scenarios of content', () => {
  it('stores what a signed URL allows, and counts it', async () => {
    const { admin, at, put, usage } = await tenantStorage()
    const answer = await put('a/b.txt', 'hello', { content_type: 'text/plain', content_length: 5 })
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([200, `"${helloMd5}"`, ''])
    expect(await admin.api.storage.getObject({ ...at, object: 'a/b.txt' })).toMatchObject({
      name: 'a/b.txt',
      size: 5,
      content_type: 'text/plain',
      etag: helloMd5,
      is_latest: true,
    })
    expect(await usage()).toMatchObject({ bytes: 5, object_count: 1, version_count: 1, noncurrent_bytes: 0 })
    expect(await admin.api.storage.getObjectMetadata({ ...at, object: 'a/b.txt' })).toMatchObject({
      checksum_sha256: helloSha256,
      checksum_crc32c: 'mnG7TA==',
      md5: helloMd5,
      part_count: 0,
    })
  })

  it('refuses another body and other headers than were signed', async () => {
    const { admin, at, get, put, send } = await tenantStorage()
    await put('a', 'hello')
    const { storage } = admin.api
    const body = { object: 'a', content_type: 'text/plain', content_length: 5 }
    const url = await storage.createPresignedUploadUrl({ ...at, body })
    const longer = { ...url, headers: { ...url.headers, 'content-length': '6' } }
    expect(await reasonOf(await send(longer, { body: 'hello!' }))).toEqual([403, 'SIGNATURE_INVALID'])
    const typed = await send(url, { body: 'hello', headers: { 'content-type': 'text/html' } })
    expect(await reasonOf(typed)).toEqual([403, 'SIGNATURE_INVALID'])
    expect(await (await get('a')).text()).toBe('hello')
  })

  it('refuses a body with another checksum, and keeps nothing of it', async () => {
    const { get, put, usage } = await tenantStorage()
    const answer = await put('a', 'jello', { checksum_sha256: helloSha256 })
    expect(await reasonOf(answer)).toEqual([400, 'CHECKSUM_MISMATCH'])
    expect(await reasonOf(await get('a'))).toEqual([404, 'OBJECT_NOT_FOUND'])
    expect(await usage()).toMatchObject({ bytes: 0, object_count: 0 })
  })

  it('answers ranges', async () => {
    const { get, put } = await tenantStorage()
    await put('a', 'hello')
    const ranged = async (range: string) => {
      const answer = await get('a', { headers: { range } })
      return [answer.status, answer.headers.get('content-range'), answer.ok ? await answer.text() : '']
    }
    expect(await ranged('bytes=1-2')).toEqual([206, 'bytes 1-2/5', 'el'])
    expect(await ranged('bytes=-2')).toEqual([206, 'bytes 3-4/5', 'lo'])
    expect(await ranged('bytes=9-')).toEqual([416, 'bytes */5', ''])
    expect(await ranged('bytes=0-0,2-3')).toEqual([200, null, 'hello'])
  })

  it('keeps versions, puts markers on top, and restores what was below', async () => {
    const { admin, at, get, put, usage } = await tenantStorage({ versioning: 'STORAGE_VERSIONING_ENABLED' })
    await put('a', 'first')
    await put('a', 'second')
    const { storage } = admin.api
    const { objects } = await storage.listObjects({ ...at, versions: true })
    expect(objects.map(({ is_latest, size }) => [is_latest, size])).toEqual([
      [true, 6],
      [false, 5],
    ])
    await storage.deleteObject({ ...at, object: 'a' })
    expect(await reasonOf(await get('a'))).toEqual([404, 'OBJECT_NOT_FOUND'])
    expect(await usage()).toMatchObject({ object_count: 0, version_count: 2, bytes: 11, noncurrent_bytes: 11 })
    const marker = (await storage.listObjects({ ...at, versions: true })).objects[0]
    await storage.deleteObject({ ...at, object: 'a', version_id: marker?.version_id ?? '' })
    expect(await (await get('a')).text()).toBe('second')
    expect(await usage()).toMatchObject({ object_count: 1, version_count: 2, bytes: 11, noncurrent_bytes: 5 })
  })

  it('groups names at a delimiter, over pages, each once', async () => {
    const { admin, at, put } = await tenantStorage()
    for (const name of ['a', 'b/1', 'b/2', 'b/3', 'b0', 'c/x/1', 'c/x/2', 'd']) await put(name, name)
    const rows: string[] = []
    let page_token = ''
    do {
      const page = await admin.api.storage.listObjects({ ...at, delimiter: '/', page_size: 1, page_token })
      rows.push(...page.common_prefixes, ...page.objects.map(({ name }) => name))
      page_token = page.next_page_token
    } while (page_token !== '')
    expect(rows).toEqual(['a', 'b/', 'b0', 'c/', 'd'])
    const below = await admin.api.storage.listObjects({ ...at, delimiter: '/', prefix: 'c/' })
    expect(below.common_prefixes).toEqual(['c/x/'])
  })
})
