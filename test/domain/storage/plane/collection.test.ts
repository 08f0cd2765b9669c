import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { contentCollection } from '../../../../domain/storage/contents/contents-store.ts'
import {
  partCollection,
  partId,
  uploadCollection,
  type StoredPart,
  type StoredUpload,
} from '../../../../domain/storage/uploads/uploads-store.ts'
import { collectContents, collectLeftovers } from '../../../../domain/storage/work/collect-contents.ts'
import { ContentFolders } from '../../../../server/storage/files/content-folders.ts'
import { testFolder, testStore } from '../../../server/store/harness.ts'
import { tenantStorage } from '../tenant-storage.ts'

const instance = '0199c5b0-0000-7000-8000-000000000001'
const hour = 3_600_000

/** Returns a folder of an instance with its files, and the paths that still exist after a collection. */
async function collected(ages: Readonly<Record<string, number>>, references: Readonly<Record<string, number>>) {
  const folder = testFolder()
  const now = Date.now()
  for (const [path, age] of Object.entries(ages)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'bytes')
    utimesSync(join(folder, path), new Date(now - age), new Date(now - age))
  }
  const store = await testStore(contentCollection, partCollection, uploadCollection)
  const update_time = new Date(now).toISOString()
  await store.tx(async tx => {
    for (const [id, count] of Object.entries(references)) {
      const files = [{ path: `objects/0f/${id}`, size: 5 }]
      await tx.insert(contentCollection, { id, instance_id: instance, size: 5, references: count, files, update_time })
    }
  })
  const files = new ContentFolders(id => (id === instance ? folder : undefined))
  return { files, folder, now, store, left: () => Object.keys(ages).filter(path => existsSync(join(folder, path))) }
}

it('deletes the files and the rows of contents without a version, and no other', async () => {
  const { files, left, store } = await collected({ 'objects/0f/a': 0, 'objects/0f/b': 0 }, { a: 0, b: 1 })
  const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
  await collectContents({ clock: { now: Date.now, newId: () => '' }, files, store }, turn)
  expect(left()).toEqual(['objects/0f/b'])
  expect(await store.count(contentCollection)).toBe(1)
  await collectContents({ clock: { now: Date.now, newId: () => '' }, files, store }, turn)
  expect(left()).toEqual(['objects/0f/b'])
})

it('deletes old files that no row names, and keeps young files', async () => {
  const ages = {
    'tmp/old': 2 * hour,
    'tmp/young': 0,
    'objects/0f/named': 2 * hour,
    'objects/0f/orphan': 2 * hour,
    'objects/0f/new': 0,
  }
  const { files, left, now, store } = await collected(ages, { named: 1 })
  await collectLeftovers([instance], { clock: { now: () => now }, files, store }, new AbortController().signal)
  expect(left()).toEqual(['tmp/young', 'objects/0f/named', 'objects/0f/new'])
})

it('keeps the file of a body that arrives so slowly that the file is old', async () => {
  const { files, folder, now, store } = await collected({ 'tmp/old': 2 * hour, 'objects/0f/new': 0 }, {})
  const { promise: rest, resolve: arrive } = Promise.withResolvers<void>()
  async function* body() {
    yield new TextEncoder().encode('slow ')
    await rest
    yield new TextEncoder().encode('body')
  }
  const tooLong = () => new Error('the body is too long')
  const receiving = files.receive(body(), { instance, syncMode: 'DATA', maxBytes: 100, tooLong })
  const arriving = () => readdirSync(join(folder, 'tmp')).filter(name => name !== 'old')
  await expect.poll(arriving).toHaveLength(1)
  const old = new Date(now - 2 * hour)
  for (const name of arriving()) utimesSync(join(folder, 'tmp', name), old, old)
  const signal = new AbortController().signal
  await collectLeftovers([instance], { clock: { now: () => now }, files, store }, signal)
  arrive()
  const { path } = await receiving
  await files.move(instance, path, 'objects/0f/slow')
  expect(readFileSync(join(folder, 'objects/0f/slow'), 'utf8')).toBe('slow body')
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
})

const part = (upload_id: string, path: string): StoredPart => ({
  id: partId(upload_id, 1),
  upload_id,
  part_number: 1,
  size: 5,
  etag: '',
  checksum_sha256: '',
  crc32c: 0,
  path,
  update_time: '2026-01-01T00:00:00.000Z',
})

const upload = (id: string, state: 'ACTIVE' | 'COMPLETED' | 'ABORTED'): StoredUpload => ({
  id,
  etag: '',
  bucket_id: 'bucket',
  workspace_id: 'workspace',
  instance_id: instance,
  object: 'a',
  content_type: '',
  content_encoding: '',
  content_disposition: '',
  content_language: '',
  cache_control: '',
  custom_metadata: {},
  state: `STORAGE_MULTIPART_UPLOAD_STATE_${state}`,
  initiator_principal_id: '',
  create_time: '2026-01-01T00:00:00.000Z',
  expire_time: '2026-01-08T00:00:00.000Z',
  part_count: 1,
  uploaded_bytes: 5,
  parts: [],
  completed_by: '',
  completing_operation: '',
  has_parts: 'YES',
  end_time: '',
})

it('deletes old files of parts that neither an upload nor a content names', async () => {
  const paths = [
    'parts/active/1.named',
    'parts/active/1.before',
    'parts/active/2.orphan',
    'parts/aborted/1.orphan',
    'parts/completed/1.named',
    'parts/completed/1.orphan',
    'parts/forgotten/1.named',
    'parts/forgotten/1.orphan',
    'parts/earlier/1.named',
  ]
  const { files, left, now, store } = await collected(Object.fromEntries(paths.map(path => [path, 2 * hour])), {})
  const content = (id: string, path: string) => {
    const update_time = '2026-01-01T00:00:00.000Z'
    return { id, instance_id: instance, size: 5, references: 1, files: [{ path, size: 5 }], update_time }
  }
  await store.tx(async tx => {
    await tx.insert(partCollection, part('active', 'parts/active/1.named'))
    await tx.insert(uploadCollection, upload('active', 'ACTIVE'))
    await tx.insert(uploadCollection, upload('aborted', 'ABORTED'))
    await tx.insert(uploadCollection, upload('completed', 'COMPLETED'))
    await tx.insert(contentCollection, content('completed', 'parts/completed/1.named'))
    await tx.insert(contentCollection, content('forgotten', 'parts/forgotten/1.named'))
    await tx.insert(contentCollection, content('another', 'parts/earlier/1.named'))
  })
  await collectLeftovers([instance], { clock: { now: () => now }, files, store }, new AbortController().signal)
  expect(left()).toEqual(paths.filter(path => path.endsWith('named')))
})

it('returns the bytes of a replaced object at once, while its reader ends in peace', async () => {
  const { get, put, usage } = await tenantStorage()
  const content = new Uint8Array(300_000).fill(7)
  await put('a', content)
  const reading = await get('a')
  await put('a', 'new')
  expect(await usage()).toMatchObject({ bytes: 3, version_count: 1 })
  expect(Buffer.from(await reading.bytes()).equals(content)).toBe(true)
})
