import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, getPet, petstore } from './command-line.ts'

const words = ['petstore.yaml', '--out', 'api'] as const
const memories = 'node_modules/.cache/ninefold'
const marked = '7 documents, 7 operations'

let folder: string

beforeEach(() => {
  vi.stubEnv('CI', '')
  folder = temporaryFolder()
  put(folder, { 'petstore.yaml': petstore() })
  mkdirSync(join(folder, 'node_modules'))
})

afterEach(() => vi.unstubAllEnvs())

/** Generates, and changes what the memory says, so that its words show whether it is used. */
async function remembered(...more: readonly string[]): Promise<void> {
  await generate(folder, ...words, ...more)
  const [name = ''] = readdirSync(join(folder, memories))
  const file = join(folder, memories, name)
  writeFileSync(file, readFileSync(file, 'utf8').replace('1 document, 2 operations', marked))
}

const edit = (path: string, change: (text: string) => string): void => {
  const file = join(folder, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

describe('a run after one that came to the same', () => {
  test('says what that said, and looks at no document', async () => {
    await remembered()
    const checked = await generate(folder, ...words, '--check')
    expect(checked).toMatchObject({ status: 0, err: '' })
    expect(checked.out).toMatch(new RegExp(`^api is up to date \\(${marked}, \\d+ ms\\)\n$`))
    const { out } = await generate(folder, ...words)
    expect(out).toMatch(new RegExp(`^api: 0 files written, \\d+ unchanged, 0 deleted \\(${marked}, \\d+ ms\\)\n$`))
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
    ['times that are asked for', () => undefined, ['--timings'], 0],
    ['CI', () => vi.stubEnv('CI', 'true'), [], 0],
    ['a memory that is no JSON', () => edit(join(memories, nameOfMemory()), () => '{'), [], 0],
  ])('looks for itself with %s', async (_, change, more, status) => {
    await remembered()
    change()
    const outcome = await generate(folder, ...words, '--check', ...more)
    expect(outcome.status).toBe(status)
    expect(outcome.out).not.toContain(marked)
  })

  const nameOfMemory = (): string => readdirSync(join(folder, memories))[0] ?? ''
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
