import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { afterTests } from '../../undo.ts'
import { commandFor } from '../command.ts'
import { servedBucket, type ServedBucket } from './served-bucket.ts'

let docs: ServedBucket
const pathOf = (name: string): string => join(docs.folder, name)

beforeAll(async () => {
  docs = await servedBucket(afterTests)
  writeFileSync(pathOf('note.txt'), 'hello')
  await docs.run('cp', 'note.txt', 'nf://docs/site/a')
})

it('copies no bucket as one object', async () => {
  expect(await docs.run('cp', 'nf://docs', 'nf://docs/x')).toEqual({
    code: 2,
    out: '',
    err: 'error: name an object, or copy all objects of the place with --recursive\n',
  })
})

it('reports a place without objects', async () => {
  for (const target of ['nowhere', 'nf://docs/other']) {
    const ended = await docs.run('cp', '-r', 'nf://docs/sit', target)
    expect(ended).toEqual({ code: 1, out: '', err: 'error: no object has a name that begins with sit/\n' })
  }
})

it('skips empty objects that stand for folders', async () => {
  for (const object of ['marked/', 'marked/sub/', 'marked/sub/file']) {
    const body = { object, content_length: 0 }
    const { headers, url } = await docs.api.storage.createPresignedUploadUrl({ ...docs.at, body })
    expect((await fetch(url, { method: 'PUT', headers, body: '' })).status).toBe(200)
  }
  const got = await docs.run('cp', '-r', 'nf://docs/marked', 'marked')
  expect(got.err).toContain('skipped marked/: it is an empty object')
  expect(got.err).toContain('skipped marked/sub/: it is an empty object')
  expect(got).toMatchObject({ code: 0, err: expect.stringContaining('copied 1 file') })
  expect(readdirSync(pathOf('marked'), { recursive: true })).toEqual(['sub', 'sub/file'])
})

it('keeps a private file private', async () => {
  writeFileSync(pathOf('private'), 'old')
  chmodSync(pathOf('private'), 0o600)
  expect((await docs.run('cp', 'nf://docs/site/a', 'private')).code).toBe(0)
  expect(readFileSync(pathOf('private'), 'utf8')).toBe('hello')
  expect(statSync(pathOf('private')).mode & 0o777).toBe(0o600)
})

it('gives equal content another media type if the command names one', async () => {
  mkdirSync(pathOf('typed'))
  writeFileSync(pathOf('typed/page'), 'page')
  await docs.run('cp', '-r', 'typed', 'nf://docs/typed')
  for (const words of [
    ['-r', 'typed', 'nf://docs/typed'],
    ['typed/page', 'nf://docs/typed/page'],
  ]) {
    const type = `text/x-${words.length}`
    expect((await docs.run('cp', '--content-type', type, ...words)).err).toContain('copied 1 file')
    const object = await docs.api.storage.getObjectMetadata({ ...docs.at, object: 'typed/page' })
    expect(object.content_type).toBe(type)
  }
  const same = await docs.run('cp', '--content-type', 'text/x-2', 'typed/page', 'nf://docs/typed/page')
  expect(same.err).toBe('copied 0 files, 1 unchanged\n')
})

it('goes on where nobody reads its reports', async () => {
  mkdirSync(pathOf('quiet'))
  for (const name of ['a', 'z']) writeFileSync(pathOf(`quiet/${name}`), name)
  symlinkSync('.', pathOf('quiet/circle'))
  const { file, options, words } = commandFor(docs.folder, [
    'storage',
    'cp',
    '--workspace',
    docs.at.workspace,
    '-r',
    'quiet',
    'nf://docs/quiet',
  ])
  const child = spawn(file, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  const { objects } = await docs.api.storage.listObjects({ ...docs.at, prefix: 'quiet/' })
  expect(objects.map(({ name }) => name)).toEqual(['quiet/a', 'quiet/z'])
})

it('uploads no files of an unfinished download', async () => {
  mkdirSync(pathOf('partly'))
  const part = '.film.0123456789abcdef.part'
  for (const name of ['film.part', part, `${part}.done`, `${part}.lock`]) writeFileSync(pathOf(`partly/${name}`), 'x')
  const sent = await docs.run('cp', '-r', 'partly', 'nf://docs/partly')
  expect(sent.err).toContain(`skipped partly/${part}: it belongs to an unfinished download\n`)
  expect(sent.err).toContain('copied 1 file,')
})
