import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { partsOf } from '../../../cli/storage/parts.ts'
import { crc32c } from '../../../domain/resources/crc32c.ts'
import { servedBucket, type ServedBucket } from './served-bucket.ts'

/** The number of interruptions of one copy; the variable makes the test longer. */
const interruptions = Number(process.env['NINEFOLD_COPY_KILLS'] ?? 4)
/** The longest time after 300 ms in which a copy is killed, in milliseconds: many kills come early, before its end. */
const latestKillMs = Math.max(400, 3600 / interruptions)

/** The bytes of the interrupted file: six parts. */
const largeBytes = Number(process.env['NINEFOLD_COPY_BYTES'] ?? 45 * 1024 * 1024)

const undo: (() => void | Promise<void>)[] = []
let docs: ServedBucket
beforeAll(async () => {
  docs = await servedBucket(each => void undo.push(each))
})
afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

const write = (path: string, content: string | Uint8Array): void => writeFileSync(join(docs.folder, path), content)
const read = (path: string): Buffer => readFileSync(join(docs.folder, path))
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

it('copies a file to a bucket and back, lists it and deletes it', async () => {
  write('note.txt', 'hello')
  const up = await docs.run('cp', 'note.txt', 'nf://docs/a/')
  expect(up).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/^copied 1 file, 5 B in [\d.]+ s \(.*\/s\)\n$/),
  })
  const object = await docs.api.storage.getObjectMetadata({ ...docs.at, object: 'a/note.txt' })
  expect(object).toMatchObject({ size: 5, content_type: 'text/plain', etag: '5d41402abc4b2a76b9719d911017c592' })
  const ls = await docs.run('ls', 'nf://docs/a/')
  expect(JSON.parse(ls.out)).toMatchObject([{ name: 'a/note.txt', size: 5, content_type: 'text/plain' }])
  expect(JSON.parse((await docs.run('ls', 'nf://docs')).out)).toEqual([{ name: 'a/' }])
  expect(await docs.run('cp', 'nf://docs/a/note.txt', 'copy.txt')).toMatchObject({ code: 0, out: '' })
  expect(read('copy.txt').toString()).toBe('hello')
  expect((await docs.run('cp', 'note.txt', 'nf://docs/a/')).err).toBe('copied 0 files, 1 unchanged\n')
  expect((await docs.run('cp', 'nf://docs/a/note.txt', '.')).err).toBe('copied 0 files, 1 unchanged\n')
  expect((await docs.run('rm', 'nf://docs/a/note.txt')).err).toBe('deleted 1 file\n')
  expect((await docs.run('ls', 'nf://docs/a/')).out).toBe('[]\n')
  expect(readdirSync(docs.folder).filter(name => name.endsWith('.part') || name.endsWith('.done'))).toEqual([])
})

it('lists the buckets of a workspace that is named by its organisation', async () => {
  const listed = await docs.run('ls', '--workspace', 'acme/web')
  expect(JSON.parse(listed.out)).toMatchObject([{ name: 'docs', id: docs.at.bucket, objects: expect.any(Number) }])
})

it('copies a folder with odd names, within a bucket too, and deletes all objects of a place', async () => {
  const names = [
    'plain.json',
    'with space+plus%25.txt',
    'ünïcode/日本.txt',
    'colon:metadata',
    'deep/er/empty',
    '.hidden',
  ]
  for (const name of names) {
    mkdirSync(join(docs.folder, 'tree', name, '..'), { recursive: true })
    write(`tree/${name}`, name === 'deep/er/empty' ? '' : `content of ${name}`)
  }
  symlinkSync('.', join(docs.folder, 'tree', 'circle'))
  const up = await docs.run('cp', '-r', 'tree', 'nf://docs/site')
  expect(up.code).toBe(0)
  expect(up.err).toContain('skipped tree/circle: it is no file\n')
  expect(up.err).toContain('copied 6 files')
  const listed: { readonly name: string }[] = JSON.parse((await docs.run('ls', '-r', 'nf://docs/site/')).out)
  expect(listed.map(({ name }) => name).toSorted()).toEqual(names.map(name => `site/${name}`).toSorted())
  expect((await docs.run('cp', '-r', 'tree', 'nf://docs/site/')).err).toContain('copied 0 files, 6 unchanged')
  expect((await docs.run('cp', '-r', 'nf://docs/site', 'nf://docs/again')).err).toContain('copied 6 files')
  expect((await docs.run('cp', '-r', 'nf://docs/again', 'back')).err).toContain('copied 6 files')
  for (const name of names) expect(read(`back/${name}`)).toEqual(read(`tree/${name}`))
  expect((await docs.run('rm', '-r', 'nf://docs/')).err).toBe('deleted 12 files\n')
})

it('goes on with an upload and a download that are killed', async () => {
  const content = randomBytes(largeBytes)
  write('large.bin', content)
  /** Kills a copy again and again until it has ended by itself; returns the number of kills. */
  const kills = async (...words: readonly string[]): Promise<number> => {
    for (let killed = 0; killed < interruptions; killed += 1)
      if (!(await docs.killed(300 + Math.random() * latestKillMs, 'cp', '--parallel', '2', ...words))) return killed
    return interruptions
  }
  const up = await kills('large.bin', 'nf://docs/large.bin')
  expect((await docs.run('cp', 'large.bin', 'nf://docs/large.bin')).code).toBe(0)
  const object = await docs.api.storage.getObjectMetadata({ ...docs.at, object: 'large.bin' })
  expect(object).toMatchObject({ size: content.length, part_count: partsOf(content.length).length })
  const { multipart_uploads: open } = await docs.api.storage.listMultipartUploads(docs.at)
  expect(open).toEqual([])
  const down = await kills('nf://docs/large.bin', 'got.bin')
  expect((await docs.run('cp', 'nf://docs/large.bin', 'got.bin')).code).toBe(0)
  expect(digest(read('got.bin'))).toBe(digest(content))
  expect((await docs.run('cp', 'large.bin', 'nf://docs/large.bin')).err).toBe('copied 0 files, 1 unchanged\n')
  console.log(`${content.length} bytes: ${up} kills of the upload, ${down} kills of the download`)
})

it('takes parts of an interrupted upload only if they are equal', async () => {
  const content = randomBytes(20 * 1024 * 1024)
  write('half.bin', content)
  const { api, at } = docs
  const body = { object: 'half.bin', content_type: 'application/octet-stream' }
  const { resource_id: upload_id } = await api.storage.createMultipartUpload({ ...at, body })
  const parts = [content.subarray(0, 8 * 1024 * 1024), randomBytes(8 * 1024 * 1024)]
  const { part_urls } = await api.storage.createPartUrls({
    ...at,
    upload_id,
    body: { parts: [{ part_number: 1 }, { part_number: 2 }] },
  })
  for (const [i, part] of parts.entries())
    await fetch(part_urls[i]?.url ?? '', { method: 'PUT', body: new Uint8Array(part) })
  const before = (await api.storage.getBucket({ ...at, id: at.bucket })).usage.incomplete_upload_bytes
  expect(before).toBe(16 * 1024 * 1024)
  expect(await docs.run('cp', 'half.bin', 'nf://docs/half.bin')).toMatchObject({
    code: 0,
    err: expect.stringMatching(/, 12\.0 MiB in .*; 8\.0 MiB were there from an interrupted copy\n$/),
  })
  expect((await docs.run('cp', 'nf://docs/half.bin', 'whole.bin')).code).toBe(0)
  expect(digest(read('whole.bin'))).toBe(digest(content))
})

it('takes the whole parts of an interrupted download, and receives the damaged ones again', async () => {
  const content = randomBytes(12 * 1024 * 1024)
  write('sum.bin', content)
  await docs.run('cp', 'sum.bin', 'nf://docs/sum.bin')
  const { etag, version_id } = await docs.api.storage.getObjectMetadata({ ...docs.at, object: 'sum.bin' })
  const version = `${version_id} ${etag} ${8 * 1024 * 1024} got-sum.bin`
  const part = `.got-sum.bin.${createHash('sha256').update(version).digest('hex').slice(0, 16)}.part`
  const first = content.subarray(0, 8 * 1024 * 1024)
  write(part, randomBytes(8 * 1024 * 1024))
  write(`${part}.done`, `1 ${crc32c(first)}\n`)
  const damaged = await docs.run('cp', 'nf://docs/sum.bin', 'got-sum.bin')
  expect(damaged).toMatchObject({ code: 0, err: expect.stringMatching(/^copied 1 file, 12\.0 MiB in [^;]*\n$/) })
  expect(digest(read('got-sum.bin'))).toBe(digest(content))
  write('got-sum.bin', '')
  write(part, first)
  write(`${part}.done`, `1 ${crc32c(first)}\n2 7`)
  expect(await docs.run('cp', 'nf://docs/sum.bin', 'got-sum.bin')).toMatchObject({
    code: 0,
    err: expect.stringMatching(/, 4\.0 MiB in .*; 8\.0 MiB were there from an interrupted copy\n$/),
  })
  expect(digest(read('got-sum.bin'))).toBe(digest(content))
  expect(readdirSync(docs.folder).filter(name => name.includes('.part'))).toEqual([])
})

it('copies to one file at a time, and to one object from two files', async () => {
  const contents = [randomBytes(20 * 1024 * 1024), randomBytes(20 * 1024 * 1024)] as const
  write('left.bin', contents[0])
  write('right.bin', contents[1])
  const up = await Promise.all(['left.bin', 'right.bin'].map(file => docs.run('cp', file, 'nf://docs/one.bin')))
  expect(up.map(({ code, err }) => (code === 0 ? 0 : err))).toEqual([0, 0])
  const down = await Promise.all([1, 2].map(() => docs.run('cp', 'nf://docs/one.bin', 'one.bin')))
  for (const { code, err } of down)
    if (code !== 0) expect(err).toMatch(/^error: another command copies to one\.bin: wait/)
  expect(down.map(({ code }) => code)).toContain(0)
  expect(contents.map(digest)).toContain(digest(read('one.bin')))
})

it.each<[string, readonly string[], string]>([
  ['a pipe', ['cp', 'pipe', 'nf://docs/pipe'], 'pipe is no file'],
  ['a download to a pipe', ['cp', 'nf://docs/refused/a', 'pipe'], 'pipe is no file'],
  ['a name that no object has', ['cp', 'note.txt', 'nf://docs/..'], 'no object has the name ..'],
  ['the deletion of such a name', ['rm', 'nf://docs/..'], 'no object has the name ..'],
  ['a place into itself', ['cp', '-r', 'nf://docs/refused', 'nf://docs/refused/sub'], 'cannot be copied into itself'],
  ['a bucket into itself', ['cp', '-r', 'nf://docs', 'nf://docs/refused'], 'cannot be copied into itself'],
  ['a folder that is missing', ['cp', 'nf://docs/refused/a', 'nowhere/'], 'nowhere/ is no folder: make the folder'],
])('refuses to copy %s', async (_, words, message) => {
  if (!existsSync(join(docs.folder, 'pipe'))) execFileSync('mkfifo', [join(docs.folder, 'pipe')])
  write('note.txt', 'hello')
  await docs.run('cp', 'note.txt', 'nf://docs/refused/a')
  expect(await docs.run(...words)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
})

it('tells the entries of a folder that it cannot read, and copies the others', async () => {
  mkdirSync(join(docs.folder, 'partly'))
  for (const name of ['a', 'z']) write(`partly/${name}`, name)
  symlinkSync('absent', join(docs.folder, 'partly', 'link'))
  const up = await docs.run('cp', '-r', 'partly', 'nf://docs/partly')
  expect(up).toMatchObject({ code: 1, err: expect.stringContaining('partly/link') })
  expect(up.err).toContain('copied 2 files')
})

it('keeps an object with --if-absent, and goes on with the other files', async () => {
  mkdirSync(join(docs.folder, 'some'))
  for (const name of ['one', 'two']) write(`some/${name}`, name)
  await docs.run('cp', '-r', 'some', 'nf://docs/some')
  write('some/one', 'new')
  write('some/three', 'three')
  const again = await docs.run('cp', '-r', '--if-absent', 'some', 'nf://docs/some')
  expect(again.code).toBe(1)
  expect(again.err).toMatch(/some\/one\nerror: .*\n {2}reason: OBJECT_ALREADY_EXISTS/)
  expect(again.err).toContain('copied 1 file, 1 unchanged')
  expect(again.err).toContain('error: 1 file failed, as said above')
})

it.each([
  ['no bucket', ['cp', 'absent', 'other'], /name a place in a bucket/],
  ['an absent file', ['cp', 'absent', 'nf://docs/'], /ENOENT.*absent/],
  ['a folder without --recursive', ['cp', '.', 'nf://docs/'], /is a folder: copy it with --recursive/],
  ['an unknown bucket', ['ls', 'nf://nowhere/'], /no bucket named nowhere in the engine native/],
  ['an absent object', ['cp', 'nf://docs/nothing', '.'], /OBJECT_NOT_FOUND/],
  ['a folder to delete', ['rm', 'nf://docs/a/'], /names no object: delete all objects of the place with --recursive/],
  ['an empty name of a bucket', ['rm', 'nf:///a'], /names no bucket/],
  ['an unknown engine', ['ls', '--engine', 'other'], /ENGINE_NOT_FOUND/],
])('refuses %s with a remedy', async (_, words, message) => {
  const ended = await docs.run(...words)
  expect(ended.code).not.toBe(0)
  expect(ended.err).toMatch(message)
})
