import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import {
  type Generation,
  generation,
  newFolder,
  removeFolder,
  repository,
  runtimeFrom,
  writeFiles,
} from '../generation.ts'
import { typeCheck } from '../type-check.ts'
import { connectedGeneration, type Wire } from './wire.ts'

/** Small documents of kinds that publishers write, with references to files in `parts`. */
const folder = join(repository, 'test/cases/outside')
const files = readdirSync(folder).filter(file => /\.(?:yaml|json)$/.test(file))

const nameOf = (file: string): string => file.replace(/\..*/, '')

let root = ''
const runs = new Map<string, Generation>()
const wires = new Map<string, Wire>()

beforeAll(async () => {
  root = newFolder()
  for (const file of files) {
    const out = join(root, nameOf(file))
    const run = await generation([file], folder, runtimeFrom(out))
    writeFiles(out, run.files)
    runs.set(nameOf(file), run)
    wires.set(nameOf(file), await connectedGeneration(run, out))
  }
})
afterAll(() => removeFolder(root))

test('the output of the documents is sound TypeScript', () => {
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const compilerOptions = { typeRoots: [join(repository, 'node_modules/@types')], rootDir: '/' }
  const project = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'], exclude: [] }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(project))
  expect(typeCheck(root)).toBe('')
})

test.each([
  [
    'anchors-and-scalars',
    [
      '2:18 warning text-unquoted: "version" is read by YAML as a number or a flag; put it in quotes',
      '24:55 warning enum-type: the value "10" can never match, as it is not of type string; quote it or remove it',
      '24:60 warning enum-type: the value "31" can never match, as it is not of type string; quote it or remove it',
      '24:66 warning enum-type: the value "1000" can never match, as it is not of type string; quote it or remove it',
      '24:71 warning enum-null: null in an enum without "nullable: true" is taken as nullable; add it',
    ],
  ],
  ['mapping-across-files', []],
  ['references-of-every-kind', []],
  ['optional-by-any-of', []],
  ['encoded-form', []],
])('%s has exactly these warnings', (name, warnings) => {
  const printed = runs.get(name)?.printed.filter(line => !line.includes(' note '))
  expect(printed).toEqual(warnings.map(warning => `${name}.yaml:${warning}`))
})

const accept = (name: string, operation: string, request: object, arrives: object = request) => ({
  name,
  operation,
  request,
  arrives,
})

/** An object with an own member `__proto__`. */
const proto = (value: object): object => JSON.parse(JSON.stringify(value).replace('"proto"', '"__proto__"'))

const item = { name: 'n', price: 1.5 }

describe('a request arrives', () => {
  test.each([
    accept('mapping-across-files', 'sendPet', { body: { kind: 'cat', lives: 9 } }),
    accept('mapping-across-files', 'sendPet', { body: { kind: 'puppy', bark: true, friend: { kind: 'dog', friend: { kind: 'cat' } } } }),
    accept('unions-of-scalars', 'ask', { v: 5 }),
    accept('unions-of-scalars', 'ask', { v: true }),
    accept('unions-of-scalars', 'ask', { v: undefined, w: 'a' }, { w: 'a' }),
    accept('unions-of-scalars', 'send', { body: { v: true, w: [1.5], e: 1 } }),
    accept('both-directions', 'send', { body: { id: 'x', name: 'n', password: 'p', inner: { key: 'k', at: '2020-01-01T00:00:00Z' }, ro: {} } }, {
      body: { name: 'n', password: 'p', inner: { key: 'k' } },
    }),
    accept('both-directions', 'send', { body: { name: 'n', password: 'p', inner: { key: 'k', v: 1 }, list: [{ key: 'k' }], map: { a: { key: 'k' } }, alt: { key: 'k' } } }),
    accept('recursive-values', 'send', { body: { kids: [{ kids: [], v: 1 }], by: { a: [{ v: 2 }] } } }),
    accept('recursive-values', 'sendList', { body: [[], [[], []]] }),
    accept('recursive-values', 'sendMap', { body: { a: { b: {} }, c: {} } }),
    accept('recursive-values', 'sendJson', { body: { a: [1, 'x', null, { b: true }] } }),
    accept('recursive-values', 'sendJson', { body: null }),
    accept('defaults-of-references', 'send', { body: {} }, { body: { s: 'a', o: { p: 1, q: 'z' }, l: [1, 2], n: 'b' } }),
    accept('defaults-of-references', 'send', { body: { o: {} } }, { body: { s: 'a', o: { q: 'z' }, l: [1, 2], n: 'b' } }),
    accept('defaults-of-references', 'ask', {}, { s: 'a', l: ['x'] }),
    accept('references-of-every-kind', 'putItem', { id: 5, 'page size': 3, body: { id: 1, more: { x: 'a' }, sp: 'b' } }),
    accept('references-of-every-kind', 'tilde', {}),
    accept('anchors-and-scalars', 'send', { body: { when: '2024-01-31', code: 'no' } }, {
      body: { when: '2024-01-31', at: '2024-01-31T10:00:00Z', code: 'no', big: 12345678901234567000, oct: 15, t: '12:30:45' },
    }),
    accept('anchors-and-scalars', 'sendB', { body: { when: '2024-01-31', code: null, at: '2024-01-31T10:00:00Z', big: 1, oct: 1, t: '' } }),
    accept('prototype-names', 'constructorOperation', {
      constructor: 'c',
      query___proto__: 5,
      query_toString: [1, 2],
      header_hasOwnProperty: 'h',
      cookie_valueOf: 'v',
      deep: proto({ proto: 1, constructor: 'x' }),
      body: proto({ toString: 't', proto: 1, constructor: { prototype: 'p', valueOf: 4 }, hasOwnProperty: false }),
    }),
    accept('prototype-names', 'constructorOperation', { constructor: 'c', body: proto({ toString: 't', proto: 1, constructor: {} }) }, {
      constructor: 'c',
      cookie_valueOf: 'd',
      body: proto({ toString: 't', proto: 1, constructor: { valueOf: 4 }, hasOwnProperty: true }),
    }),
    accept('optional-by-any-of', 'update_items__item_id__put', {
      item_id: 1, q: 'a', tags: ['a', 'b'], 'x-token': 5, day: '2020-01-01',
      body: { ...item, tax: null, tags: ['a'], meta: { a: 1, b: 'x' }, pair: [1, 'a'] },
    }),
    accept('optional-by-any-of', 'update_items__item_id__put', { item_id: 1, 'x-token': 5, body: item }, {
      item_id: 1, 'x-token': 5, day: null, body: { ...item, tags: [], meta: {} },
    }),
    accept('optional-by-any-of', 'upload_upload_post', { body: { files: [], file: null } }, { body: { note: '' } }),
    accept('children-by-all-of', 'send', { body: { type: 'Puppy', age: 1, name: 'ab', owner: { type: 'Cat', lives: 2 } } }),
    accept('children-by-all-of', 'sendAny', { body: [{ type: 'Cat', lives: 1 }, { type: 'Dog', name: 'ab' }] }),
    accept('circular-files', 'send', { body: { y: { xs: [{ n: 'a' }], self: { self: {} }, root: { x: { n: 'b' } } } } }),
    accept('references-into-schemas', 'send', { body: { n: 1, up: { list: [{ n: 2 }] }, self: [{ n: 3 }] } }),
    accept('references-into-schemas', 'sendB', { body: { m: 'x' } }),
    accept('references-into-schemas', 'sendC', { body: { n: 1 } }),
    accept('references-into-schemas', 'sendE', { body: 'ab' }),
    accept('encoded-form', 'send', {
      body: {
        name: 'a b+c&d=é', nothing: null, tags: ['a', 'b c'], spaced: [1, 2], joined: [true, false],
        range: { from: 1, in: { a: 'x' } }, flat: { u: 1, w: 'x' }, meta: { a: [1] }, url: 'https://x/y?z=1&a=%20+',
        list: [{ z: 1 }], on: false, extra: 5,
      },
    }),
    accept('encoded-form', 'send', { body: { name: '', nothing: 'x' } }, { body: { name: '', nothing: 'x', on: true } }),
  ])('at $operation of $name', async ({ name, operation, request, arrives }) => {
    expect(await wires.get(name)?.call(operation, request)).toEqual(arrives)
  }) // prettier-ignore
})

describe('a faulty request is refused', () => {
  test.each<[name: string, operation: string, request: object]>([
    ['mapping-across-files', 'sendPet', { body: { kind: 'cow' } }],
    ['unions-of-scalars', 'send', { body: { v: 1.5 } }],
    ['unions-of-scalars', 'ask', { v: 'x' }],
    ['prototype-names', 'constructorOperation', { constructor: 'c', body: {} }],
    ['children-by-all-of', 'send', { body: { type: 'Cat' } }],
    ['children-by-all-of', 'send', { body: { type: 'Dog', name: 'a' } }],
    ['references-into-schemas', 'sendC', { body: {} }],
    ['references-into-schemas', 'sendE', { body: 'abc' }],
    ['anchors-and-scalars', 'send', { body: { when: '2024-02-30' } }],
    ['encoded-form', 'send', { body: { name: '', nothing: 'x', extra: 'y' } }],
  ])('by %s', async (name, operation, request) => {
    const [result] = await Promise.allSettled([wires.get(name)?.call(operation, request)])
    const { reason }: { readonly reason?: unknown } = { reason: undefined, ...result }
    expect(reason instanceof ApiError && reason.reason).toBe('FIELD_INVALID')
  })
})
