import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StorageClient } from '../../../../../output/storage/client.ts'
import type { StorageClassInput } from '../../../../../output/storage/types.ts'
import { Ninefold } from '../../../../../output/client.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { createTransport } from '../../../../../runtime/transport.ts'
import { killWalk } from '../../../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../../../areas/kill/restarts.ts'
import { walkTimeout } from '../../../../areas/kill/tried-points.ts'
import { testToken } from '../../../access/test-access.ts'
import { hasGateway, keys, startGateway, type Gateway } from '../gateway.ts'
import { addSecret, classBody, get, put, remoteNameOf, send, type BucketAt } from '../remote-storage.ts'
import { walkedAreas } from './walked-areas.ts'

const program = fileURLToPath(new URL('./walked-s3.ts', import.meta.url))

/** The procedures of the native engine, which has a walk of its own. */
const leftOut = ['storage.copyObject', 'storage.deleteBucket', 'storage.instantiate', 'storage.removeInstance']

const settled = { timeout: 60_000, interval: 50 }

/**
 * Makes a class on the store with a bucket, changes its settings and its objects, and deletes the bucket with its content
 * and the class.
 */
async function tell(gateway: Gateway, call: typeof fetch, round: number): Promise<void> {
  const api = new Ninefold(createTransport({ baseUrl: '', token: testToken, fetch: call }))
  const { storage, taxonomy } = api
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const secret = await addSecret(api, `s3-keys-${round}`, keys)
  const storage_class = `remote-${round}`
  const body = { ...classBody(storage_class, gateway.url, secret), is_default: false }
  await storage.createStorageClass({ engine: 's3', body })
  const at = { workspace, engine: 's3' }
  const { resource_id: bucket } = await storage.createBucket({ ...at, body: { name: 'docs', storage_class } })
  await expect.poll(() => bucketsOf(gateway), settled).toEqual([remoteNameOf({ ...at, bucket })])
  await changeObjects(api, { ...at, bucket })
  await copyBetween(api, { ...at, bucket }, body)
  const versioning = 'STORAGE_VERSIONING_ENABLED' as const
  await storage.updateBucket({ ...at, id: bucket, update_mask: 'versioning', body: { versioning } })
  await expect.poll(() => gateway.account.versioning(remoteNameOf({ ...at, bucket })), settled).toBe('Enabled')
  const deleted = await storage.waitOperation(await storage.deleteBucket({ ...at, id: bucket, force: true }))
  expect(deleted).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  expect(await bucketsOf(gateway)).toEqual([])
  await storage.deleteStorageClass({ engine: 's3', id: storage_class })
}

/** Copies and deletes objects of a bucket, and ends an upload with and an upload without an object. */
async function changeObjects(api: Ninefold, at: BucketAt): Promise<void> {
  const { storage } = api
  expect((await put(api, at, 'a', 'hello')).status).toBe(200)
  await storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'b' } })
  expect(await (await get(api, at, 'b')).text()).toBe('hello')
  await gone(storage.deleteObject({ ...at, object: 'a' }))
  const deletions = `resource_id = "${at.bucket}/a" AND operation_type = STORAGE_OPERATION_TYPE_DELETE`
  await expect.poll(() => operationCount(storage, deletions), settled).toBe(1)
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'c' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  for (const url of part_urls) {
    const etag = (await send(url, { body: 'part' })).headers.get('etag') ?? ''
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [{ part_number: 1, etag }] } })
  }
  const { resource_id: aborted } = await storage.createMultipartUpload({ ...at, body: { object: 'd' } })
  await gone(storage.abortMultipartUpload({ ...at, upload_id: aborted }))
  const states = await storage.listMultipartUploads({ ...at, filter: 'state != STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' })
  expect(states.multipart_uploads.map(({ object, state }) => [object, state])).toEqual([
    ['c', 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED'],
    ['d', 'STORAGE_MULTIPART_UPLOAD_STATE_ABORTED'],
  ])
  expect((await storage.listObjects(at)).objects.map(({ name, size }) => [name, size])).toEqual([
    ['b', 5],
    ['c', 4],
  ])
}

/** Copies an object to a bucket of another class, and deletes the bucket and the class. */
async function copyBetween({ storage }: Ninefold, from: BucketAt, of: StorageClassInput): Promise<void> {
  const storage_class = `${of.name}-other`
  await storage.createStorageClass({ engine: 's3', body: { ...of, name: storage_class } })
  const { workspace, engine } = from
  const { resource_id: id } = await storage.createBucket({ workspace, engine, body: { name: 'far', storage_class } })
  const body = { source_bucket_id: from.bucket, source_object: 'b', destination_object: 'copy' }
  const copied = await storage.waitOperation(await storage.copyObject({ workspace, engine, bucket: id, body }))
  expect(copied).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  expect(await storage.getObject({ workspace, engine, bucket: id, object: 'copy' })).toMatchObject({ size: 5 })
  await storage.waitOperation(await storage.deleteBucket({ workspace, engine, id, force: true }))
  await storage.deleteStorageClass({ engine, id: storage_class })
}

/** Waits for a deletion; a repetition finds nothing if a worker has recorded the deletion of the call that was killed. */
async function gone(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof ApiError) || error.rpc !== 'NOT_FOUND') throw error
  }
}

const operationCount = async (storage: StorageClient, filter: string): Promise<number> =>
  (await storage.listOperations({ filter })).operations.length

/** Returns the names of the buckets in the store, without the buckets that probes of classes have left. */
async function bucketsOf({ account }: Gateway): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { name } of account.buckets()) if (!name.startsWith('nf-probe-')) names.push(name)
  return names
}

describe.skipIf(!hasGateway)('a server over an S3 store', () => {
  it(
    'is made up for wherever it is killed between a change of the store and its row',
    { timeout: 3 * walkTimeout },
    async () => {
      const gateway = await startGateway(onTestFinished)
      const { missed, points, restarts, tried } = await killWalk({
        program,
        areas: walkedAreas,
        walked: 'storage',
        tell: (call, round) => tell(gateway, call, round),
        leftOut,
      })
      console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
      expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
    },
  )
})
