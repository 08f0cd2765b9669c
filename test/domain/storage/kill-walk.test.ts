import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { StorageClient } from '../../../output/storage/client.ts'
import type { PresignedUrl, StorageOperation } from '../../../output/storage/types.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { killWalk, walkTimeout } from '../../areas/kill/kill-walk.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { testToken } from '../../server/access/test-access.ts'
import { walkedAreas } from './walked-areas.ts'

const program = fileURLToPath(new URL('./walked-storage.ts', import.meta.url))
const engine = 'native'

/**
 * Makes a class with an instance, copies an object to the instance, deletes a bucket with its content, and deletes the
 * class.
 */
async function tell(call: typeof fetch, round: number): Promise<void> {
  const transport = createTransport({ baseUrl: '', token: testToken, fetch: call })
  const [taxonomy, storage] = [new TaxonomyClient(transport), new StorageClient(transport)]
  const { resource_id: organisation } = await taxonomy.createOrganisation({ body: { name: `acme-${round}` } })
  const { resource_id: workspace } = await taxonomy.createWorkspace({ organisation, body: { name: 'web' } })
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
  const at = { workspace, engine }
  const { resource_id: id } = await storage.createBucket({ ...at, body: { name: 'docs', storage_class } })
  expect(await storage.getBucket({ ...at, id })).toMatchObject({ instance_id: made.resource_id })
  await copyHello(storage, call, { from: await storage.createBucket({ ...at, body: { name: 'from' } }), to: id, at })
  const deleted = await storage.waitOperation(await storage.deleteBucket({ ...at, id, force: true }))
  expect(deleted).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  expect((await storage.listBuckets(at)).buckets.map(({ name }) => name)).toEqual(['from'])
  await storage.deleteStorageClass({ engine, id: storage_class })
}

interface Copy {
  readonly from: StorageOperation
  /** The id of the bucket of the copy. */
  readonly to: string
  readonly at: { readonly workspace: string; readonly engine: string }
}

/** Uploads an object to a bucket, and copies the object to a bucket on another instance. */
async function copyHello(storage: StorageClient, call: typeof fetch, { at, from, to: bucket }: Copy): Promise<void> {
  const source = { ...at, bucket: from.resource_id }
  const sent = await send(call, await storage.createPresignedUploadUrl({ ...source, body: { object: 'a' } }), 'hello')
  expect(await sent.text()).toBe('')
  expect(sent.status).toBe(200)
  const body = { source_bucket_id: source.bucket, source_object: 'a', destination_object: 'b' }
  const copied = await storage.waitOperation(await storage.copyObject({ ...at, bucket, body }))
  expect(copied).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  const link = await storage.createPresignedDownloadUrl({ ...at, bucket, body: { object: 'b' } })
  expect(await (await send(call, link)).text()).toBe('hello')
}

/** Sends a request over a presigned URL to any server; the signature names the host of the URL. */
function send(call: typeof fetch, { headers, method, url }: PresignedUrl, body?: string): Promise<Response> {
  const { host, pathname, search } = new URL(url)
  const init = { method: method.replace('STORAGE_HTTP_METHOD_', ''), headers: { ...headers, host } }
  return call(`${pathname}${search}`, { ...init, ...(body !== undefined && { body }) })
}

it('a server that is killed at any step of the work of storage is made up for', { timeout: walkTimeout }, async () => {
  const { missed, points, restarts, tried } = await killWalk({ program, areas: walkedAreas, walked: 'storage', tell })
  console.log(`${tried.length} of ${points.length} points; ${toldRestarts(restarts)}`)
  expect(missed.length).toBeLessThanOrEqual(tried.length / 4)
})
