import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CommandError } from '../../../cli/exit-codes.ts'
import { copy } from '../../../cli/storage/copy.ts'
import { eachOf, Limit } from '../../../cli/storage/limit.ts'
import { makeFolder, pathBelow } from '../../../cli/storage/local-files.ts'
import { isOfOneFile } from '../../../cli/storage/one-file-faults.ts'
import { partsOf, partSize } from '../../../cli/storage/parts.ts'
import { testFolder } from '../../server/store/harness.ts'

it.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', 'a/.', 'nul\0', ''])(
  'writes no file for an object named %j',
  async name => {
    await expect(pathBelow(testFolder(), name)).rejects.toThrow('cannot be a file of this machine')
  },
)

it('writes no file through a link to another folder', async () => {
  const folder = testFolder()
  mkdirSync(join(folder, 'in'))
  symlinkSync(testFolder(), join(folder, 'in', 'elsewhere'))
  await expect(pathBelow(join(folder, 'in'), 'elsewhere/file')).rejects.toThrow('is a link')
  expect(await pathBelow(join(folder, 'in'), 'deep/file')).toBe(join(folder, 'in', 'deep', 'file'))
})

it('makes no folder at the path of a file, nor below it', async () => {
  const file = join(testFolder(), 'file')
  writeFileSync(file, '')
  await expect(makeFolder(file)).rejects.toThrow('file is no folder')
  await expect(makeFolder(join(file, 'in'))).rejects.toThrow('ENOTDIR')
})

it.each<[string, Parameters<typeof copy>, string]>([
  [
    'a download without replacement',
    ['nf://docs/a', 'b', { engine: 'native', parallel: 1, ifAbsent: true }],
    '--if-absent is for objects',
  ],
  [
    'a download with a media type',
    ['nf://docs/a', 'b', { engine: 'native', parallel: 1, contentType: 'a/b' }],
    '--content-type is for files',
  ],
  [
    'a copy with a media type',
    ['nf://docs/a', 'nf://docs/b', { engine: 'native', parallel: 1, contentType: 'a/b' }],
    '--content-type is for files',
  ],
  ['an empty engine', ['a', 'nf://docs/b', { workspace: 'acme/web', engine: '', parallel: 1 }], 'name an engine'],
  [
    'an engine that is a step of a path',
    ['a', 'nf://docs/b', { workspace: 'acme/web', engine: '..', parallel: 1 }],
    'name an engine',
  ],
])('refuses %s without a call', async (_, words, message) => {
  await expect(copy(...words)).rejects.toThrow(message)
})

it.each([0, 1, 8 * 1024 ** 2, 8 * 1024 ** 2 + 1, 2 * 1024 ** 3, 5 * 1024 ** 4])('covers %d bytes by parts', size => {
  const parts = partsOf(size)
  expect(parts.length).toBeLessThanOrEqual(10_000)
  expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(size)
  expect(parts.every(({ number, start }, i) => number === i + 1 && start === i * partSize(size))).toBe(true)
})

it.each([
  [9e6, 8],
  [2e9, 30],
  [1e11, 32],
  [5 * 1024 ** 4, 525],
])('takes parts of %d bytes of %d MiB', (size, mebibytes) => {
  expect(partSize(size)).toBe(mebibytes * 1024 ** 2)
})

it('runs no more tasks than its limit, and ends at the first error', async () => {
  const limit = new Limit(3)
  let [running, most, done] = [0, 0, 0]
  const task = (): Promise<void> =>
    limit.run(async () => {
      most = Math.max(most, (running += 1))
      await Promise.resolve()
      running -= 1
      done += 1
    })
  await Promise.all(Array.from({ length: 20 }, task))
  expect([most, done]).toEqual([3, 20])
  const seen: number[] = []
  const failing = eachOf([1, 2, 3, 4, 5, 6], 2, async item => {
    seen.push(item)
    if (item === 2) throw new Error('second')
  })
  await expect(failing).rejects.toThrow('second')
  expect(seen.length).toBeLessThan(6)
})

it('ends only after the running tasks if no further task can be read', async () => {
  const { promise: turn, resolve: endTask } = Promise.withResolvers<void>()
  const ended: string[] = []
  async function* items() {
    yield 'a'
    throw new Error('the list is lost')
  }
  const all = eachOf(items(), 2, async item => {
    await turn
    ended.push(item)
  }).catch((error: unknown) => void ended.push(String(error)))
  setImmediate(endTask)
  await all
  expect(ended).toEqual(['a', 'Error: the list is lost'])
})

const failed = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'write' })

it.each<[string, unknown, boolean]>([
  ['a file of another user', failed('EACCES'), true],
  ['a name that is too long', failed('ENAMETOOLONG'), true],
  ['a changed file', new CommandError('changed'), true],
  ['a full disk', failed('ENOSPC'), false],
  ['a used up quota of the disk', failed('EDQUOT'), false],
  ['a disk for reading only', failed('EROFS'), false],
  ['a defect', new TypeError('x'), false],
])('knows whether other files can be copied after %s', (_, error, isOfOne) => {
  expect(isOfOneFile(error)).toBe(isOfOne)
})
