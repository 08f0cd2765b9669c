import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { bucketCollection } from '../../../domain/storage/buckets/buckets-store.ts'
import { classCollection } from '../../../domain/storage/classes/classes-store.ts'
import { contentCollection } from '../../../domain/storage/contents/contents-store.ts'
import { copyCollection } from '../../../domain/storage/copies/copies-store.ts'
import { instanceCollection } from '../../../domain/storage/instances/instances-store.ts'
import { metadataCollection, versionCollection } from '../../../domain/storage/objects/versions-store.ts'
import { partCollection, uploadCollection } from '../../../domain/storage/uploads/uploads-store.ts'
import { quotaUsages } from '../../../domain/taxonomy/quotas/usage.ts'
import type { Collection, Transaction } from '../../../domain/ports/store.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { GivenSettings, settingsOf } from '../../../server/settings/values.ts'
import { storageSettings } from '../../../server/storage/settings.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import type { TestPlatformOptions } from '../../areas/test-platform.ts'
import { testFolder } from '../../server/store/harness.ts'
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

/** Inserts a copy of the first row with other members. */
async function copy<T>(tx: Transaction, collection: Collection<T>, members: Partial<T>): Promise<void> {
  const stored = await tx.find(collection, {})
  if (stored) await tx.insert(collection, { ...stored.value, ...members })
}

type Tampering = readonly [string, (tx: Transaction) => Promise<void>, string]

const otherId = '0199c5b0-0000-7000-8000-000000000001'

const tampered: readonly Tampering[] = [
  [
    'the bytes of a bucket',
    tx => change(tx, bucketCollection, ({ usage }) => ({ usage: { ...usage, bytes: 6 } })),
    'has usage.bytes 6; its versions make 5',
  ],
  ...(['object_count', 'version_count', 'noncurrent_bytes'] as const).map((name): Tampering => [
    `usage.${name} of a bucket`,
    tx => change(tx, bucketCollection, ({ usage }) => ({ usage: { ...usage, [name]: usage[name] + 2 } })),
    `has usage.${name} `,
  ]),
  [
    'the bytes of uploads in a bucket',
    tx => change(tx, bucketCollection, ({ usage }) => ({ usage: { ...usage, incomplete_upload_bytes: 4 } })),
    'has usage.incomplete_upload_bytes 4; its active uploads make 3',
  ],
  ['the instance of a bucket', tx => change(tx, bucketCollection, () => ({ instance_id: 'x' })), 'lies on instance x'],
  [
    'the number of commits of a bucket',
    tx => change(tx, bucketCollection, () => ({ commit_number: '0' as const })),
    'has the commit number 0000000000000001, above that of its bucket',
  ],
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
    'a second latest version',
    tx => copy(tx, versionCollection, { version_id: otherId, commit_number: '0000000000000000' }),
    'has 2 latest versions; version',
  ],
  [
    'a second version without versioning',
    tx => copy(tx, versionCollection, { version_id: otherId, is_latest: false, commit_number: '0000000000000000' }),
    'was written without versioning, as another version of its object was',
  ],
  [
    'the workspace of a version',
    tx => change(tx, versionCollection, () => ({ workspace_id: otherId })),
    `belongs to workspace ${otherId}, unlike its bucket`,
  ],
  [
    'the references of a content',
    tx => change(tx, contentCollection, () => ({ references: 2 })),
    'has 2 references; 1 versions, copies and joined contents have it',
  ],
  [
    'the size of a content',
    tx => change(tx, contentCollection, () => ({ size: 9 })),
    'has 9 bytes, unlike its versions',
  ],
  [
    'the instance of a content',
    tx => change(tx, contentCollection, () => ({ instance_id: otherId })),
    `has its content on instance ${otherId}, unlike its bucket`,
  ],
  ['a content', tx => remove(tx, contentCollection), 'does not exist, although 1 versions have it'],
  [
    'a copy without work',
    async tx => void (await tx.insert(copyCollection, { id: 'x', workspace_id: 'x', content_id: 'x' })),
    'is a copy in progress that no work will end',
  ],
  ['the metadata of a version', tx => remove(tx, metadataCollection), 'has no metadata or no content'],
  ['a version', tx => remove(tx, versionCollection), 'has metadata without a version'],
  ['a bucket', tx => remove(tx, bucketCollection), 'which does not exist'],
  [
    'the bytes of an upload',
    tx => change(tx, uploadCollection, () => ({ uploaded_bytes: 4 })),
    'has uploaded_bytes 4; its parts make 3',
  ],
  [
    'the number of parts of an upload',
    tx => change(tx, uploadCollection, () => ({ part_count: 2 })),
    'has part_count 2; its parts make 1',
  ],
  [
    'the mark of the parts of an upload',
    tx => change(tx, uploadCollection, () => ({ has_parts: 'NO' as const })),
    'has 1 parts that no work will delete',
  ],
  [
    'the instance of an upload',
    tx => change(tx, uploadCollection, () => ({ instance_id: otherId })),
    `has its parts on instance ${otherId}, unlike its bucket`,
  ],
  ['an upload', tx => remove(tx, uploadCollection), 'is a part of multipart upload'],
  [
    'the bytes that a workspace uses',
    async tx => {
      for await (const { id, value, version } of tx.each(quotaUsages, { quota_id: 'storage.bytes' }))
        await tx.update(quotaUsages, id, { ...value, amount: 9 }, version)
    },
    'counts 9, and the buckets of the workspace take 8',
  ],
  [
    'the buckets that a workspace uses',
    async tx => {
      for await (const { id, value, version } of tx.each(quotaUsages, { quota_id: 'storage.buckets' }))
        await tx.update(quotaUsages, id, { ...value, amount: 0 }, version)
    },
    'counts 0, and the buckets of the workspace take 1',
  ],
]

/** Returns a function that writes the present rows of a collection again. */
async function saved<T>(store: ServerStore, collection: Collection<T>): Promise<(tx: Transaction) => Promise<void>> {
  const rows: T[] = []
  for await (const { value } of store.each(collection)) rows.push(value)
  return async tx => {
    for await (const { id, version } of tx.each(collection)) await tx.delete(collection, id, version)
    for (const row of rows) await tx.insert(collection, row)
  }
}

/** Starts a platform with an object of 5 bytes and an upload with a part of 3 bytes, in the folder of a root. */
async function filledStorage(options: TestPlatformOptions = {}) {
  const tenant = await tenantStorage({}, options)
  const { admin, at, platform, put, send } = tenant
  const { storage } = admin.api
  expect((await put('a', 'hello')).status).toBe(200)
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'b' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  for (const url of part_urls) expect((await send(url, { body: 'abc' })).status).toBe(200)
  expect(await doctorFindings(platform.config)).toEqual([])
  const { instance_id } = await storage.getBucket({ ...at, id: at.bucket })
  const { 'storage.roots': roots } = settingsOf(platform.config, storageSettings)
  const folder = roots.map(({ path }) => join(path, instance_id)).find(path => existsSync(path)) ?? ''
  const below = (path: string): string => {
    const [first = ''] = readdirSync(join(folder, path))
    return `${path}/${first}`
  }
  const groups = readdirSync(join(folder, 'objects'))
  const group = groups.find(name => readdirSync(join(folder, 'objects', name)).length > 0)
  const [object, part] = [below(`objects/${group}`), below(`parts/${upload_id}`)]
  return { ...tenant, folder, instance_id, object, part }
}

/** Returns the options of a platform with roots outside of its data folder. */
function otherRoots(): TestPlatformOptions {
  const roots = ['first', 'second'].map(name => ({ path: join(testFolder(), name), location: 'local' }))
  return { config: { given: new GivenSettings().with(storageSettings['storage.roots'], roots) } }
}

const places = [
  ['the data folder', () => ({})],
  ['the roots of the setting', otherRoots],
] as const

it('the doctor names each tampered row of storage', { timeout: 120_000 }, async () => {
  const { platform } = await filledStorage()
  const store = await openBeside(platform.config, storeCollections(areas))
  const restores = [
    await saved(store, bucketCollection),
    await saved(store, classCollection),
    await saved(store, contentCollection),
    await saved(store, copyCollection),
    await saved(store, instanceCollection),
    await saved(store, versionCollection),
    await saved(store, metadataCollection),
    await saved(store, uploadCollection),
    await saved(store, partCollection),
    await saved(store, quotaUsages),
  ]
  for (const [name, tamper, finding] of tampered) {
    await store.tx(tamper)
    const found = (await doctorFindings(platform.config)).join('\n')
    expect(found, name).toContain(finding)
    await store.tx(async tx => {
      for (const restore of restores) await restore(tx)
    })
  }
  expect(await doctorFindings(platform.config)).toEqual([])
  await store.close()
})

it.each(places)('the doctor names missing and changed files in %s, and no file without a row', async (_, options) => {
  const { folder, instance_id, object, part, platform } = await filledStorage(options())
  const orphan = join(folder, 'objects', '00', otherId)
  mkdirSync(dirname(orphan), { recursive: true })
  writeFileSync(orphan, 'bytes')
  utimesSync(orphan, 0, 0)
  expect(await doctorFindings(platform.config)).toEqual([])
  for (const path of [object, part]) truncateSync(join(folder, path), 2)
  expect(await doctorFindings(platform.config)).toEqual([
    expect.stringMatching(new RegExp(`has 5 bytes in ${object} of instance .*; the file has 2$`)),
    expect.stringMatching(new RegExp(`has 3 bytes in ${part} of instance .*; the file has 2$`)),
  ])
  for (const path of [object, part]) rmSync(join(folder, path))
  expect(await doctorFindings(platform.config)).toEqual([
    expect.stringContaining(`lacks the file ${object} of instance `),
    expect.stringContaining(`lacks the file ${part} of instance `),
  ])
  renameSync(folder, `${folder}-away`)
  // Another server may have the folder of an instance in a shared database.
  const isShared = platform.config.storeUrl !== undefined
  const lost = `storage.storageClassInstances ${instance_id}: has content, and no folder on this host`
  expect(await doctorFindings(platform.config)).toEqual(isShared ? [] : [expect.stringContaining(lost)])
})
