import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, type Outcome, repository } from './command-line.ts'
import { createPet, documents, filesOf } from './document-parts-fixture.ts'

const areas = Object.keys(documents)
const options = ['--out', 'api', '--client', 'All', '--permission-bits', 'bits.txt'] as const
const words = [...areas, ...options]
const own = '#/components/schemas/Pet'

let folder: string

beforeEach(async () => {
  vi.stubEnv('CI', '')
  folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  put(folder, documents)
  await generate(folder, ...words)
})

afterEach(() => vi.unstubAllEnvs())

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

function edit(path: string, from: string | RegExp, to: string): void {
  const before = read(path)
  const after = before.replace(from, to)
  if (after === before) throw new Error(`${path} does not hold ${String(from)}`)
  writeFileSync(join(folder, path), after)
}

/** Inserts an operation after the operations of pets. */
const add = (operation: string): void => edit('pets.yaml', 'components:\n', `${operation}components:\n`)

/** Makes a copy of the folder without the cache of earlier runs. */
function forgetful(): string {
  const copy = temporaryFolder()
  put(copy, filesOf(folder))
  return copy
}

const plain = ({ out, err, status }: Outcome) => ({
  status,
  out: out.replaceAll(/\d+ ms/g, 'some ms'),
  err: err
    .replace(/^memory .*\n/m, '')
    .replace(/^modules .*\n/m, '')
    .replace(/^remembered: .*\n/m, ''),
})

const remembered = ({ err }: Outcome): string | undefined => /^remembered: (.*)$/m.exec(err)?.[1]

/**
 * Checks and generates in the folder and in a copy without a cache; both must have the same results. Returns the names
 * of the cached documents that the check reports; undefined if the check reports no names.
 */
async function compared(given: readonly string[] = words): Promise<string | undefined> {
  const cold = forgetful()
  const checked = await generate(folder, ...given, '--check', '--timings')
  expect(plain(checked)).toEqual(plain(await generate(cold, ...given, '--check')))
  expect(plain(await generate(folder, ...given))).toEqual(plain(await generate(cold, ...given)))
  expect(filesOf(folder)).toEqual(filesOf(cold))
  return remembered(checked)
}

describe('after a change, a run has the result of a run without a cache, and updates the cache', () => {
  test.each<[change: string, all: string, make: () => void]>([
    ['of a constraint', 'shops, toys', () => edit('pets.yaml', 'maxLength: 40', 'maxLength: 41')],
    ['of two documents', 'toys', () => (edit('pets.yaml', '40', '41'), edit('shops.yaml', '40', '41'))],
    ['that sends a schema so far only returned', 'no document', () => add(createPet(own))],
    ['that adds an operation', 'shops, toys', () => add(createPet('#/components/schemas/Pet/properties/name'))],
    [
      'that removes the operations',
      'pets, shops',
      () => edit('toys.yaml', /:\n {2}\/toys:\n[^]*?(?=components:)/, ': {}\n'),
    ],
    ['of a permission key', 'pets, shops', () => edit('toys.yaml', 'toys.list', 'toys.look')],
    ['of a title, which the joined client shows', 'shops, toys', () => edit('pets.yaml', 'title: Pets', 'title: Cats')],
    [
      'that adds a reason',
      'shops, toys',
      () => edit('pets.yaml', 'paths:', '  X: { code: 4001002, rpc: INTERNAL, description: x }\npaths:'),
    ],
    [
      'that adds an enum of its own',
      'shops, toys',
      () => edit('pets.yaml', '    Pet:', '    Size: { type: string, enum: [S] }\n    Pet:'),
    ],
    [
      'that adds a resource called like a tag elsewhere',
      'shops, toys',
      () => edit('pets.yaml', 'x-resource: { type: pets.pets', 'x-resource: { type: pets.toys'),
    ],
    ['of a warning', 'shops, toys', () => edit('pets.yaml', 'maxLength: 40', 'maxLength: 40, xml: {}')],
    ['of a comment', 'shops, toys', () => edit('pets.yaml', 'paths:', '# all of them\npaths:')],
    ['of line ends', 'shops, toys', () => edit('pets.yaml', /$/, '\r\n')],
    [
      'of the common parts',
      'no document',
      () => edit('common.yaml', 'code: { type: integer }', 'code: { type: string }'),
    ],
    [
      'that sends a schema so far only returned',
      'no document',
      () => add(createPet('common.yaml#/components/schemas/Problem')),
    ],
    [
      'that updates a schema so far only returned',
      'no document',
      () =>
        add(
          createPet(
            'common.yaml#/components/schemas/Problem',
            '      parameters: [{ name: update_mask, in: query, schema: { type: string } }]\n',
          ),
        ),
    ],
    [
      'that refers into a shared part',
      'no document',
      () => add(createPet('common.yaml#/components/schemas/Problem/properties/origin')),
    ],
    ['that refers to another area', 'no document', () => add(createPet('shops.yaml#/components/schemas/Shop'))],
    [
      'that refers to a file',
      'shops, toys',
      () => (put(folder, { 'parts/pet.yaml': 'type: object\n' }), add(createPet('parts/pet.yaml'))),
    ],
    [
      'that extends a shared part',
      'no document',
      () => (
        edit(
          'common.yaml',
          '      required: [code]',
          '      discriminator: { propertyName: kind }\n      required: [code, kind]',
        ),
        edit('common.yaml', 'code: { type', 'kind: { type: string }\n        code: { type'),
        edit(
          'pets.yaml',
          '    Pet:',
          "    Cat: { allOf: [{ $ref: 'common.yaml#/components/schemas/Problem' }] }\n    Pet:",
        )
      ),
    ],
    [
      'that no longer refers to anything',
      'shops, toys',
      () => put(folder, { 'pets.yaml': "openapi: 3.0.3\ninfo: { title: P, version: '1' }\npaths: {}\n" }),
    ],
    ['of a generated file', 'shops, toys', () => edit('api/pets/types.ts', '\n', '\n// edited\n')],
    ['that deletes a generated file', 'pets, toys', () => rmSync(join(folder, 'api/shops/client.ts'))],
    ['that deletes a generated folder', 'pets, shops', () => rmSync(join(folder, 'api/toys'), { recursive: true })],
    [
      'of a generated file that is shared',
      'pets, shops, toys',
      () => edit('api/common/types.ts', '\n', '\n// edited\n'),
    ],
    ['of the joined client', 'pets, shops, toys', () => edit('api/client.ts', '\n', '\n// edited\n')],
    [
      'of the runtime beside the output',
      'pets, shops, toys',
      () => rmSync(join(folder, 'api/runtime'), { recursive: true }),
    ],
    ['of the manifest', 'pets, shops, toys', () => edit('api/.ninefold.json', 'pets/types.ts', 'pets/typos.ts')],
    ['of the permission bits', 'pets, shops, toys', () => writeFileSync(join(folder, 'bits.txt'), 'old.key\n')],
    ['with an error', 'no document', () => edit('pets.yaml', 'maxLength: 40', 'pattern: "["')],
    ['that cannot be parsed', 'no document', () => edit('pets.yaml', 'paths:', 'paths: [')],
    ['that removes a document', 'no document', () => rmSync(join(folder, 'pets.yaml'))],
  ])('%s: %s', async (_, all, make) => {
    make()
    expect(await compared()).toBe(all)
    // The next run uses the cache of the changed run.
    edit('shops.yaml', /$/, '# the end\n')
    await compared()
  })

  test.each<[string, readonly string[]]>([
    ['option', [...words, '--import-ending', '.ts']],
    ['order of documents', [...areas.toReversed(), ...options]],
    ['list of documents', [...areas.slice(0, -1), ...options]],
    ['name of a document', [...words, '--name', 'toys=games']],
  ])('no document is cached after a change of another %s', async (_, given) => {
    expect(await compared(given)).toBe('no document')
  })
})

describe('documents that depend on more than their references', () => {
  test('are generated again if the reasons that they raise change', async () => {
    edit('shops.yaml', 'x-raises: [NOT_FOUND]', 'x-raises: [NOT_FOUND, pets.PET_GONE]')
    expect(await compared()).toBe('pets, toys')
    edit('pets.yaml', 'maxLength: 40', 'maxLength: 41')
    expect(await compared()).toBe('shops, toys')
    edit('pets.yaml', 'PET_GONE', 'PET_LOST')
    expect(await compared()).toBe('no document')
  })

  test('may raise the reasons of cached documents, and no others', async () => {
    edit('pets.yaml', 'x-raises: [NOT_FOUND]', 'x-raises: [NOT_FOUND, shops.SHOP_GONE]')
    expect(await compared()).toBe('shops, toys')
    edit('pets.yaml', 'shops.SHOP_GONE', 'shops.SHOP_LOST')
    expect(await compared()).toBe('no document')
  })

  test('are all generated again if their shared document has warnings', async () => {
    edit('common.yaml', 'host: { type: string }', 'host: { type: string, xml: {} }')
    await compared()
    edit('pets.yaml', 'maxLength: 40', 'maxLength: 41')
    expect(await compared()).toBe('no document')
  })

  test('are all generated again if two of them come from the same file', async () => {
    put(folder, { 'parts/pet.yaml': 'type: object\n' })
    for (const area of ['pets', 'shops'])
      edit(`${area}.yaml`, "'common.yaml#/components/schemas/Size'", "'parts/pet.yaml'")
    await compared()
    edit('toys.yaml', 'maxLength: 40', 'maxLength: 41')
    expect(await compared()).toBe('no document')
  })

  test('keep the cached warnings', async () => {
    edit('pets.yaml', 'maxLength: 40', 'maxLength: 40, xml: {}')
    await compared()
    edit('toys.yaml', 'maxLength: 40', 'maxLength: 41')
    expect(await compared()).toBe('pets, shops')
    expect((await generate(folder, ...words, '--check')).err).toMatch(/^pets\.yaml:\d+:\d+ warning/)
  })
})

test('after any changes in any order, runs have the results of runs without a cache', async () => {
  const problem =
    "    post:\n      operationId: sendOne\n      x-access: { kind: public }\n      requestBody: { content: { application/json: { schema: { $ref: 'common.yaml#/components/schemas/Problem' } } } }\n      responses: { '204': { description: None. } }\n"
  const toggled = (area: string): void =>
    read(`${area}.yaml`).includes(problem)
      ? edit(`${area}.yaml`, problem, '')
      : edit(`${area}.yaml`, 'components:\n', `${problem}components:\n`)
  const steps = fc.array(
    fc.oneof(
      fc
        .record({ area: fc.constantFrom('pets', 'shops', 'toys'), length: fc.integer({ min: 1, max: 9 }) })
        .map(({ area, length }) => () => {
          if (!read(`${area}.yaml`).includes(`maxLength: ${length} `))
            edit(`${area}.yaml`, /maxLength: \d+ /, `maxLength: ${length} `)
        }),
      fc.constantFrom('pets', 'shops', 'toys').map(area => () => toggled(area)),
      fc
        .constantFrom('pets', 'shops', 'common')
        .map(area => () => rmSync(join(folder, 'api', area), { recursive: true, force: true })),
    ),
    { minLength: 1, maxLength: 3 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async made => {
      for (const step of made) step()
      await compared()
    }),
    { numRuns: 15 },
  )
})

test('two concurrent runs have the result of one', async () => {
  edit('pets.yaml', 'maxLength: 40', 'maxLength: 41')
  const cold = forgetful()
  await generate(cold, ...words)
  const start = () =>
    spawn(process.execPath, [join(repository, 'generator/main.ts'), 'generate', ...words], {
      cwd: folder,
      stdio: 'ignore',
    })
  const ended = await Promise.all([start(), start()].map(child => once(child, 'exit')))
  expect(ended.map(([status]) => status)).toEqual([0, 0])
  expect(filesOf(folder)).toEqual(filesOf(cold))
  expect(existsSync(join(folder, 'node_modules/.cache/ninefold'))).toBe(true)
  expect(await compared()).toBe('common, pets, shops, toys')
})
