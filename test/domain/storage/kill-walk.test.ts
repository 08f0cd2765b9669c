import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { StorageClient } from '../../../output/storage/client.ts'
import type { PresignedUrl } from '../../../output/storage/types.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { walkTimeout } from '../../areas/kill/tried-points.ts'
import { testToken } from '../../server/access/test-access.ts'
import { walkedAreas } from './walked-areas.ts'

const program = fileURLToPath(new URL('./walked-storage.ts', import.meta.url))
const engine = 'native'

/** A bucket in a workspace, by the members of a path. */
interface Place {
  readonly workspace: string
  readonly engine: string
  readonly bucket: string
}

/**
 * Changes objects of a bucket, makes a class with an instance, copies an object to the instance, deletes a bucket with
 * its content, deletes the class, and lets lifecycle rules empty the first bucket.
 */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call })
  const [taxonomy, storage] = [new TaxonomyClient(transport), new StorageClient(transport)]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
  const at = { workspace, engine }
  const { resource_id: bucket } = await storage.createBucket({ ...at, body: { name: 'from' } })
  await changeObjects(storage, call, { ...at, bucket })
  const storage_class = `class-${round}`
  await storage.createStorageClass({ engine, body: { name: storage_class, tier: 'STORAGE_TIER_COLD' } })
  const made = await storage.waitOperation(
    await storage.instantiateStorageClass({ storage_class, body: { name: 'first', location: 'local' } }),
  )
  expect(made).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  const instance = { storage_class, id: made.resource_id }
  expect(await storage.getStorageClassInstance(instance)).toMatchObject({
    state: 'STORAGE_CLASS_INSTANCE_STATE_READY',
    region: 'local1',
  })
  const { resource_id: id } = await storage.createBucket({ ...at, body: { name: 'docs', storage_class } })
  expect(await storage.getBucket({ ...at, id })).toMatchObject({ instance_id: made.resource_id })
  await copyBetween(storage, call, { ...at, bucket }, id)
  const deleted = await storage.waitOperation(await storage.deleteBucket({ ...at, id, force: true }))
  expect(deleted).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  expect((await storage.listBuckets(at)).buckets.map(({ name }) => name)).toEqual(['from'])
  await storage.deleteStorageClass({ engine, id: storage_class })
  await expire(storage, { ...at, bucket })
}

/** Uploads, overwrites, copies and deletes objects of a bucket, in one piece and in parts; leaves the object `a`. */
async function changeObjects(storage: StorageClient, call: typeof fetch, at: Place): Promise<void> {
  await put(storage, call, at, 'one')
  await put(storage, call, at, 'three')
  await storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'b' } })
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'c' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  for (const url of part_urls) {
    const etag = (await accepted(await send(call, url, 'part'))).headers.get('etag') ?? ''
    await storage.completeMultipartUpload({ ...at, upload_id, body: { parts: [{ part_number: 1, etag }] } })
  }
  const { resource_id: aborted } = await storage.createMultipartUpload({ ...at, body: { object: 'd' } })
  await storage.abortMultipartUpload({ ...at, upload_id: aborted })
  await storage.deleteObject({ ...at, object: 'b' })
  const { objects } = await storage.listObjects(at)
  expect(objects.map(({ name, size }) => [name, size])).toEqual([
    ['a', 5],
    ['c', 4],
  ])
  expect((await storage.getBucket({ ...at, id: at.bucket })).usage).toMatchObject({
    bytes: 9,
    version_count: 2,
    incomplete_upload_bytes: 0,
  })
}

/** Sets rules that delete objects and end uploads of any age, and waits until a run has made its operation. */
async function expire(storage: StorageClient, at: Place): Promise<void> {
  await storage.createMultipartUpload({ ...at, body: { object: 'e' } })
  const condition = { age_days: 0 }
  const actions = ['DELETE', 'ABORT_INCOMPLETE_MULTIPART_UPLOAD'] as const
  const lifecycle_rules = actions.map(action => ({
    id: action,
    action: `STORAGE_LIFECYCLE_ACTION_${action}` as const,
    condition,
  }))
  const id = at.bucket
  await storage.updateBucket({ ...at, id, update_mask: 'lifecycle_rules', body: { lifecycle_rules } })
  const left = async () => {
    const [{ objects }, { multipart_uploads }] = [await storage.listObjects(at), await storage.listMultipartUploads(at)]
    return objects.length + multipart_uploads.length
  }
  await expect.poll(left, { timeout: 60_000 }).toBe(0)
  const filter = `resource_id = "${id}" AND operation_type = STORAGE_OPERATION_TYPE_UPDATE`
  const ended = async () =>
    (await storage.listOperations({ filter })).operations.filter(({ trace_id }) => trace_id === '').length
  await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThan(0)
}

/** Copies the object `a` of a bucket to a bucket on another instance. */
async function copyBetween(storage: StorageClient, call: typeof fetch, from: Place, bucket: string): Promise<void> {
  const to = { ...from, bucket }
  const body = { source_bucket_id: from.bucket, source_object: 'a', destination_object: 'b' }
  const copied = await storage.waitOperation(await storage.copyObject({ ...to, body }))
  expect(copied).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  const link = await storage.createPresignedDownloadUrl({ ...to, body: { object: 'b' } })
  expect(await (await accepted(await send(call, link))).text()).toBe('three')
}

/** Uploads a text as the object `a`. */
async function put(storage: StorageClient, call: typeof fetch, at: Place, text: string): Promise<void> {
  await accepted(await send(call, await storage.createPresignedUploadUrl({ ...at, body: { object: 'a' } }), text))
}

async function accepted(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer
}

/** Sends a request over a presigned URL to any server; the signature names the host of the URL. */
function send(call: typeof fetch, { headers, method, url }: PresignedUrl, body?: string): Promise<Response> {
  const { host, pathname, search } = new URL(url)
  const init = { method: method.replace('STORAGE_HTTP_METHOD_', ''), headers: { ...headers, host } }
  return call(`${pathname}${search}`, { ...init, ...(body !== undefined && { body }) })
}

/** The procedures that need an S3 store, which have a walk of their own. */
const leftOut = ['storage.copyRemoteObject', 'storage.deleteRemoteBucket']

it('a server that is killed at any step of the work of storage is made up for', { timeout: walkTimeout }, async () => {
  const walk = { program, areas: walkedAreas, walked: 'storage', tell, leftOut }
  const { missed, points, restarts, tried } = await killWalk(walk)
  console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
  expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
})
