import { beforeAll, describe, expect, it } from 'vitest'
import type { StorageOperation } from '../../../../output/storage/types.ts'
import type { RemoteStore } from '../../../../domain/storage/remote-store/remote-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { hasGateway } from './gateway.ts'
import { interruptedStorage, type Interrupted } from './interrupted-store.ts'
import { get, put, remoteNameOf, send, type BucketAt } from './remote-storage.ts'

let here: Interrupted
const api = () => here.remote.admin.api

beforeAll(async () => {
  if (hasGateway) here = await interruptedStorage()
}, 120_000)

const left = { timeout: 60_000, interval: 100 }

/** Makes a call whose store is killed after it has done what `request` asks for, and starts the store again. */
async function killing(request: keyof RemoteStore, call: () => Promise<unknown>): Promise<void> {
  here.cut.add(request)
  await expect(call()).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  here.cut.delete(request)
  await here.gateway.restart()
}

/** Waits until a resource has exactly one operation of a type. */
const recorded = (resource_id: string, type: StorageOperation['operation_type']) =>
  expect
    .poll(async () => {
      const filter = `resource_id = "${resource_id}" AND operation_type = ${type}`
      return (await api().storage.listOperations({ filter })).operations.length
    }, left)
    .toBe(1)

async function bucketNames(): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { name } of here.gateway.account.buckets()) names.push(name)
  return names
}

/** Begins an upload of an object with one part; returns the body of its completion. */
async function begin(at: BucketAt, object: string) {
  const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object } })
  const { part_urls } = await api().storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  const parts: { part_number: number; etag: string }[] = []
  for (const url of part_urls) {
    const etag = (await send(url, { body: 'part' })).headers.get('etag') ?? ''
    parts.push({ part_number: 1, etag })
  }
  return { ...at, upload_id, body: { parts } }
}

describe.skipIf(!hasGateway)('an S3 store that is killed before it answers', { timeout: 120_000 }, () => {
  it('leaves no bucket of a creation that has failed', async () => {
    const before = await bucketNames()
    await killing('createBucket', () => here.remote.bucket('made'))
    await expect.poll(bucketNames, left).toEqual(before)
    await here.remote.bucket('made')
  })

  it('leaves changes of objects and ends of uploads that are recorded once it answers', async () => {
    const at = await here.remote.bucket('changed')
    await put(api(), at, 'a', 'hello')
    const body = { source_object: 'a', destination_object: 'b' }
    await killing('copy', () => api().storage.copyObject({ ...at, body }))
    await recorded(`${at.bucket}/b`, 'STORAGE_OPERATION_TYPE_CREATE')
    await killing('remove', () => api().storage.deleteObject({ ...at, object: 'a' }))
    await recorded(`${at.bucket}/a`, 'STORAGE_OPERATION_TYPE_DELETE')
    const completion = await begin(at, 'c')
    await killing('completeUpload', () => api().storage.completeMultipartUpload(completion))
    await recorded(`${at.bucket}/c`, 'STORAGE_OPERATION_TYPE_COMPLETE')
    const repeated = await api().storage.completeMultipartUpload(completion)
    expect(repeated).toMatchObject({ resource_id: `${at.bucket}/c`, status: 'STORAGE_OPERATION_STATUS_DONE' })
    const { upload_id } = await begin(at, 'd')
    await killing('abortUpload', () => api().storage.abortMultipartUpload({ ...at, upload_id }))
    await recorded(upload_id, 'STORAGE_OPERATION_TYPE_DELETE')
    expect((await api().storage.listMultipartUploads(at)).multipart_uploads).toEqual([])
    expect(await (await get(api(), at, 'b')).text()).toBe('hello')
    expect((await api().storage.listObjects(at)).objects.map(({ name }) => name)).toEqual(['b', 'c'])
  })

  it('leaves a change that it has not made, and that is recorded once after a repetition', async () => {
    const at = await here.remote.bucket('unmade')
    await put(api(), at, 'a', 'hello')
    here.lost.add('remove')
    const unavailable = { reason: 'ENGINE_UNAVAILABLE' }
    await expect(api().storage.deleteObject({ ...at, object: 'a' })).rejects.toMatchObject(unavailable)
    here.lost.delete('remove')
    await api().storage.deleteObject({ ...at, object: 'a' })
    await recorded(`${at.bucket}/a`, 'STORAGE_OPERATION_TYPE_DELETE')
  })

  it('goes on with settings, and with the deletion of a bucket', async () => {
    const at = await here.remote.bucket('deleted')
    await put(api(), at, 'a', 'hello')
    here.cut.add('setVersioning')
    const body = { versioning: 'STORAGE_VERSIONING_ENABLED' as const }
    await api().storage.updateBucket({ ...at, id: at.bucket, update_mask: 'versioning', body })
    here.cut.delete('setVersioning')
    await here.gateway.restart()
    await expect.poll(() => here.gateway.account.versioning(remoteNameOf(at)), left).toBe('Enabled')
    here.cut.add('deleteBucket')
    const deletion = await api().storage.deleteBucket({ ...at, id: at.bucket, force: true })
    const isDown = () => here.gateway.account.hasBucket(remoteNameOf(at)).catch(() => 'down')
    await expect.poll(isDown, left).toBe('down')
    here.cut.delete('deleteBucket')
    await here.gateway.restart()
    const ended = await api().storage.waitOperation(deletion)
    expect(ended).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
    expect(await bucketNames()).not.toContain(remoteNameOf(at))
    expect(await doctorFindings(here.remote.platform.config)).toEqual([])
  })
})
