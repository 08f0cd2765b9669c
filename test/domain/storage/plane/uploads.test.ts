import { describe, expect, it } from 'vitest'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

const partBytes = 5_242_880

/** Begins an upload, and uploads two parts; returns its id and the etags of the parts. */
async function twoParts({ admin, at, send }: TenantStorage, object = 'big') {
  const { storage } = admin.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object } })
  const parts = [
    { part_number: 1, content_length: partBytes },
    { part_number: 2, content_length: 10 },
  ]
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts } })
  const [first, second] = part_urls
  if (!first || !second) throw new Error('a part has no URL')
  const contents = [new Uint8Array(partBytes).fill(1), new Uint8Array(10).fill(2)] as const
  const answers = [await send(first, { body: contents[0] }), await send(second, { body: contents[1] })]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const listed = answers.map(({ headers }, i) => ({ part_number: i + 1, etag: headers.get('etag') ?? '' }))
  return { upload_id, listed, part_urls }
}

describe('an upload in parts', () => {
  it('becomes an object without a copy of its bytes, once', async () => {
    const tenant = await tenantStorage()
    const { admin, at, get, usage } = tenant
    const { storage } = admin.api
    const { listed, upload_id } = await twoParts(tenant)
    expect(await usage()).toMatchObject({ bytes: 0, incomplete_upload_bytes: partBytes + 10, object_count: 0 })
    const full = await storage.listMultipartUploads({ ...at, view: 'STORAGE_VIEW_FULL', filter: `id = "${upload_id}"` })
    expect(full.multipart_uploads[0]?.parts.map(({ part_number, size }) => [part_number, size])).toEqual([
      [1, partBytes],
      [2, 10],
    ])
    const done = await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: listed } })
    expect(done.resource_id).toBe(`${at.bucket}/big`)
    const again = await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: listed } })
    expect(again.id).toBe(done.id)
    expect(await storage.getObjectMetadata({ ...at, object: 'big' })).toMatchObject({
      etag: '34d4c179026ab040d35d264b856c514a-2',
      size: partBytes + 10,
      part_count: 2,
    })
    const border = await get('big', { headers: { range: `bytes=${partBytes - 1}-${partBytes}` } })
    expect([...(await border.bytes())]).toEqual([1, 2])
    expect(await usage()).toMatchObject({ bytes: partBytes + 10, incomplete_upload_bytes: 0, object_count: 1 })
    await expect(storage.abortMultipartUpload({ ...at, upload_id })).rejects.toMatchObject({
      reason: 'UPLOAD_NOT_ACTIVE',
    })
    const other = { parts: listed.slice(0, 1) }
    const refused = storage.completeMultipartUpload({ ...at, upload_id, body: other })
    await expect(refused).rejects.toMatchObject({ reason: 'UPLOAD_NOT_ACTIVE' })
  })

  it('is refused by the fault of its list of parts', async () => {
    const tenant = await tenantStorage()
    const { admin, at } = tenant
    const { storage } = admin.api
    const { listed, upload_id } = await twoParts(tenant)
    const [first, second] = listed
    if (!first || !second) throw new Error('a part is missing')
    const other = { ...first, etag: second.etag }
    const cases = [
      ['PARTS_NOT_ASCENDING', [second, first]],
      ['PARTS_NOT_ASCENDING', [first, first]],
      ['PART_MISSING', [first, { ...second, part_number: 3 }]],
      ['PART_ETAG_MISMATCH', [other, second]],
    ] as const
    for (const [reason, parts] of cases) {
      const refused = storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [...parts] } })
      await expect(refused, reason).rejects.toMatchObject({ reason })
    }
    const body = { parts: listed, checksum_sha256: `${'A'.repeat(43)}=-2` }
    const refused = storage.completeMultipartUpload({ ...at, upload_id, body })
    await expect(refused).rejects.toMatchObject({ reason: 'CHECKSUM_MISMATCH' })
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: listed } })
  })

  it('needs 5 MiB in each part but the last', async () => {
    const { admin, at, send } = await tenantStorage()
    const { storage } = admin.api
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'small' } })
    const numbers = [{ part_number: 1 }, { part_number: 2 }]
    const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: numbers } })
    const parts = []
    for (const url of part_urls) {
      const answer = await send(url, { body: 'small' })
      parts.push({ part_number: url.part_number, etag: answer.headers.get('etag') ?? '' })
    }
    const refused = storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
    await expect(refused).rejects.toMatchObject({ reason: 'PART_TOO_SMALL' })
  })

  it('gives its bytes back when it is aborted, and takes no further part', async () => {
    const tenant = await tenantStorage()
    const { admin, at, send, usage } = tenant
    const { storage } = admin.api
    const { part_urls, upload_id } = await twoParts(tenant)
    await storage.abortMultipartUpload({ ...at, upload_id })
    expect(await usage()).toMatchObject({ incomplete_upload_bytes: 0, bytes: 0 })
    const [, second] = part_urls
    if (!second) throw new Error('a part has no URL')
    expect((await send(second, { body: new Uint8Array(10) })).status).toBe(400)
    await expect(storage.abortMultipartUpload({ ...at, upload_id })).rejects.toMatchObject({
      reason: 'UPLOAD_NOT_FOUND',
    })
    expect((await storage.listMultipartUploads(at)).multipart_uploads).toEqual([])
    const ended = await storage.listMultipartUploads({
      ...at,
      filter: 'state = STORAGE_MULTIPART_UPLOAD_STATE_ABORTED',
    })
    expect(ended.multipart_uploads.map(({ id }) => id)).toEqual([upload_id])
  })

  it('counts a part that is uploaded again once', async () => {
    const tenant = await tenantStorage()
    const { send, usage } = tenant
    const { part_urls } = await twoParts(tenant)
    const [, second] = part_urls
    if (!second) throw new Error('a part has no URL')
    expect((await send(second, { body: new Uint8Array(10).fill(3) })).status).toBe(200)
    expect(await usage()).toMatchObject({ incomplete_upload_bytes: partBytes + 10 })
  })
})
