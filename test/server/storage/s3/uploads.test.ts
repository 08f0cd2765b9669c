import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway, type Gateway } from './gateway.ts'
import { get, remoteNameOf, remoteStorage, send, type BucketAt, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  gateway = await startGateway(afterTests)
  remote = await remoteStorage(gateway.url, { later: afterTests })
}, 120_000)

const first = new Uint8Array(5_242_880).fill(1)
const second = new Uint8Array(10).fill(2)

async function begin(at: BucketAt, object: string): Promise<string> {
  return (await api().storage.createMultipartUpload({ ...at, body: { object, content_type: 'text/plain' } }))
    .resource_id
}

/** Uploads the parts of an upload; returns their etags. */
async function putParts(at: BucketAt, upload_id: string, parts: readonly Uint8Array<ArrayBuffer>[]) {
  const body = { parts: parts.map((bytes, i) => ({ part_number: i + 1, content_length: bytes.length })) }
  const { part_urls } = await api().storage.createPartUrls({ ...at, upload_id, body })
  const done: { part_number: number; etag: string }[] = []
  for (const [i, url] of part_urls.entries()) {
    const answer = await send(url, { body: parts[i] ?? null })
    expect(answer.status).toBe(200)
    done.push({ part_number: url.part_number, etag: (answer.headers.get('etag') ?? '').replaceAll('"', '') })
  }
  return done
}

describe.skipIf(!hasGateway)('uploads in parts to an S3 store', { timeout: 60_000 }, () => {
  it('make an object of their parts, and the same operation for the same completion', async () => {
    const at = await remote.bucket('parts')
    const upload_id = await begin(at, 'film')
    const parts = await putParts(at, upload_id, [first, second])
    const listed = await api().storage.listMultipartUploads({
      ...at,
      view: 'STORAGE_VIEW_FULL',
      filter: `id = "${upload_id}"`,
    })
    expect(listed.multipart_uploads[0]).toMatchObject({ part_count: 2, uploaded_bytes: 5_242_890, parts })
    const operation = await api().storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
    expect(operation).toMatchObject({ resource_id: `${at.bucket}/film`, status: 'STORAGE_OPERATION_STATUS_DONE' })
    expect(await api().storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })).toEqual(operation)
    expect(await api().storage.getObject({ ...at, object: 'film' })).toMatchObject({
      etag: '34d4c179026ab040d35d264b856c514a-2',
      size: 5_242_890,
      content_type: 'text/plain',
    })
    const answer = await get(api(), at, 'film', { headers: { range: 'bytes=5242879-5242880' } })
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([1, 2])
    expect((await api().storage.listMultipartUploads({ ...at })).multipart_uploads).toEqual([])
  })

  it('are refused with parts that are absent, changed, out of order or too small', async () => {
    const at = await remote.bucket('faulty-parts')
    const upload_id = await begin(at, 'film')
    const parts = await putParts(at, upload_id, [second, second])
    const [one = { part_number: 1, etag: '' }, two = { part_number: 2, etag: '' }] = parts
    const complete = (listed: readonly { part_number: number; etag: string }[]) =>
      api().storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [...listed] } })
    await expect(complete([two, one])).rejects.toMatchObject({ reason: 'PARTS_NOT_ASCENDING' })
    await expect(complete([one, { ...two, part_number: 3 }])).rejects.toMatchObject({ reason: 'PART_MISSING' })
    await expect(complete([{ ...one, etag: '0'.repeat(32) }])).rejects.toMatchObject({ reason: 'PART_ETAG_MISMATCH' })
    await expect(complete([one, two])).rejects.toMatchObject({ reason: 'PART_TOO_SMALL' })
    expect((await complete([one])).resource_id).toBe(`${at.bucket}/film`)
  })

  it('end without an object in the store too', async () => {
    const at = await remote.bucket('aborted')
    const upload_id = await begin(at, 'film')
    await putParts(at, upload_id, [second])
    await api().storage.abortMultipartUpload({ ...at, upload_id })
    await expect(api().storage.abortMultipartUpload({ ...at, upload_id })).rejects.toMatchObject({
      reason: 'UPLOAD_NOT_FOUND',
    })
    const left = []
    for await (const upload of gateway.account.uploads(remoteNameOf(at))) left.push(upload)
    expect(left).toEqual([])
    await api().storage.deleteBucket({ ...at, id: at.bucket })
  })

  it('are completed once by concurrent completions', async () => {
    const at = await remote.bucket('concurrent')
    const upload_id = await begin(at, 'film')
    const parts = await putParts(at, upload_id, [first, second])
    const body = { parts }
    const calls = [1, 2].map(() => api().storage.completeMultipartUpload({ ...at, upload_id, body }))
    const answers = await Promise.allSettled(calls)
    const ids = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.id] : []))
    expect(new Set(ids).size).toBe(1)
    // A completion that begins after the other one has ended finds no upload.
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ reason: 'UPLOAD_NOT_FOUND' })
    expect((await api().storage.getObject({ ...at, object: 'film' })).size).toBe(5_242_890)
  })
})
