import { setTimeout as nextPoll } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { done } from '../../../domain/ports/procedures.ts'
import { contentCollection } from '../../../domain/storage/contents/contents-store.ts'
import { copyCollection, pin, unpin } from '../../../domain/storage/copies/copies-store.ts'
import { copyProcedure } from '../../../domain/storage/copies/copy-procedure.ts'
import type { BucketInput, StorageOperation } from '../../../output/storage/types.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { areas } from '../../../server/areas.ts'
import { works } from '../../../server/operations/work.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { absentId, addTenant } from '../../areas/members.ts'
import { testStore } from '../../server/store/harness.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantStorage, type TenantStorage } from './tenant-storage.ts'

async function ended({ admin }: TenantStorage, { id }: StorageOperation): Promise<StorageOperation> {
  const until = performance.now() + 60_000
  for (;;) {
    const operation = await admin.api.storage.getOperation({ id })
    if (isEnded(operation)) return operation
    if (performance.now() > until) throw new Error(`operation ${id} is still ${operation.status}`)
    await nextPoll(10)
  }
}

describe('a copy', () => {
  it('on one instance is done at once, and shares its content until both are deleted', async () => {
    const tenant = await tenantStorage()
    const { admin, at, get, put, usage } = tenant
    const { storage } = admin.api
    await put('a', 'hello', { content_type: 'text/plain', custom_metadata: { colour: 'red' } })
    const { version_id } = await storage.getObject({ ...at, object: 'a' })
    const made = await storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'b' } })
    expect([made.status, made.resource_id]).toEqual(['STORAGE_OPERATION_STATUS_DONE', `${at.bucket}/b`])
    expect(await storage.getObjectMetadata({ ...at, object: 'b' })).toMatchObject({
      content_type: 'text/plain',
      custom_metadata: { colour: 'red' },
      source_version_id: version_id,
      etag: '5d41402abc4b2a76b9719d911017c592',
    })
    expect(await usage()).toMatchObject({ bytes: 10, object_count: 2 })
    await storage.deleteObject({ ...at, object: 'a' })
    expect(await (await get('b')).text()).toBe('hello')
    await storage.deleteObject({ ...at, object: 'b' })
    expect(await usage()).toMatchObject({ bytes: 0, object_count: 0 })
  })

  it('onto itself changes the metadata, or is refused', async () => {
    const { admin, at, get, put, usage } = await tenantStorage()
    const { storage } = admin.api
    await put('a', 'hello')
    const names = { source_object: 'a', destination_object: 'a' }
    await expect(storage.copyObject({ ...at, body: names })).rejects.toMatchObject({ reason: 'COPY_ONTO_ITSELF' })
    const metadata_directive = 'STORAGE_METADATA_DIRECTIVE_REPLACE'
    await storage.copyObject({ ...at, body: { ...names, metadata_directive, content_type: 'text/markdown' } })
    const read = await get('a')
    expect([read.headers.get('content-type'), await read.text()]).toEqual(['text/markdown', 'hello'])
    expect(await usage()).toMatchObject({ bytes: 5, version_count: 1 })
  })

  it('onto itself is seen by a caller who knows the etag of the content', async () => {
    const { admin, at, platform, put } = await tenantStorage()
    await put('a', 'hello', { content_type: 'text/html' })
    const read = async () => {
      const path = `http://ninefold.test/storage/v1/workspaces/${at.workspace}/engines/native/buckets/${at.bucket}/objects/a`
      const answers = ['', ':metadata'].map(verb =>
        platform.from('192.0.2.7')(`${path}${verb}`, {
          headers: { authorization: `Bearer ${admin.token}`, 'if-none-match': '"5d41402abc4b2a76b9719d911017c592"' },
        }),
      )
      return Promise.all(answers.map(async answer => (await answer).json()))
    }
    const before = { etag: '5d41402abc4b2a76b9719d911017c592', content_type: 'text/html' }
    expect(await read()).toMatchObject([before, before])
    const metadata_directive = 'STORAGE_METADATA_DIRECTIVE_REPLACE'
    const body = {
      source_object: 'a',
      destination_object: 'a',
      metadata_directive,
      content_type: 'text/plain',
    } as const
    await admin.api.storage.copyObject({ ...at, body })
    const after = { ...before, content_type: 'text/plain' }
    expect(await read()).toMatchObject([after, after])
  })

  it('of an older version onto itself restores the version', async () => {
    const { admin, at, get, put } = await tenantStorage({ versioning: 'STORAGE_VERSIONING_ENABLED' })
    const { storage } = admin.api
    await put('a', 'first')
    const { version_id: source_version_id } = await storage.getObject({ ...at, object: 'a' })
    await put('a', 'second')
    const body = { source_object: 'a', source_version_id, destination_object: 'a' }
    await storage.copyObject({ ...at, body })
    expect(await (await get('a')).text()).toBe('first')
  })

  it.each([
    ['OBJECT_NOT_FOUND', 'source_object', 'absent'],
    ['OBJECT_VERSION_NOT_FOUND', 'source_version_id', absentId],
    ['OBJECT_NOT_FOUND', 'source_version_id', 'a marker'],
    ['BUCKET_NOT_FOUND', 'source_bucket_id', absentId],
  ])('whose source is absent is refused with %s at %s (%s)', async (reason, field, value) => {
    const { admin, at, put } = await tenantStorage({ versioning: 'STORAGE_VERSIONING_ENABLED' })
    const { storage } = admin.api
    await put('a', 'hello')
    await storage.deleteObject({ ...at, object: 'a' })
    const { objects } = await storage.listObjects({ ...at, versions: true })
    const marker = objects.find(({ is_delete_marker }) => is_delete_marker)?.version_id
    await put('a', 'hello')
    const source = { [field]: value === 'a marker' ? marker : value }
    const body = { source_object: 'a', destination_object: 'c', ...source }
    await expect(storage.copyObject({ ...at, body })).rejects.toMatchObject({
      reason,
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field }], resource: {} },
    })
  })

  it.each([
    ['SOURCE_PRECONDITION_FAILED', { source_if_match: 'another' }],
    ['OBJECT_ALREADY_EXISTS', { destination_object: 'b', if_none_match: '*' }],
    ['OBJECT_NAME_INVALID', { destination_object: '/b' }],
    ['FIELD_INVALID', { content_type: 'text/html' }],
  ])('is refused with %s', async (reason, more) => {
    const { admin, at, put } = await tenantStorage()
    await put('a', 'hello')
    await put('b', 'there')
    const body = { source_object: 'a', destination_object: 'c', ...more }
    await expect(admin.api.storage.copyObject({ ...at, body })).rejects.toMatchObject({ reason })
  })

  it('from a bucket of another workspace needs the right to download there', async () => {
    const tenant = await tenantStorage()
    const { admin, at, put } = tenant
    await put('a', 'hello')
    const { workspace } = await addTenant(admin.api, 'globex')
    const there = { workspace, engine: 'native' }
    const { resource_id: bucket } = await admin.api.storage.createBucket({ ...there, body: { name: 'copies' } })
    const body = { source_bucket_id: at.bucket, source_object: 'a', destination_object: 'b' }
    await admin.api.storage.copyObject({ ...there, bucket, body })
    expect((await admin.api.storage.getObject({ ...there, bucket, object: 'b' })).size).toBe(5)
  })

  it('between instances copies the bytes in the background, and an empty object too', async () => {
    const tenant = await tenantStorage()
    const { admin, at, put } = tenant
    const { storage } = admin.api
    const content = new Uint8Array(400_000).fill(9)
    await put('a', content)
    await put('empty', '')
    const { there } = await archiveBucket(tenant)
    for (const source_object of ['a', 'empty']) {
      const body = { source_bucket_id: at.bucket, source_object, destination_object: source_object }
      const operation = await ended(tenant, await storage.copyObject({ ...there, body }))
      expect(operation.errors).toEqual([])
      await storage.deleteObject({ ...at, object: source_object })
    }
    const read = async (object: string): Promise<Uint8Array> =>
      (await tenant.send(await storage.createPresignedDownloadUrl({ ...there, body: { object } }))).bytes()
    expect(Buffer.from(await read('a')).equals(content)).toBe(true)
    expect(await read('empty')).toHaveLength(0)
    expect(await storage.getObjectMetadata({ ...there, object: 'a' })).toMatchObject({ storage_class: 'archive' })
  })

  it.each([
    ['OBJECT_ALREADY_EXISTS', { if_none_match: '*' }],
    ['OBJECT_RETAINED', {}],
  ])('between instances is refused at once with %s', async (reason, more) => {
    const tenant = await tenantStorage()
    const { admin, at, put, send } = tenant
    const { storage } = admin.api
    await put('a', 'hello')
    const { there } = await archiveBucket(tenant, { retention_policy: { retention_period: '3600s' } })
    await send(await storage.createPresignedUploadUrl({ ...there, body: { object: 'b' } }), { body: 'kept' })
    const body = { source_bucket_id: at.bucket, source_object: 'a', destination_object: 'b', ...more }
    await expect(storage.copyObject({ ...there, body })).rejects.toMatchObject({ reason })
  })

  it('keeps the files of its source until it ends, even if the class of the source is deleted', async () => {
    const tenant = await tenantStorage()
    const { admin, platform, send } = tenant
    const { storage } = admin.api
    const { there } = await archiveBucket(tenant)
    const sent = await send(await storage.createPresignedUploadUrl({ ...there, body: { object: 'a' } }), { body: 'x' })
    expect(sent.status).toBe(200)
    const store = await openBeside(platform.config, storeCollections(areas))
    const { id: content_id = '' } = (await store.find(contentCollection, {})) ?? {}
    const copy = { id: crypto.randomUUID(), workspace_id: there.workspace, content_id }
    await store.tx(tx => pin(tx, copy, Date.now()))
    await ended(tenant, await storage.deleteBucket({ ...there, id: there.bucket, force: true }))
    await storage.deleteStorageClass({ engine: 'native', id: 'archive' })
    await expect.poll(() => store.exists(works, { kind: 'storage.removeInstance' })).toBe(true)
    expect((await store.get(contentCollection, content_id))?.value.references).toBe(1)
    await store.tx(tx => unpin(tx, copy.id, Date.now()))
    await expect.poll(() => store.count(works), { timeout: 30_000 }).toBe(0)
    expect(await store.get(contentCollection, content_id)).toBeUndefined()
    await store.close()
  })

  it('that has ended is not repeated, so that a deleted copy stays deleted', async () => {
    const store = await testStore(copyCollection)
    const [step] = copyProcedure({ lease: { isServing: async () => true } } as never).steps
    const ended = { store, input: { bucket: 'bucket', content: 'content', copy: { id: 'copy', name: 'b' } } }
    expect(await step?.run(ended as never)).toEqual(done())
  })
})

/** Makes a class with an instance, and a bucket on the instance; returns the path of the bucket. */
async function archiveBucket(tenant: TenantStorage, members: Partial<BucketInput> = {}) {
  const { admin, workspace } = tenant
  const { storage } = admin.api
  const archive = { name: 'archive', tier: 'STORAGE_TIER_ARCHIVE' } as const
  await storage.createStorageClass({ engine: 'native', body: archive })
  const instance = { name: 'archive-local', location: 'local' }
  await ended(tenant, await storage.instantiateStorageClass({ storage_class: 'archive', body: instance }))
  const place = { workspace, engine: 'native' }
  const body = { name: 'kept', storage_class: 'archive', ...members }
  const { resource_id: bucket } = await storage.createBucket({ ...place, body })
  return { there: { ...place, bucket } }
}
