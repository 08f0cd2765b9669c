import { expect, it } from 'vitest'
import { bucketCollection } from '../../../domain/storage/buckets/buckets-store.ts'
import { classCollection } from '../../../domain/storage/classes/classes-store.ts'
import { contentCollection } from '../../../domain/storage/contents/contents-store.ts'
import { copyCollection } from '../../../domain/storage/copies/copies-store.ts'
import { instanceCollection } from '../../../domain/storage/instances/instances-store.ts'
import { metadataCollection, versionCollection } from '../../../domain/storage/objects/versions-store.ts'
import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantStorage } from './tenant-storage.ts'

/** Changes members of the first row of a collection. */
async function change<T>(tx: Transaction, collection: Collection<T>, members: (row: T) => Partial<T>): Promise<void> {
  const stored = await tx.find(collection, {})
  if (stored) await tx.update(collection, stored.id, { ...stored.value, ...members(stored.value) }, stored.version)
}

async function remove<T>(tx: Transaction, collection: Collection<T>): Promise<void> {
  const stored = await tx.find(collection, {})
  if (stored) await tx.delete(collection, stored.id, stored.version)
}

const tampered: readonly (readonly [string, (tx: Transaction) => Promise<void>, string])[] = [
  [
    'the usage of a bucket',
    tx => change(tx, bucketCollection, ({ usage }) => ({ usage: { ...usage, bytes: 6 } })),
    'has usage.bytes 6; its versions make 5',
  ],
  ['the instance of a bucket', tx => change(tx, bucketCollection, () => ({ instance_id: 'x' })), 'lies on instance x'],
  [
    'a bucket in deletion',
    tx => change(tx, bucketCollection, () => ({ state: 'STORAGE_BUCKET_STATE_DELETING' as const })),
    'is DELETING, and no work will end it',
  ],
  ['the default of a class', tx => change(tx, classCollection, () => ({ default_of: 'x' })), 'has is_default true'],
  [
    'an instance in provisioning',
    tx => change(tx, instanceCollection, () => ({ state: 'STORAGE_CLASS_INSTANCE_STATE_PROVISIONING' as const })),
    'is PROVISIONING, and no work will end it',
  ],
  ['the latest version', tx => change(tx, versionCollection, () => ({ is_latest: false })), 'has 0 latest versions'],
  [
    'the references of a content',
    tx => change(tx, contentCollection, () => ({ references: 2 })),
    'has 2 references; 1 versions and copies in progress have the content',
  ],
  ['a content', tx => remove(tx, contentCollection), 'does not exist, although 1 versions have it'],
  [
    'a copy without work',
    async tx => void (await tx.insert(copyCollection, { id: 'x', workspace_id: 'x', content_id: 'x' })),
    'is a copy in progress that no work will end',
  ],
  ['the metadata of a version', tx => remove(tx, metadataCollection), 'has no metadata or no content'],
  ['a bucket', tx => remove(tx, bucketCollection), 'which does not exist'],
]

it('the doctor names each tampered row of storage', { timeout: 60_000 }, async () => {
  const { platform, put } = await tenantStorage()
  expect((await put('a', 'hello')).status).toBe(200)
  expect(await doctorFindings(platform.config)).toEqual([])
  const store = await openBeside(platform.config, storeCollections(areas))
  for (const [name, tamper, finding] of tampered) {
    const rows = await Promise.all([
      store.find(bucketCollection, {}),
      store.find(classCollection, {}),
      store.find(contentCollection, {}),
      store.find(instanceCollection, {}),
      store.find(versionCollection, {}),
      store.find(metadataCollection, {}),
    ])
    const [bucket, storageClass, content, instance, version, metadata] = rows
    await store.tx(tamper)
    const found = (await doctorFindings(platform.config)).join('\n')
    expect(found, name).toContain(finding)
    await store.tx(async tx => {
      await remove(tx, bucketCollection)
      await remove(tx, contentCollection)
      await remove(tx, copyCollection)
      await remove(tx, metadataCollection)
      await remove(tx, versionCollection)
      await remove(tx, classCollection)
      await remove(tx, instanceCollection)
      if (bucket) await tx.insert(bucketCollection, bucket.value)
      if (storageClass) await tx.insert(classCollection, storageClass.value)
      if (content) await tx.insert(contentCollection, content.value)
      if (instance) await tx.insert(instanceCollection, instance.value)
      if (version) await tx.insert(versionCollection, version.value)
      if (metadata) await tx.insert(metadataCollection, metadata.value)
    })
  }
  expect(await doctorFindings(platform.config)).toEqual([])
  await store.close()
})
