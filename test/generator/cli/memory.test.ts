import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, getPet, petstore, repository } from './command-line.ts'

const words = ['petstore.yaml', '--out', 'api'] as const
const memories = 'node_modules/.cache/ninefold'

let folder: string

beforeEach(() => {
  vi.stubEnv('CI', '')
  folder = temporaryFolder()
  put(folder, { 'petstore.yaml': petstore() })
  mkdirSync(join(folder, 'node_modules'))
})

afterEach(() => vi.unstubAllEnvs())

const edit = (path: string, change: (text: string) => string): void => {
  const file = join(folder, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** Returns the path of the only memory in the folder. */
function memoryFile(): string {
  const [name = ''] = readdirSync(join(folder, memories))
  return join(memories, name)
}

const editMemory = (change: (text: string) => string): void => edit(memoryFile(), change)

/** Replaces the memory by another entry, which `make` creates. */
function insteadOfMemory(make: (file: string) => void): void {
  const file = join(folder, memoryFile())
  rmSync(file)
  make(file)
}

/** Moves a file out of the folder of the run, and leaves a symbolic link to the file. */
function linkOutside(path: string): void {
  const outside = join(temporaryFolder(), 'moved.yaml')
  renameSync(join(folder, path), outside)
  symlinkSync(outside, join(folder, path))
}

/** Returns true if a run reports that it used the memory of the last run. */
const isRemembered = (err: string): boolean => /^memory \d+ ms\nremembered: petstore\n$/.test(err)

describe('a run with the same result as the run before', () => {
  test('prints the same, and reads no document', async () => {
    await generate(folder, ...words)
    const checked = await generate(folder, ...words, '--check')
    expect(checked).toMatchObject({ status: 0, err: '' })
    expect(checked.out).toMatch(/^api is up to date \(1 document, 2 operations, \d+ ms\)\n$/)
    const { err, out } = await generate(folder, ...words, '--timings')
    expect(out).toMatch(/^api: 0 files written, \d+ unchanged, 0 deleted \(1 document, 2 operations, \d+ ms\)\n$/)
    expect(isRemembered(err)).toBe(true)
  })

  test('repeats its warnings', async () => {
    edit('petstore.yaml', text => text.replace('maxLength: 40', 'maxLength: 40, xml: {}'))
    const first = await generate(folder, ...words)
    expect(first.err).toContain('warning')
    expect((await generate(folder, ...words, '--check')).err).toBe(first.err)
  })

  test.each<[string, () => void, readonly string[], number]>([
    ['a changed document', () => edit('petstore.yaml', text => text.replace('paths:\n', `paths:\n${getPet}`)), [], 1],
    ['an edited file of the output', () => edit('api/types.ts', text => `${text}// edited\n`), [], 1],
    ['a file of the output that is gone', () => rmSync(join(folder, 'api/types.ts')), [], 1],
    ['another manifest', () => edit('api/.ninefold.json', text => text.replace('types.ts', 'type.ts')), [], 1],
    ['another option', () => undefined, ['--import-ending', '.ts'], 1],
    ['a report that is asked for', () => undefined, ['--report'], 0],
    ['CI', () => vi.stubEnv('CI', 'true'), [], 0],
    ['a memory that is empty', () => editMemory(() => ''), [], 0],
    ['a memory that is cut off', () => editMemory(text => text.slice(0, -1)), [], 0],
    ['a memory of other words', () => editMemory(text => text.replace('petstore', 'petstora')), [], 0],
    [
      'a memory of another version',
      () => editMemory(text => text.replace(/^./, first => (first === '0' ? '1' : '0'))),
      [],
      0,
    ],
    ['a memory that is a folder', () => insteadOfMemory(file => mkdirSync(file)), [], 0],
    ['a memory that is a pipe without a writer', () => insteadOfMemory(file => spawnSync('mkfifo', [file])), [], 0],
    ['a memory that is huge', () => truncateSync(join(folder, memoryFile()), 2 ** 33), [], 0],
    ['a document that has become a link', () => linkOutside('petstore.yaml'), [], 0],
  ])('ignores the memory with %s', async (_, change, more, status) => {
    await generate(folder, ...words)
    change()
    const outcome = await generate(folder, ...words, '--check', '--timings', ...more)
    expect(outcome.status).toBe(status)
    expect(isRemembered(outcome.err)).toBe(false)
    expect(outcome.err).toContain('read ')
  })
})

test('a document that begins with a byte order mark is remembered', async () => {
  edit('petstore.yaml', text => `\ufeff${text}`)
  await generate(folder, ...words)
  expect(isRemembered((await generate(folder, ...words, '--timings')).err)).toBe(true)
})

test('a document with invalid bytes that decode to the same text is read again', async () => {
  edit('petstore.yaml', text => `${text}# \ufffd`)
  await generate(folder, ...words)
  const text = readFileSync(join(folder, 'petstore.yaml'))
  writeFileSync(join(folder, 'petstore.yaml'), Buffer.concat([text.subarray(0, -3), Buffer.from([0xff])]))
  expect((await generate(folder, ...words, '--check')).err).toContain('error file-not-text')
})

test.each([
  ['its own modules', 'generator/emit/types.ts'],
  ['its templates', 'templates/routes.hbs'],
  ['the packages that it uses', 'node_modules/.package-lock.json'],
  ['the runtime', 'runtime/json.ts'],
])('a generator ignores the memory after a change of %s', (_, path) => {
  const copy = copyOfGenerator()
  const run = () =>
    spawnSync(process.execPath, [join(copy, 'generator/main.ts'), 'generate', ...words, '--timings'], {
      cwd: folder,
      encoding: 'utf8',
    }).stderr
  run()
  expect(isRemembered(run())).toBe(true)
  writeFileSync(join(copy, path), `${readFileSync(join(copy, path), 'utf8')}\n`)
  expect(isRemembered(run())).toBe(false)
})

/** Makes a copy of the generator that a test may change, with links to its packages. */
function copyOfGenerator(): string {
  const copy = temporaryFolder()
  for (const name of ['generator', 'templates', 'runtime', 'package.json'])
    cpSync(join(repository, name), join(copy, name), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  put(copy, { 'node_modules/.package-lock.json': '{}' })
  const packages = readdirSync(join(repository, 'node_modules')).filter(name => !name.startsWith('.'))
  for (const name of packages) symlinkSync(join(repository, 'node_modules', name), join(copy, 'node_modules', name))
  return copy
}

test('a memory that is a link is replaced, and the target of the link stays', async () => {
  await generate(folder, ...words)
  put(folder, { 'mine.txt': 'mine' })
  insteadOfMemory(file => symlinkSync(join(folder, 'mine.txt'), file))
  await generate(folder, ...words)
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine')
  expect(isRemembered((await generate(folder, ...words, '--timings')).err)).toBe(true)
})

test('a referenced file is read again when it has become a link to another folder', async () => {
  put(folder, { 'parts/pet.yaml': 'type: object\n' })
  edit('petstore.yaml', text => text.replaceAll('#/components/schemas/Pet', './parts/pet.yaml'))
  expect((await generate(folder, ...words)).status).toBe(0)
  linkOutside('parts/pet.yaml')
  const { err, status } = await generate(folder, ...words, '--check')
  expect([status, err]).toEqual([1, expect.stringContaining('error reference-outside')])
})

describe('nothing is remembered', () => {
  test('where a project has no node_modules', async () => {
    rmSync(join(folder, 'node_modules'), { recursive: true })
    await generate(folder, ...words)
    expect(readdirSync(folder).toSorted()).toEqual(['api', 'petstore.yaml'])
  })

  test.each([
    ['of an output that is not right', () => put(folder, { 'api/types.ts': '' }), ['--check']],
    ['of a document with errors', () => put(folder, { 'petstore.yaml': 'openapi: 3.0.3\n' }), []],
    ['in CI', () => vi.stubEnv('CI', 'true'), []],
  ])('%s', async (_, change, more) => {
    change()
    await generate(folder, ...words, ...more)
    expect(readdirSync(join(folder, 'node_modules'))).toEqual([])
  })
})
