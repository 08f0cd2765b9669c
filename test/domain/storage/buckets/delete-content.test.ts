import { expect, it } from 'vitest'
import { contentCollection } from '../../../../domain/storage/contents/contents-store.ts'
import { bucketCollection } from '../../../../domain/storage/buckets/buckets-store.ts'
import { metadataCollection, versionCollection } from '../../../../domain/storage/objects/versions-store.ts'
import { uploadCollection } from '../../../../domain/storage/uploads/uploads-store.ts'
import { addReference } from '../../../../domain/resources/references.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addMember, roleAt } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage } from '../tenant-storage.ts'

it('a bucket with content is deleted by force alone, with its versions, contents and quotas', async () => {
  const tenant = await tenantStorage({ versioning: 'STORAGE_VERSIONING_ENABLED' })
  const { admin, at, platform, put } = tenant
  const { storage } = admin.api
  for (const name of ['a', 'a', 'b/c']) expect((await put(name, 'hello')).status).toBe(200)
  await storage.deleteObject({ ...at, object: 'a' })
  const path = { ...at, id: at.bucket }
  await expect(storage.deleteBucket(path)).rejects.toMatchObject({
    reason: 'BUCKET_NOT_EMPTY',
    rpc: 'FAILED_PRECONDITION',
    code: 6_001_003,
    details: {
      precondition: [
        { type: 'storage.objects', description: '3 versions left' },
        { type: 'storage.objects', description: '1 delete markers left' },
      ],
    },
  })
  const pending = await storage.deleteBucket({ ...path, force: true })
  expect(pending).toMatchObject({
    status: 'STORAGE_OPERATION_STATUS_PENDING',
    operation_type: 'STORAGE_OPERATION_TYPE_DELETE',
    resource_id: at.bucket,
  })
  expect(await storage.waitOperation(pending)).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', errors: [] })
  await expect(storage.getBucket(path)).rejects.toMatchObject({ reason: 'BUCKET_NOT_FOUND' })
  const store = await openBeside(platform.config, storeCollections(areas))
  expect([
    await store.count(versionCollection),
    await store.count(metadataCollection),
    await store.count(bucketCollection),
    await store.sum(contentCollection, 'references'),
  ]).toEqual([0, 0, 0, 0])
  await store.close()
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a bucket that another resource uses is not deleted, also not by force', async () => {
  const { admin, at, platform } = await tenantStorage()
  const store = await openBeside(platform.config, storeCollections(areas))
  const target = { type: 'storage.buckets', id: at.bucket }
  await store.tx(tx => addReference(tx, target, { type: 'observability.logSinks', id: 'a-sink' }))
  await store.close()
  for (const force of [false, true]) {
    await expect(admin.api.storage.deleteBucket({ ...at, id: at.bucket, force })).rejects.toMatchObject({
      reason: 'BUCKET_IN_USE',
      rpc: 'FAILED_PRECONDITION',
      code: 6_001_005,
      details: {
        resource: { type: 'storage.buckets', name: at.bucket },
        precondition: [{ type: 'observability.logSinks', description: '1 left' }],
      },
    })
  }
})

it('a protected version prevents the deletion of its bucket by force', async () => {
  const tenant = await tenantStorage({ retention_policy: { retention_period: '3600s' } })
  const { admin, at, put } = tenant
  await put('a', 'hello')
  const remove = () => admin.api.storage.deleteBucket({ ...at, id: at.bucket, force: true })
  await expect(remove()).rejects.toMatchObject({
    reason: 'OBJECT_RETAINED',
    code: 6_002_004,
    metadata: { retain_until_time: expect.any(String) },
  })
  expect(await admin.api.storage.getBucket({ ...at, id: at.bucket })).toMatchObject({
    state: 'STORAGE_BUCKET_STATE_ACTIVE',
    usage: { version_count: 1 },
  })
})

it('the deletion of content needs the permission to delete objects', async () => {
  const { admin, at, platform, workspace } = await tenantStorage()
  const { api } = admin
  const { organisations } = await api.taxonomy.listOrganisations({ filter: 'name=acme' })
  const organisation = organisations[0]?.id ?? ''
  const role = await api.iam.createRole({
    body: {
      name: 'cleaner',
      scope_type: 'ORGANISATION',
      scope_id: organisation,
      permissions: ['storage.buckets.delete'],
    },
  })
  const member = await addMember(platform, api, {
    email: 'cleaner@acme.test',
    organisation_id: organisation,
    grants: [roleAt(role.resource_id, 'WORKSPACE', workspace)],
  })
  await expect(member.api.storage.deleteBucket({ ...at, id: at.bucket, force: true })).rejects.toMatchObject({
    reason: 'IAM_PERMISSION_DENIED',
    metadata: { permission: 'storage.objects.delete' },
  })
  await member.api.storage.deleteBucket({ ...at, id: at.bucket })
})

it('a bucket whose last upload has expired by the clock is empty, and returns the bytes of the upload', async () => {
  const { admin, at, platform, send } = await tenantStorage()
  const { storage } = admin.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'big' } })
  const parts = [{ part_number: 1, content_length: 5 }]
  for (const url of (await storage.createPartUrls({ ...at, upload_id, body: { parts } })).part_urls)
    expect((await send(url, { body: 'hello' })).status).toBe(200)
  const remove = () => storage.deleteBucket({ ...at, id: at.bucket })
  await expect(remove()).rejects.toMatchObject({
    reason: 'BUCKET_NOT_EMPTY',
    details: { precondition: [{ type: 'storage.multipartUploads', description: '1 active uploads left' }] },
  })
  const store = await openBeside(platform.config, storeCollections(areas))
  await store.tx(async tx => {
    const stored = await tx.lock(uploadCollection, upload_id)
    if (!stored) throw new Error('the upload has no row')
    const row = { ...stored.value, expire_time: stored.value.create_time }
    await tx.update(uploadCollection, upload_id, row, stored.version)
  })
  expect(await remove()).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE' })
  expect(await store.tally(uploadCollection, 'state')).toEqual(new Map([['STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED', 1]]))
  await store.close()
  expect(await doctorFindings(platform.config)).toEqual([])
})
