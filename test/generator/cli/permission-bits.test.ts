import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate } from './command-line.ts'

const words = ['one.yaml', 'two.yaml', '--out', 'api', '--permission-bits', 'bits.txt'] as const

/** Returns a document with an operation for each permission key. */
const document = (...keys: readonly string[]): string =>
  [
    'openapi: 3.0.3',
    'info: { title: Things, version: 1.0.0 }',
    'paths:',
    ...keys.flatMap((key, index) => [
      `  /things/${index}:`,
      '    get:',
      `      operationId: thing${index}`,
      `      x-access: { kind: permission, key: ${key}, class: READ, scope: platform }`,
      `      responses: { '204': { description: Nothing. } }`,
    ]),
    '',
  ].join('\n')

let folder: string
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const keysIn = (path: string): readonly string[] => [...read(path).matchAll(/a\.[a-z]+\.get/g)].map(([key]) => key)

beforeEach(() => {
  folder = temporaryFolder()
  put(folder, { 'one.yaml': document('a.dogs.get'), 'two.yaml': document('a.cats.get') })
})

test('keys are numbered in order, new keys after all others, and removed keys stay', async () => {
  expect(await generate(folder, ...words)).toMatchObject({ status: 0, err: '' })
  expect(keysIn('api/permission-bits.ts')).toEqual(['a.cats.get', 'a.dogs.get'])
  put(folder, { 'one.yaml': document('a.ants.get', 'a.bees.get') })
  expect(await generate(folder, ...words)).toMatchObject({ status: 0 })
  const grown = ['a.cats.get', 'a.dogs.get', 'a.ants.get', 'a.bees.get']
  expect(keysIn('api/permission-bits.ts')).toEqual(grown)
  expect(keysIn('bits.txt')).toEqual(grown)
  expect(await generate(folder, ...words, '--check')).toMatchObject({ status: 0 })
})

test('a check writes no bits, and fails if the file lacks some', async () => {
  await generate(folder, ...words)
  writeFileSync(join(folder, 'bits.txt'), 'a.cats.get\n')
  expect(await generate(folder, ...words, '--check')).toMatchObject({
    status: 1,
    out: expect.stringContaining('bits.txt lacks 1 permission key'),
  })
  expect(read('bits.txt')).toBe('a.cats.get\n')
})

test.each([
  ['a key that stands twice', 'a.cats.get\na.cats.get\n', 'a.cats.get'],
  ['an invalid key', "a.cats.get\n'; run()\n", "'; run()"],
])('a file with %s is refused, and stays unchanged', async (_, text, said) => {
  put(folder, { 'bits.txt': text })
  const { err, status } = await generate(folder, ...words)
  expect(status).toBe(1)
  expect(err).toContain(said)
  expect(read('bits.txt')).toBe(text)
})

test('one document has no bits', async () => {
  const { err, status } = await generate(folder, 'one.yaml', '--out', 'api', '--permission-bits', 'bits.txt')
  expect(status).toBe(1)
  expect(err).toContain('--permission-bits numbers the keys of several documents')
})
