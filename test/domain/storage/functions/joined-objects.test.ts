import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { ObjectPlace, Storage } from '../../../../domain/ports/storage.ts'
import { contentCollection } from '../../../../domain/storage/contents/contents-store.ts'
import { collectContents, collectLeftovers } from '../../../../domain/storage/work/collect-contents.ts'
import type { BucketInput } from '../../../../output/storage/types.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { ContentFolders } from '../../../../server/storage/files/content-folders.ts'
import { allOf } from '../../../all-of.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { functionCaller } from '../../../areas/function-caller.ts'
import { shared } from '../../../shared.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage } from '../tenant-storage.ts'

const platform = shared(async later => {
  const caller = functionCaller()
  const tenant = await tenantStorage({}, { areas: caller.areas, later })
  return { ...tenant, storage: caller.functions('storage') }
})

let storage: Storage
let place: ObjectPlace
let buckets = 0

/** Creates a bucket for a test. */
async function begin(bucket: Partial<BucketInput> = {}): Promise<void> {
  const { admin, at, workspace } = platform()
  const body = { name: `joined-${(buckets += 1)}`, ...bucket }
  const made = await admin.api.storage.createBucket({ workspace, engine: at.engine, body })
  storage = platform().storage
  place = { workspace, bucket: made.resource_id, object: 'whole' }
}

beforeEach(() => begin())

const usage = async (): Promise<unknown> => {
  const { admin, at, workspace } = platform()
  return (await admin.api.storage.getBucket({ workspace, engine: at.engine, id: place.bucket })).usage
}

async function put(object: string, text: string): Promise<void> {
  async function* bytes() {
    yield new TextEncoder().encode(text)
  }
  await storage.putObject(undefined, { ...place, object }, bytes())
}

/** Joins the latest versions of objects to an object. */
async function joinedTo(to: ObjectPlace, ...parts: readonly string[]) {
  const versions = []
  for (const object of parts) {
    const { versionId } = await storage.statObject(undefined, { ...place, object })
    versions.push({ object, versionId })
  }
  return storage.joinObjects(undefined, to, versions)
}

const joined = (...parts: readonly string[]) => joinedTo(place, ...parts)

const textOf = async (object = 'whole', range?: { readonly first: number; readonly last: number }) =>
  new Response((await storage.readObject(undefined, { ...place, object }, range)).body).text()

const findings = () => doctorFindings(platform().platform.config)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Runs the collection of contents and of files without rows over the platform, as if two hours had passed. */
async function collect(): Promise<number> {
  const { config } = platform().platform
  const store = await openBeside(config, storeCollections(areas))
  const root = join(config.dataDir, 'storage')
  const instances = readdirSync(root)
  const files = new ContentFolders(instance => join(root, instance))
  const clock = { now: () => Date.now() + 7_200_000, newId: () => '' }
  const { signal } = new AbortController()
  const turn = { signal, tx: store.tx.bind(store) }
  // The contents whose last reference was a joined content follow in the second run.
  for (const _ of [1, 2]) await collectContents({ clock, files, store }, turn)
  await collectLeftovers(instances, { clock, files, store }, signal)
  const contents = await store.count(contentCollection)
  await store.close()
  return contents
}

it('an object joins others, which are gone, without any change of the usage', async () => {
  await put('1', 'one ')
  await put('2', '')
  await put('3', 'three')
  const facts = await joined('1', '2', '3')
  expect(facts).toMatchObject({ size: 9, etag: expect.stringMatching(/^[0-9a-f]{32}-3$/) })
  expect(await storage.statObject(undefined, place)).toEqual(facts)
  expect([await textOf(), await textOf('whole', { first: 2, last: 5 })]).toEqual(['one three', 'e th'])
  const listed = await allOf(storage.listObjects(place, ''))
  expect(listed.map(({ object }) => object)).toEqual(['whole'])
  expect(await usage()).toMatchObject({ bytes: 9, object_count: 1, version_count: 1 })
  expect(await findings()).toEqual([])
})

it('a single object is renamed, with its digest', async () => {
  await put('1', 'only')
  await joined('1')
  const opened = await storage.openObject(undefined, place)
  expect(opened).toMatchObject({ size: 4, sha256: sha256('only') })
  await opened.close()
  expect(await textOf()).toBe('only')
  expect(await findings()).toEqual([])
})

it('a joined object has no digest, and its checksum is that of its bytes', async () => {
  await put('1', 'one ')
  await put('2', 'two')
  await joined('1', '2')
  await put('copy', 'one two')
  const opened = await storage.openObject(undefined, place)
  expect(opened.sha256).toBeUndefined()
  await opened.close()
  const [whole, copy] = await Promise.all(
    ['whole', 'copy'].map(object =>
      platform().admin.api.storage.getObjectMetadata({ ...platform().at, bucket: place.bucket, object }),
    ),
  )
  expect(whole?.checksum_crc32c).toBe(copy?.checksum_crc32c)
})

it('a collection keeps the files of joined objects until their last version is gone', async () => {
  const before = await collect()
  await put('1', 'one ')
  await put('2', 'two')
  const { admin, at } = platform()
  await admin.api.storage.copyObject({
    ...at,
    bucket: place.bucket,
    body: { source_object: '1', destination_object: 'copy of 1' },
  })
  await joined('1', '2')
  await put('3', ' three')
  await joinedTo({ ...place, object: 'more' }, 'whole', '3')
  expect(await collect()).toBe(before + 4)
  expect([await textOf('more'), await textOf('copy of 1')]).toEqual(['one two three', 'one '])
  expect(await findings()).toEqual([])
  const opened = await storage.openObject(undefined, { ...place, object: 'more' })
  await storage.deleteObject(undefined, { ...place, object: 'more' })
  expect(await collect()).toBe(before + 1)
  expect(await textOf('copy of 1')).toBe('one ')
  expect(await findings()).toEqual([])
  await opened.close()
})

/** Joins a version that was replaced since it was found. */
async function goneJoin() {
  await put('2', 'two')
  const { versionId } = await storage.statObject(undefined, { ...place, object: '2' })
  await put('2', 'two again')
  const first = await storage.statObject(undefined, { ...place, object: '1' })
  return storage.joinObjects(undefined, place, [
    { object: '1', versionId: first.versionId },
    { object: '2', versionId },
  ])
}

it.each([
  ['whose part is gone', goneJoin, 'OBJECT_VERSION_NOT_FOUND'],
  ['with an invalid name', () => joinedTo({ ...place, object: '../a' }, '1'), 'OBJECT_NAME_INVALID'],
  ['of another workspace', () => joinedTo({ ...place, workspace: place.bucket }, '1'), 'WORKSPACE_NOT_FOUND'],
])('a join %s is refused, and nothing changes', async (_, join_, reason) => {
  await put('1', 'one')
  await expect(join_()).rejects.toMatchObject({ reason })
  expect(await textOf('1')).toBe('one')
  expect(await findings()).toEqual([])
})

it.each([
  ['the largest object of the bucket', { max_object_size_bytes: 8 }, 'OBJECT_TOO_LARGE'],
  ['the retention of the parts', { retention_policy: { retention_period: '3600s' } }, 'OBJECT_RETAINED'],
])('a join against %s is refused, and nothing changes', async (_, bucket, reason) => {
  await begin(bucket)
  await put('1', 'first')
  await put('2', 'second')
  await expect(joined('1', '2')).rejects.toMatchObject({ reason })
  expect([await textOf('1'), await textOf('2')]).toEqual(['first', 'second'])
  expect(await findings()).toEqual([])
})

it('a join in a versioned bucket leaves no version of the parts', async () => {
  await begin({ versioning: 'STORAGE_VERSIONING_ENABLED' })
  await put('1', 'one ')
  await put('2', 'two')
  await joined('1', '2')
  expect(await usage()).toMatchObject({ bytes: 7, object_count: 1, version_count: 1 })
  expect(await textOf()).toBe('one two')
})
