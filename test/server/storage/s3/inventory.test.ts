import { beforeAll, describe, expect, it } from 'vitest'
import { GivenSettings } from '../../../../server/settings/values.ts'
import { storageSettings } from '../../../../server/storage/settings.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway, type Gateway } from './gateway.ts'
import { put, remoteNameOf, remoteStorage, send, type BucketAt, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  gateway = await startGateway(afterTests)
  const given = new GivenSettings().with(storageSettings['storage.s3_inventory'], 1000)
  remote = await remoteStorage(gateway.url, { later: afterTests, config: { given } })
}, 120_000)

const left = { timeout: 60_000, interval: 250 }
const read = ({ bucket, ...at }: BucketAt) => api().storage.getBucket({ ...at, id: bucket })

describe.skipIf(!hasGateway)('the inventory of a bucket on an S3 store', { timeout: 120_000 }, () => {
  it('counts objects, versions and parts, and sets what they take of the quota', async () => {
    const at = await remote.bucket('counted', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    for (const content of ['first', 'second']) await put(api(), at, 'a', content)
    await put(api(), at, 'b', 'x')
    await api().storage.deleteObject({ ...at, object: 'b' })
    const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object: 'c' } })
    const body = { parts: [{ part_number: 1 }] }
    const [url] = (await api().storage.createPartUrls({ ...at, upload_id, body })).part_urls
    if (url) await send(url, { body: 'part' })
    await expect
      .poll(async () => (await read(at)).usage, left)
      .toMatchObject({
        object_count: 1,
        version_count: 3,
        bytes: 12,
        noncurrent_bytes: 6,
        incomplete_upload_bytes: 4,
      })
    const [upload] = (await api().storage.listMultipartUploads({ ...at })).multipart_uploads
    expect(upload).toMatchObject({ part_count: 1, uploaded_bytes: 4 })
    expect(await doctorFindings(remote.platform.config)).toEqual([])
    await api().storage.deleteBucket({ ...at, id: at.bucket, force: true })
    await expect.poll(() => gateway.account.hasBucket(remoteNameOf(at)), left).toBe(false)
    await expect.poll(() => doctorFindings(remote.platform.config), left).toEqual([])
  })

  it('sets the state ERROR while the bucket is gone in the store, and ACTIVE once it is back', async () => {
    const at = await remote.bucket('lost')
    await gateway.account.deleteBucket(remoteNameOf(at))
    await expect.poll(async () => (await read(at)).state, left).toBe('STORAGE_BUCKET_STATE_ERROR')
    const body = { object: 'a' }
    for (const call of [
      () => api().storage.createPresignedDownloadUrl({ ...at, body }),
      () => api().storage.createPresignedUploadUrl({ ...at, body }),
      () => api().storage.listObjects({ ...at }),
      () => api().storage.getObject({ ...at, object: 'a' }),
    ])
      await expect(call()).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    await gateway.account.createBucket(remoteNameOf(at))
    await expect.poll(async () => (await read(at)).state, left).toBe('STORAGE_BUCKET_STATE_ACTIVE')
    expect((await api().storage.listObjects({ ...at })).objects).toEqual([])
  })

  it('keeps a bucket while its store does not answer', async () => {
    const at = await remote.bucket('waiting')
    await put(api(), at, 'a', 'hello')
    gateway.signal('SIGKILL')
    await expect(api().storage.getObject({ ...at, object: 'a' })).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
    })
    const { id } = await api().storage.deleteBucket({ ...at, id: at.bucket, force: true })
    expect((await read(at)).state).toBe('STORAGE_BUCKET_STATE_DELETING')
    await gateway.restart()
    const ended = async () => (await api().storage.getOperation({ id })).status
    await expect.poll(ended, left).toBe('STORAGE_OPERATION_STATUS_DONE')
    expect(await gateway.account.hasBucket(remoteNameOf(at))).toBe(false)
  })
})
