import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway } from './gateway.ts'
import { get, put, remoteNameOf, remoteStorage, send, type RemoteStorage } from './remote-storage.ts'

const helloMd5 = '5d41402abc4b2a76b9719d911017c592'
const helloSha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='

let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  const gateway = await startGateway(afterTests)
  remote = await remoteStorage(gateway.url, { later: afterTests })
}, 120_000)

describe.skipIf(!hasGateway)('objects on an S3 store', { timeout: 60_000 }, () => {
  it('are written over signed URLs that lead to the store, and read through the API', async () => {
    const at = await remote.bucket('first')
    const answer = await put(api(), at, 'a/b.txt', 'hello', { content_type: 'text/plain', content_length: 5 })
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, `"${helloMd5}"`])
    const object = await api().storage.getObject({ ...at, object: 'a/b.txt' })
    expect(object).toMatchObject({
      bucket_id: at.bucket,
      name: 'a/b.txt',
      size: 5,
      content_type: 'text/plain',
      etag: helloMd5,
      is_latest: true,
      is_delete_marker: false,
      storage_class: 'remote',
    })
    expect(await api().storage.getObjectMetadata({ ...at, object: 'a/b.txt' })).toMatchObject({
      md5: helloMd5,
      part_count: 0,
      custom_metadata: {},
    })
    const url = await api().storage.createPresignedDownloadUrl({ ...at, body: { object: 'a/b.txt' } })
    expect(new URL(url.url).pathname).toBe(`/${remoteNameOf(at)}/a/b.txt`)
    expect(await (await send(url)).text()).toBe('hello')
  })

  it('are refused by the store with another length, type or checksum than was signed', async () => {
    const at = await remote.bucket('conditions')
    const body = { object: 'a', content_type: 'text/plain', content_length: 5 }
    const url = await api().storage.createPresignedUploadUrl({ ...at, body })
    expect((await send(url, { body: 'hello!' })).status).toBe(403)
    expect((await send(url, { body: 'hello', headers: { 'content-type': 'text/html' } })).status).toBe(403)
    expect((await put(api(), at, 'a', 'jello', { checksum_sha256: helloSha256 })).status).toBe(400)
    await expect(api().storage.getObject({ ...at, object: 'a' })).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    expect((await put(api(), at, 'a', 'hello', { checksum_sha256: helloSha256 })).status).toBe(200)
    expect((await put(api(), at, 'a', 'other', { if_none_match: '*' })).status).toBe(412)
    expect(await (await get(api(), at, 'a')).text()).toBe('hello')
  })

  it('answer ranges, and expire with their URL', async () => {
    const at = await remote.bucket('ranges')
    await put(api(), at, 'a', 'hello')
    const ranged = async (range: string) => {
      const answer = await get(api(), at, 'a', { headers: { range } })
      return [answer.status, answer.headers.get('content-range'), answer.ok ? await answer.text() : '']
    }
    expect(await ranged('bytes=1-2')).toEqual([206, 'bytes 1-2/5', 'el'])
    expect(await ranged('bytes=-2')).toEqual([206, 'bytes 3-4/5', 'lo'])
    expect((await ranged('bytes=9-'))[0]).toBe(416)
    const body = { object: 'a', expires_in: '1s' }
    const url = await api().storage.createPresignedDownloadUrl({ ...at, body })
    await expect.poll(async () => (await send(url)).status, { timeout: 30_000 }).toBe(403)
  })

  it('have URLs that work no longer than the settings permit', async () => {
    const at = await remote.bucket('expiry')
    const before = Date.now()
    const body = { object: 'a', expires_in: '604800s' }
    const { expire_time } = await api().storage.createPresignedDownloadUrl({ ...at, body })
    expect(Date.parse(expire_time) - before).toBeLessThanOrEqual(3_600_000 + 60_000)
  })

  it.each([
    'with space',
    'plus+sign',
    'percent%41',
    'grüße/日本',
    'a:metadata',
    "quote'()*!",
    `${'x'.repeat(200)}/end`,
  ])('have the name %s', async name => {
    const at = await remote.bucket(`names-${Buffer.from(name).toString('hex').slice(0, 20)}`)
    expect((await put(api(), at, name, 'hello')).status).toBe(200)
    expect(await (await get(api(), at, name)).text()).toBe('hello')
    expect((await api().storage.getObject({ ...at, object: name })).name).toBe(name)
    const { objects } = await api().storage.listObjects({ ...at })
    expect(objects.map(object => object.name)).toEqual([name])
    await api().storage.deleteObject({ ...at, object: name })
    expect((await api().storage.listObjects({ ...at })).objects).toEqual([])
  })

  it('are listed by prefix and delimiter, page by page', async () => {
    const at = await remote.bucket('lists')
    for (const name of ['a/1', 'a/2', 'b', 'c/1', 'd']) await put(api(), at, name, 'x')
    const seen: string[] = []
    let page_token = ''
    do {
      const page = await api().storage.listObjects({ ...at, delimiter: '/', page_size: 1, page_token })
      seen.push(...page.objects.map(({ name }) => name), ...page.common_prefixes)
      page_token = page.next_page_token
    } while (page_token !== '')
    expect(seen).toEqual(['a/', 'b', 'c/', 'd'])
    expect((await api().storage.listObjects({ ...at, prefix: 'a/' })).objects.map(({ name }) => name)).toEqual([
      'a/1',
      'a/2',
    ])
    for (const refused of [{ filter: 'size > 1' }, { order_by: 'size' }, { order_by: 'name desc' }])
      await expect(api().storage.listObjects({ ...at, ...refused })).rejects.toMatchObject({
        reason: 'FILTER_UNSUPPORTED',
      })
  })

  it('keep versions, put markers on top, and restore what was below', async () => {
    const at = await remote.bucket('versions', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    await put(api(), at, 'a', 'first')
    await put(api(), at, 'a', 'second')
    const { objects } = await api().storage.listObjects({ ...at, versions: true })
    expect(objects.map(({ is_latest, size }) => [is_latest, size])).toEqual([
      [true, 6],
      [false, 5],
    ])
    const older = objects[1]?.version_id ?? ''
    expect(await api().storage.getObject({ ...at, object: 'a', version_id: older })).toMatchObject({
      size: 5,
      is_latest: false,
    })
    await api().storage.deleteObject({ ...at, object: 'a' })
    await expect(api().storage.getObject({ ...at, object: 'a' })).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    await expect(api().storage.deleteObject({ ...at, object: 'a' })).rejects.toMatchObject({
      reason: 'OBJECT_NOT_FOUND',
    })
    const [marker] = (await api().storage.listObjects({ ...at, versions: true })).objects
    expect(marker).toMatchObject({ is_delete_marker: true, is_latest: true })
    await api().storage.deleteObject({ ...at, object: 'a', version_id: marker?.version_id ?? '' })
    expect(await (await get(api(), at, 'a')).text()).toBe('second')
    const absent = { ...at, object: 'a', version_id: 'no-such-version' }
    await expect(api().storage.getObject(absent)).rejects.toMatchObject({ reason: 'OBJECT_VERSION_NOT_FOUND' })
  })

  it('are deleted by their etag, once for an Idempotency-Key', async () => {
    const at = await remote.bucket('deletions')
    await put(api(), at, 'a', 'hello')
    const call = { ...at, object: 'a' }
    await expect(api().storage.deleteObject({ ...call, etag: 'other' })).rejects.toMatchObject({
      reason: 'ETAG_MISMATCH',
    })
    const given = { ...call, etag: helloMd5 }
    const options = { idempotencyKey: 'delete-a' }
    const first = await api().storage.deleteObject(given, options)
    expect(await api().storage.deleteObject(given, options)).toEqual(first)
    await expect(api().storage.deleteObject(call)).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
  })

  it('are copied within the store, with their metadata or with other metadata', async () => {
    const at = await remote.bucket('copies')
    await put(api(), at, 'a', 'hello', { content_type: 'text/plain', custom_metadata: { k: 'v' } })
    const copy = (body: object) =>
      api().storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'b', ...body } })
    await copy({})
    expect(await api().storage.getObjectMetadata({ ...at, object: 'b' })).toMatchObject({
      content_type: 'text/plain',
      custom_metadata: { k: 'v' },
      etag: helloMd5,
    })
    await expect(copy({ if_none_match: '*' })).rejects.toMatchObject({ reason: 'OBJECT_ALREADY_EXISTS' })
    await expect(copy({ source_if_match: 'other' })).rejects.toMatchObject({ reason: 'SOURCE_PRECONDITION_FAILED' })
    await expect(copy({ destination_object: 'a' })).rejects.toMatchObject({ reason: 'COPY_ONTO_ITSELF' })
    await expect(copy({ source_object: 'none' })).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    const replaced = { metadata_directive: 'STORAGE_METADATA_DIRECTIVE_REPLACE', content_type: 'text/html' }
    await copy({ ...replaced, destination_object: 'a', custom_metadata: { other: 'w' } })
    expect(await api().storage.getObjectMetadata({ ...at, object: 'a' })).toMatchObject({
      content_type: 'text/html',
      custom_metadata: { other: 'w' },
    })
    const other = await remote.bucket('copies-2')
    const body = { source_bucket_id: at.bucket, source_object: 'b', destination_object: 'c' }
    await api().storage.copyObject({ ...other, body })
    expect(await (await get(api(), other, 'c')).text()).toBe('hello')
  })
})
