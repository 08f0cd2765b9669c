import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { load } from '../../../generator/read/load.ts'
import { codesOf, document, read, readFrom } from '../reading.ts'
import { put, temporaryFolder } from '../write/temporary-folder.ts'

const referring = (reference: string): string =>
  document(`components:\n  schemas:\n    A:\n      properties: {b: {$ref: '${reference}'}}\n`)

describe('loading', () => {
  test('finds files through references, relative to the file of the reference', async () => {
    const { loaded, diagnostics } = await read({
      'api.yaml': referring('parts/a.yaml'),
      'parts/a.yaml': 'type: object\nproperties: {c: {$ref: ../other/c.json}}\n',
      'other/c.json': '{"type": "string"}',
    })
    expect(diagnostics).toEqual([])
    expect([...loaded.files.keys()]).toEqual(['api.yaml', 'parts/a.yaml', 'other/c.json'])
  })

  test('reads YAML 1.2: yes, no, on and dates are text, and number keys are names', async () => {
    const { loaded } = await read({
      'api.yaml': document('x-a: [yes, no, on, off, 2024-01-01, 0o7, 1_000]\nx-b: {200: a}\n'),
    })
    expect(loaded.entries[0]?.file.root).toMatchObject({
      'x-a': ['yes', 'no', 'on', 'off', '2024-01-01', 7, '1_000'],
      'x-b': { '200': 'a' },
    })
  })

  test('keeps __proto__ as an ordinary name', async () => {
    const { loaded } = await read({ 'api.yaml': document('x-a: {__proto__: {polluted: true}}\n') })
    expect(Object.hasOwn(Object(loaded.entries[0]?.file.root), 'x-a')).toBe(true)
    expect(Object.getOwnPropertyDescriptor({}, 'polluted')).toBeUndefined()
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('reports all syntax errors with their places', async () => {
    const { diagnostics, loaded } = await read({ 'api.yaml': 'openapi: 3.0.3\npaths: {a: [1, 2\ninfo: "x\n' })
    expect(loaded.entries).toEqual([])
    expect(diagnostics.length).toBeGreaterThan(0)
    for (const diagnostic of diagnostics) expect(diagnostic).toMatch(/^api\.yaml:\d+:\d+ error syntax: /)
  })

  test.each([
    ['JSON with a trailing comma', 'api.json', '{\n  "openapi": "3.0.3",\n}', 'syntax'],
    ['an empty file', 'api.yaml', '', 'not-an-object'],
    ['a list', 'api.yaml', '- a\n', 'not-an-object'],
    ['a name twice', 'api.yaml', 'openapi: 3.0.3\nopenapi: 3.0.3\n', 'syntax'],
    ['a number that JSON lacks', 'api.yaml', document('x-a: .nan\n'), 'not-json'],
    ['10,000 levels of YAML', 'api.yaml', document(`x-a: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`), 'syntax'],
    [
      '10,000 levels of JSON',
      'api.json',
      `{"openapi":"3.0.3","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'too-deep',
    ],
    ['aliases within aliases', 'api.yaml', aliasBomb(), 'alias-bomb'],
    ['an alias within its own anchor', 'api.yaml', document('x-a: &a [*a]\n'), 'too-deep'],
  ])('refuses %s', async (_, name, text, code) => {
    const { diagnostics } = await read({ [name]: text })
    expect(codesOf(diagnostics).map(line => line.split(' ')[1])).toContain(code)
  })

  test('refuses a file that is not UTF-8, is a folder or does not exist', async () => {
    const cwd = temporaryFolder()
    put(cwd, { 'folder/x': '' })
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(cwd, 'latin.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xe9]))
    const { diagnostics } = await readFrom(cwd, ['latin.yaml', 'folder', 'none.yaml'])
    expect(diagnostics.map(line => line.split(' ')[2])).toEqual([
      'file-unreadable:',
      'file-not-text:',
      'file-unreadable:',
    ])
  })

  test('refuses two documents with the same name', async () => {
    const { diagnostics, loaded } = await read({ 'a/x.yaml': document(''), 'b/x.yaml': document('') }, [
      'a/x.yaml',
      'b/x.yaml',
    ])
    expect(diagnostics).toEqual([expect.stringMatching(/^b\/x\.yaml:1:1 error document-name-twice: /)])
    expect(loaded.entries).toHaveLength(1)
  })

  test('parses no file for positions that no message needs', async () => {
    const { loaded } = await read({ 'api.yaml': document('') })
    const position = loaded.entries[0]?.file.positionOf('/info/title')
    expect(Object.keys(Object(position))).toEqual(['file'])
    expect([position?.line, position?.column]).toEqual([2, 8])
  })
})

describe('references to other files', () => {
  test.each([
    ['https://example.com/a.yaml', 'reference-remote'],
    ['file:///etc/passwd', 'reference-remote'],
    ['//example.com/a.yaml', 'reference-remote'],
    ['/etc/passwd', 'reference-remote'],
    ['../outside.yaml', 'reference-outside'],
    ['%2e%2e/outside.yaml', 'reference-outside'],
    ['link.yaml', 'reference-outside'],
    ['none.yaml', 'file-unreadable'],
    ['http://[', 'reference-remote'],
    ['%zz.yaml', 'file-unreadable'],
    ['broken.yaml', 'reference-unparsed'],
  ])('%s is refused at its place', async (reference, code) => {
    const cwd = temporaryFolder()
    put(cwd, { 'in/api.yaml': referring(reference), 'outside.yaml': 'type: string\n', 'in/broken.yaml': 'a: [\n' })
    symlinkSync('../outside.yaml', join(cwd, 'in/link.yaml'))
    const { diagnostics } = await readFrom(cwd, ['in/api.yaml'])
    expect(codesOf(diagnostics).filter(line => line.startsWith('7 '))).toEqual([`7 ${code}`])
  })

  test('may leave the folder if an option allows it', async () => {
    const cwd = temporaryFolder()
    put(cwd, { 'in/api.yaml': referring('../outside.yaml'), 'outside.yaml': 'type: string\n' })
    const { diagnostics } = await readFrom(cwd, ['in/api.yaml'], true)
    expect(diagnostics).toEqual([])
  })

  test('in examples are data, and load nothing', async () => {
    const { diagnostics } = await read({ 'api.yaml': document(`x-data: {$ref: none.yaml}\n`) })
    expect(diagnostics).toEqual([])
  })

  test('to one file from two entries load the file once', async () => {
    const cwd = temporaryFolder()
    const other = { 'one.yaml': referring('shared.yaml'), 'two.yaml': referring('./shared.yaml') }
    put(cwd, { ...other, 'shared.yaml': 'type: string\n' })
    const entries = ['one', 'two'].map(name => ({ name, file: `${name}.yaml` }))
    const { loaded } = await load(entries, { allowRefs: false, cwd })
    expect([...loaded.files.keys()].toSorted()).toEqual(['one.yaml', 'shared.yaml', 'two.yaml'])
  })
})

/** Returns ten levels of ten aliases each, whose copies would have ten thousand million values. */
function aliasBomb(): string {
  const levels = Array.from({ length: 10 }, (_, i) => `x-${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`)
  return document(['x-0: &a0 [x, x, x]', ...levels, ''].join('\n'))
}
