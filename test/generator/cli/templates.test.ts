import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, petstore, spawned, Watching } from './command-line.ts'

const words = ['petstore.yaml', '--out', 'api', '--templates', 'mine'] as const
const ofClient = (mark: string): string => `{{> client}}\n\nexport const mark = '${mark}'\n`

let folder: string

beforeEach(() => {
  vi.stubEnv('CI', '')
  folder = temporaryFolder()
  put(folder, { 'petstore.yaml': petstore(), 'mine/client.hbs': ofClient('one') })
  mkdirSync(join(folder, 'node_modules'))
})

afterEach(() => vi.unstubAllEnvs())

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

test('a template in the folder replaces the built-in template, and the others are unchanged', async () => {
  await generate(folder, 'petstore.yaml', '--out', 'plain')
  const { status, err } = await generate(folder, ...words)
  expect([status, err]).toEqual([0, ''])
  expect(read('api/client.ts')).toBe(`${read('plain/client.ts')}\nexport const mark = 'one'\n`)
  expect(read('api/routes.ts')).toBe(read('plain/routes.ts'))
})

describe('an output is outdated', () => {
  test.each([
    ['a template changes', () => put(folder, { 'mine/client.hbs': ofClient('two') }), 'changed  api/client.ts'],
    [
      'a template comes',
      () => put(folder, { 'mine/routes.hbs': '{{> routes}}\nexport const more = 1' }),
      'api/routes.ts',
    ],
    ['a template goes', () => rmSync(join(folder, 'mine/client.hbs')), 'changed  api/client.ts'],
  ])('when %s', async (_, change, message) => {
    await generate(folder, ...words)
    expect((await generate(folder, ...words, '--check', '--timings')).err).toContain('remembered: petstore')
    change()
    const { status, out } = await generate(folder, ...words, '--check')
    expect([status, out]).toEqual([1, expect.stringContaining(message)])
    await generate(folder, ...words)
    expect((await generate(folder, ...words, '--check', '--timings')).err).toContain('remembered: petstore')
  })

  test('without the folder', async () => {
    await generate(folder, ...words)
    const { status } = await generate(folder, 'petstore.yaml', '--out', 'api', '--check')
    expect(status).toBe(1)
  })
})

test('all documents are generated again when a template changes', async () => {
  put(folder, { 'toys.yaml': petstore() })
  const both = ['petstore.yaml', 'toys.yaml', '--out', 'api', '--templates', 'mine'] as const
  await generate(folder, ...both)
  put(folder, { 'mine/client.hbs': ofClient('two') })
  const { err, out } = await generate(folder, ...both, '--timings')
  expect([err, out]).toEqual([
    expect.stringContaining('remembered: no document'),
    expect.stringContaining('2 files written'),
  ])
})

describe('an unusable template is reported in one line', () => {
  test.each([
    ['a folder that is not there', [], 'none', '--templates "none" cannot be read: it does not exist'],
    [
      'a folder that is a file',
      [],
      'petstore.yaml',
      '--templates "petstore.yaml" cannot be read: a part of the path is no',
    ],
    [
      'another name',
      ['clients.hbs'],
      'mine',
      '"mine/clients.hbs" is no template: name it as one of area.hbs, client.hbs,',
    ],
    [
      'another ending',
      ['client.txt'],
      'mine',
      '"mine/client.txt" is no template: name it as one of area.hbs, client.hbs,',
    ],
    ['a folder in it', ['more/client.hbs'], 'mine', '"mine/more" is no template: name it as one of'],
    ['a template that is a folder', ['routes.hbs/a'], 'mine', '"mine/routes.hbs" cannot be read: it is a folder'],
  ])('%s', async (_, files, templates, message) => {
    put(folder, Object.fromEntries(files.map(file => [`mine/${file}`, ''])))
    const { status, err, out } = await generate(folder, 'petstore.yaml', '--out', 'api', '--templates', templates)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toContain(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a template that is not text', async () => {
    writeFileSync(join(folder, 'mine/client.hbs'), Buffer.from([0xff, 0xfe]))
    expect((await generate(folder, ...words)).err).toBe(
      'error: --templates: "mine/client.hbs" cannot be read: it is no UTF-8 text: save it as such\n',
    )
  })

  test.each([
    ['{{#if title}}', 'error: mine/client.hbs:1: Handlebars says "Expecting '],
    ['\n{{titel}}', "error: mine/client.hbs:2: the template is given no 'titel' here: docs/generator.md lists"],
    ['\n\nlet a = (', 'error: mine/client.hbs:3: what the template makes of client.ts is no TypeScript: '],
  ])('a faulty template, %j, of which nothing is written', async (text, message) => {
    put(folder, { 'mine/client.hbs': text })
    const { status, err, out } = await generate(folder, ...words)
    expect({ status, err, out }).toEqual({ status: 1, err: expect.stringContaining(message), out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(() => read('api/types.ts')).toThrow('ENOENT')
  })
})

test('hidden files are ignored', async () => {
  put(folder, { 'mine/.DS_Store': '' })
  expect((await generate(folder, ...words)).status).toBe(0)
})

test('a module that only a template imports is copied with the runtime', async () => {
  put(folder, { 'mine/client.hbs': 'import { compileFilter } from "./runtime/filter/parse.js"\n{{> client}}' })
  await generate(folder, ...words)
  expect(read('api/runtime/filter/parse.ts')).toContain('export')
})

const telling = `import { registerHooks } from 'node:module'
const resolve = (specifier, context, next) => {
  const found = next(specifier, context)
  console.error(found.url)
  return found
}
registerHooks({ resolve })
`

test('a run without work loads neither Handlebars nor prettier', () => {
  put(folder, { 'telling.mjs': telling })
  vi.stubEnv('NODE_OPTIONS', `--import ${pathToFileURL(join(folder, 'telling.mjs')).href}`)
  const loadedBy = (...more: readonly string[]): readonly string[] => {
    const { err } = spawned(folder, ...words, ...more)
    return ['commander', 'handlebars', 'prettier'].filter(name => err.includes(`/node_modules/${name}/`))
  }
  expect(loadedBy()).toEqual(['commander', 'handlebars', 'prettier'])
  expect(loadedBy('--check')).toEqual(['commander'])
})

test('watch generates again when a template changes, appears or is repaired', async () => {
  const watch = new Watching(folder, ...words)
  onTestFinished(() => watch.end())
  expect(await watch.printed(/watching \d+ files for changes\n/)).toContain('watching 2 files')
  put(folder, { 'mine/client.hbs': ofClient('two') })
  expect(await watch.printed(/watching \d+ files for changes\n/)).toMatch(
    /mine\/client\.hbs changed\n[^]*1 file written/,
  )
  put(folder, { 'mine/routes.hbs': '{{' })
  expect(await watch.printed(/watching \d+ files for changes\n/)).toContain('error: mine/routes.hbs:1: Handlebars says')
  put(folder, { 'mine/routes.hbs': '{{> routes}}\nexport const more = 1' })
  expect(await watch.printed(/watching \d+ files for changes\n/)).toMatch(
    /mine\/routes\.hbs changed\n[^]*1 file written/,
  )
})
