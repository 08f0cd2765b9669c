import { beforeAll, describe, expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import type { RemoteStore } from '../../../../domain/storage/remote-store/remote-store.ts'
import { changeCollection } from '../../../../domain/storage/remote-objects/changes-store.ts'
import { remoteCollection } from '../../../../domain/storage/remote-buckets/remote-rows.ts'
import { remoteUploadCollection } from '../../../../domain/storage/remote-buckets/remote-upload-rows.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../store/left-place.ts'
import { hasGateway, type Gateway } from './gateway.ts'
import { interruptedStorage, type Interrupted } from './interrupted-store.ts'
import { get, put, remoteNameOf, send, type BucketAt, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
let stopped: Interrupted['stopped']
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  ;({ gateway, remote, stopped } = await interruptedStorage())
}, 120_000)

/** Makes a call whose server dies after the request `request` to the store, before it writes anything else. */
async function dying(request: keyof RemoteStore, call: () => Promise<unknown>, isDone: () => Promise<boolean>) {
  stopped.add(request)
  void call().catch(() => undefined)
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true)
  stopped.delete(request)
}

/** Changes the rows of calls, as if their process had died, or as if they had begun long ago. */
async function change<T extends object>(collection: Collection<T>, members: (row: T) => Partial<T>): Promise<void> {
  const store = await openBeside(remote.platform.config, storeCollections(areas))
  try {
    for await (const { id } of store.each(collection))
      await store.tx(async tx => {
        const stored = await tx.lock(collection, id)
        if (stored) await tx.update(collection, id, { ...stored.value, ...members(stored.value) }, stored.version)
      })
  } finally {
    await store.close()
  }
}

const dead = { owner: 'a process that has ended' } as const
const longAgo = '2020-01-01T00:00:00.000Z'

const exists = (at: BucketAt, object: string) => async (): Promise<boolean> => {
  const name = remoteNameOf(at)
  return gateway.account.read({ bucket: name, object }).then(
    () => true,
    () => false,
  )
}

const operationsOf = async (resource_id: string) =>
  (await api().storage.listOperations({ filter: `resource_id = "${resource_id}"` })).operations

/** Returns the number of uploads of a bucket in the store. */
async function uploadCount(at: BucketAt): Promise<number> {
  let count = 0
  for await (const _upload of gateway.account.uploads(remoteNameOf(at))) count += 1
  return count
}

/** Returns the state of an upload that has ended; undefined for an active upload. */
const stateOf = async (at: BucketAt, id: string) => {
  const filter = `id = "${id}" AND state != STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE`
  return (await api().storage.listMultipartUploads({ ...at, filter })).multipart_uploads[0]?.state
}

const left = { timeout: 60_000, interval: 250 }

describe.skipIf(!hasGateway)(
  'a server that dies between a change in an S3 store and its row',
  { timeout: 120_000 },
  () => {
    it('leaves a bucket that another server deletes', async () => {
      const names = async (): Promise<number> => {
        let count = 0
        for await (const { name } of gateway.account.buckets()) if (name.startsWith('nf-0')) count += 1
        return count
      }
      const before = await names()
      const at = { workspace: remote.workspace, engine: 's3' }
      const create = () => api().storage.createBucket({ ...at, body: { name: 'half' } })
      await dying('createBucket', create, async () => (await names()) === before + 1)
      await change(remoteCollection, ({ state }) => (state === 'MAKING' ? dead : {}))
      await expect.poll(names, left).toBe(before)
      await remote.bucket('half')
      expect(await names()).toBe(before + 1)
    })

    it('leaves a deletion of an object that is recorded later', async () => {
      const at = await remote.bucket('deletion')
      await put(api(), at, 'a', 'hello')
      const isGone = async () => !(await exists(at, 'a')())
      await dying('remove', () => api().storage.deleteObject({ ...at, object: 'a' }), isGone)
      await change(changeCollection, () => dead)
      await expect
        .poll(async () => (await operationsOf(`${at.bucket}/a`)).map(each => each.operation_type), left)
        .toEqual(['STORAGE_OPERATION_TYPE_DELETE'])
    })

    it('leaves a copy that is recorded later', async () => {
      const at = await remote.bucket('copy')
      await put(api(), at, 'a', 'hello')
      const body = { source_object: 'a', destination_object: 'b' }
      await dying('copy', () => api().storage.copyObject({ ...at, body }), exists(at, 'b'))
      await change(changeCollection, () => dead)
      await expect
        .poll(async () => (await operationsOf(`${at.bucket}/b`)).map(each => each.operation_type), left)
        .toEqual(['STORAGE_OPERATION_TYPE_CREATE'])
      expect(await (await get(api(), at, 'b')).text()).toBe('hello')
    })

    it.each(['the same call', 'a worker'])('leaves a completed upload that %s ends', async by => {
      const at = await remote.bucket(by === 'a worker' ? 'upload-worker' : 'upload-call')
      const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object: 'film' } })
      const wanted = { parts: [{ part_number: 1 }] }
      const [url] = (await api().storage.createPartUrls({ ...at, upload_id, body: wanted })).part_urls
      const answer = url && (await send(url, { body: 'hello' }))
      const parts = [{ part_number: 1, etag: answer?.headers.get('etag') ?? '' }]
      const complete = () => api().storage.completeMultipartUpload({ ...at, upload_id, body: { parts } })
      await dying('completeUpload', complete, exists(at, 'film'))
      if (by === 'a worker') await change(remoteUploadCollection, () => dead)
      else await complete()
      await expect.poll(() => stateOf(at, upload_id), left).toBe('STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED')
      const operations = await operationsOf(`${at.bucket}/film`)
      expect(operations.map(each => each.operation_type)).toEqual(['STORAGE_OPERATION_TYPE_COMPLETE'])
      expect((await complete()).id).toBe(operations[0]?.id)
    })

    it('leaves an upload without an object that a worker ends', async () => {
      const at = await remote.bucket('abort')
      const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object: 'film' } })
      const isGone = async () => (await uploadCount(at)) === 0
      await dying('abortUpload', () => api().storage.abortMultipartUpload({ ...at, upload_id }), isGone)
      await change(remoteUploadCollection, () => dead)
      await expect.poll(() => stateOf(at, upload_id), left).toBe('STORAGE_MULTIPART_UPLOAD_STATE_ABORTED')
      expect((await operationsOf(upload_id)).map(each => each.operation_type)).toEqual([
        'STORAGE_OPERATION_TYPE_DELETE',
        'STORAGE_OPERATION_TYPE_CREATE',
      ])
    })

    it('is taken for dead ten minutes after its change, although its process lives', async () => {
      const at = await remote.bucket('long')
      await put(api(), at, 'a', 'hello')
      const isGone = async () => !(await exists(at, 'a')())
      await dying('remove', () => api().storage.deleteObject({ ...at, object: 'a' }), isGone)
      await change(changeCollection, () => ({ create_time: longAgo }))
      await expect.poll(async () => (await operationsOf(`${at.bucket}/a`)).length, left).toBe(1)
    })

    it('leaves settings that another server writes', async () => {
      const at = await remote.bucket('settings')
      gateway.signal('SIGSTOP')
      const body = { versioning: 'STORAGE_VERSIONING_ENABLED' as const }
      const change = api().storage.updateBucket({ ...at, id: at.bucket, update_mask: 'versioning', body })
      const read = async () => (await api().storage.getBucket({ ...at, id: at.bucket })).versioning
      await expect.poll(read, left).toBe('STORAGE_VERSIONING_ENABLED')
      gateway.signal('SIGKILL')
      await gateway.restart()
      await change
      await expect.poll(() => gateway.account.versioning(remoteNameOf(at)), left).toBe('Enabled')
    })

    it('leaves rows in which the doctor finds nothing', async () => {
      expect(await doctorFindings(remote.platform.config)).toEqual([])
    })
  },
)
