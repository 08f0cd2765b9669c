import type { JsonObject } from '../../../../generator/conform/json.ts'
import { bucketCollection } from '../../../../domain/storage/buckets/buckets-store.ts'
import { contentCollection } from '../../../../domain/storage/contents/contents-store.ts'
import { metadataCollection, versionCollection } from '../../../../domain/storage/objects/versions-store.ts'
import { partCollection, partId, uploadCollection } from '../../../../domain/storage/uploads/uploads-store.ts'
import { withBody, withPath, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault, Recipe } from '../../recipe.ts'
import type { World } from '../../world.ts'

const etag = '5d41402abc4b2a76b9719d911017c592'
const time = '2026-01-15T09:45:00.250Z'

/** Creates a bucket; returns its path. */
async function newBucket({ newName, newPlace, run }: World): Promise<Aim['path']> {
  const place = { workspace: (await newPlace()).workspace, engine: 'native' }
  return { ...place, bucket: await run('createBucket', { path: place, body: { name: newName() } }) }
}

/** Begins an upload; returns its path. */
async function newUpload(world: World): Promise<Aim['path']> {
  const path = await newBucket(world)
  return { ...path, upload_id: await world.run('createMultipartUpload', { path, body: { object: 'a' } }) }
}

/** Inserts an empty object, whose content no file has. */
async function insertObject(
  { store }: World,
  path: Aim['path'],
  name: string,
  ids = { content_id: crypto.randomUUID(), version_id: crypto.randomUUID() },
): Promise<void> {
  await store.tx(tx =>
    tx.insert(versionCollection, {
      workspace_id: path['workspace'] ?? '',
      bucket_id: path['bucket'] ?? '',
      name,
      version_id: ids.version_id,
      is_latest: true,
      is_delete_marker: false,
      size: 0,
      content_type: 'text/plain',
      etag,
      storage_class: 'standard',
      create_time: time,
      update_time: time,
      uploader_principal_id: '',
      commit_number: '0000000000000001',
      slot: 'NULL',
      content_id: ids.content_id,
    }),
  )
}

/** Inserts an empty object with its metadata and its content. */
async function insertSource(world: World, path: Aim['path']): Promise<void> {
  const ids = { content_id: crypto.randomUUID(), version_id: crypto.randomUUID() }
  await insertObject(world, path, 'a', ids)
  await world.store.tx(async tx => {
    const bucket = await tx.get(bucketCollection, path['bucket'] ?? '')
    const instance_id = bucket?.value.instance_id ?? ''
    const content = { id: ids.content_id, instance_id, size: 0, references: 1, files: [], update_time: time }
    await tx.insert(contentCollection, content)
    await tx.insert(metadataCollection, {
      metadata_of: ids.version_id,
      content_encoding: '',
      content_disposition: '',
      content_language: '',
      cache_control: '',
      part_count: 0,
      custom_metadata: {},
      source_version_id: '',
    })
  })
}

/** The fault that the bucket in the path is being deleted. */
const deleting: Fault = {
  reason: 'BUCKET_DELETING',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const stored = await tx.lock(bucketCollection, aim.path['bucket'] ?? '')
      if (!stored) throw new Error('the path names no bucket')
      const row = { ...stored.value, state: 'STORAGE_BUCKET_STATE_DELETING' } as const
      await tx.update(bucketCollection, stored.id, row, stored.version)
    })
    return aim
  },
}

/** The fault that the upload in the path is completed. */
const ended: Fault = {
  reason: 'UPLOAD_NOT_ACTIVE',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const stored = await tx.lock(uploadCollection, aim.path['upload_id'] ?? '')
      if (!stored) throw new Error('the path names no upload')
      const row = { ...stored.value, state: 'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED' } as const
      await tx.update(uploadCollection, stored.id, row, stored.version)
    })
    return aim
  },
}

const invalidName: Fault = { reason: 'OBJECT_NAME_INVALID', apply: aim => withBody(aim, { object: '/a' }) }

const parts = (...numbers: readonly number[]): JsonObject => ({
  parts: numbers.map(part_number => ({ part_number, etag })),
})

const operations: Readonly<Record<string, Recipe>> = {
  createMultipartUpload: {
    aim: async world => ({ path: await newBucket(world), body: { object: 'a' } }),
    faults: { rule: invalidName, state: deleting },
  },
  abortMultipartUpload: {
    aim: async world => ({ path: await newUpload(world) }),
    faults: { state: ended },
  },
  completeMultipartUpload: {
    async aim(world) {
      const path = await newUpload(world)
      const upload_id = path['upload_id'] ?? ''
      const part = { part_number: 1, size: 5, etag, checksum_sha256: '', crc32c: 0, path: 'parts/none' }
      await world.store.tx(tx =>
        tx.insert(partCollection, { id: partId(upload_id, 1), upload_id, ...part, update_time: time }),
      )
      return { path, body: parts(1) }
    },
    faults: {
      rule: { reason: 'PARTS_NOT_ASCENDING', apply: aim => withBody(aim, parts(2, 1)) },
      state: ended,
      reference: { reason: 'PART_MISSING', apply: aim => withBody(aim, parts(3)) },
      uniqueness: {
        reason: 'OBJECT_ALREADY_EXISTS',
        async apply(aim, world) {
          await insertObject(world, aim.path, 'a')
          return withBody(aim, { if_none_match: '*' })
        },
      },
    },
  },
  copyObject: {
    async aim(world) {
      const path = await newBucket(world)
      await insertSource(world, path)
      return { path, body: { source_object: 'a', destination_object: 'b' } }
    },
    faults: {
      rule: { reason: 'OBJECT_NAME_INVALID', apply: aim => withBody(aim, { destination_object: '/b' }) },
      state: deleting,
      reference: { reason: 'OBJECT_NOT_FOUND', apply: aim => withBody(aim, { source_object: 'absent' }) },
      uniqueness: {
        reason: 'OBJECT_ALREADY_EXISTS',
        async apply(aim, world) {
          await insertObject(world, aim.path, 'b')
          return withBody(aim, { if_none_match: '*' })
        },
      },
    },
    unmade: { capacity: 'all buckets of the test share an instance, which must keep its space' },
  },
  deleteObject: {
    async aim(world) {
      const path = await newBucket(world)
      await insertObject(world, path, 'a')
      return { path: { ...path, object: 'a' } }
    },
    faults: {
      rule: { reason: 'OBJECT_NAME_INVALID', apply: aim => withPath(aim, { object: '/a' }) },
      state: deleting,
    },
  },
}

/** The recipes of objects and of their uploads. */
export const contentRecipes: AreaRecipes = {
  operations,
  reasons: {
    // These errors judge the parts that the body names.
    'completeMultipartUpload.PART_MISSING': 'reference',
    'completeMultipartUpload.PART_ETAG_MISMATCH': 'reference',
    'completeMultipartUpload.PART_TOO_SMALL': 'reference',
    'completeMultipartUpload.CHECKSUM_MISMATCH': 'reference',
    'completeMultipartUpload.OBJECT_TOO_LARGE': 'reference',
    // These errors judge the source that the body names.
    'copyObject.OBJECT_NOT_FOUND': 'reference',
    'copyObject.OBJECT_VERSION_NOT_FOUND': 'reference',
    'copyObject.SOURCE_PRECONDITION_FAILED': 'reference',
    'copyObject.COPY_ONTO_ITSELF': 'reference',
    'copyObject.OBJECT_TOO_LARGE': 'reference',
    'deleteObject.OBJECT_VERSION_NOT_FOUND': 'existence of object',
  },
}
