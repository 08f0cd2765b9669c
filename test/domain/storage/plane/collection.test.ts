import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { contentCollection } from '../../../../domain/storage/contents/contents-store.ts'
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
  const store = await testStore(contentCollection)
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
  await collectContents({ files, store }, turn)
  expect(left()).toEqual(['objects/0f/b'])
  expect(await store.count(contentCollection)).toBe(1)
  await collectContents({ files, store }, turn)
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

it('returns the bytes of a replaced object at once, while its reader ends in peace', async () => {
  const { get, put, usage } = await tenantStorage()
  const content = new Uint8Array(300_000).fill(7)
  await put('a', content)
  const reading = await get('a')
  await put('a', 'new')
  expect(await usage()).toMatchObject({ bytes: 3, version_count: 1 })
  expect(Buffer.from(await reading.bytes()).equals(content)).toBe(true)
})
