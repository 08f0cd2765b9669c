import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, getPet, petstore } from './command-line.ts'

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

const editMemory = (change: (text: string) => string): void => {
  const [name = ''] = readdirSync(join(folder, memories))
  edit(join(memories, name), change)
}

/** Whether a run says that it remembered the last one. */
const isRemembered = (err: string): boolean => /^memory \d+ ms\nremembered: petstore\n$/.test(err)

describe('a run after one that came to the same', () => {
  test('says what that said, and looks at no document', async () => {
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
  ])('looks for itself with %s', async (_, change, more, status) => {
    await generate(folder, ...words)
    change()
    const outcome = await generate(folder, ...words, '--check', '--timings', ...more)
    expect(outcome.status).toBe(status)
    expect(isRemembered(outcome.err)).toBe(false)
    expect(outcome.err).toContain('read ')
  })
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
