import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
import { formed, free } from './any-texts.ts'
import { documentOf, type Position, type Texts } from './document.ts'
import { hostileTexts } from './texts.ts'

/**
 * The maximal length of the text in a name: with longer names, prettier would break lines in the middle of an
 * expression.
 */
const maxPrettyLength = 100

const samples = hostileTexts.map((text, i) => ({ text, folder: `text${i}`, shown: JSON.stringify(text).slice(0, 60) }))

let root: string
const runs = new Map<string, Generation>()

const everywhere = (text: string, where: readonly Position[]): Texts =>
  Object.fromEntries(where.map(position => [position, text]))

async function generated(name: string, texts: Texts): Promise<Generation> {
  const file = `${name}.json`
  writeFileSync(join(root, file), JSON.stringify(documentOf(texts)))
  return generation([file], root, runtimeFrom(join(root, name)), [`${file}=api`])
}

beforeAll(async () => {
  root = newFolder()
  for (const { folder, text } of samples) {
    const run = await generated(folder, everywhere(text, free))
    runs.set(folder, run)
    writeFiles(join(root, folder), run.files)
  }
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const options = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(options))
}, 120_000)
afterAll(() => removeFolder(root))

const filesOf = (folder: string): ReadonlyMap<string, string> => runs.get(folder)?.files ?? new Map()

describe('a document full of one hostile text', () => {
  test.each(samples)('$shown generates', ({ folder }) => {
    expect(runs.get(folder)?.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(filesOf(folder).size).toBe(8)
  })

  test('has output that type-checks', () => {
    expect(typeCheck(root)).toBe('')
  }, 120_000)

  test.each(samples)('$shown has files that a disk can store, without characters that hide text', ({ folder }) => {
    for (const text of filesOf(folder).values()) {
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]/)
    }
  })

  test.each(samples.filter(({ text }) => text.length <= maxPrettyLength))(
    '$shown is formatted as prettier would',
    async ({ folder }) => {
      const options = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
      for (const text of filesOf(folder).values()) expect(text).toBe(await format(text, options))
    },
  )

  test.each(samples)('$shown does not reach the terminal unescaped', ({ folder }) => {
    for (const line of runs.get(folder)?.printed ?? []) {
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
      expect(line.length).toBeLessThan(500)
    }
  })
})

describe('a hostile text in a position that needs a form', () => {
  const cases = formed.flatMap(position => samples.map(({ text, shown }) => ({ position, shown, text })))

  test.each(cases)('$shown as $position generates, or is refused with its place', async ({ position, text }) => {
    const { diagnostics, files, model } = await generated('one', { [position]: text })
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    expect(files.size > 0).toBe(errors.length === 0)
    expect(model === undefined).toBe(errors.length > 0)
    for (const error of errors) expect(error.position).toMatchObject({ file: 'one.json', line: expect.any(Number) })
  })
})

interface Imported {
  readonly hit: boolean
  readonly modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Imports every generated module with Node.js itself and returns their exported data. */
function importAll(): Imported {
  const paths = samples.flatMap(({ folder }) => [...filesOf(folder).keys()].map(path => `${folder}/${path}`))
  writeFileSync(join(root, 'paths.json'), JSON.stringify(paths))
  const script = join(import.meta.dirname, 'import-all.ts')
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, root], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

describe('generated modules that are imported', () => {
  let imported: Imported
  beforeAll(() => void (imported = importAll()), 120_000)

  test('run no text of a document', () => {
    expect(imported.hit).toBe(false)
  })

  test.each(samples)('$shown keeps its exact value', ({ folder, text }) => {
    const routes = Object.values(imported.modules[`${folder}/api/routes.ts`] ?? {})
    const replace = routes.find(route => Object(route).method === 'PUT')
    const parameters: readonly { name: string; in: string }[] = Object(replace).parameters
    expect(parameters.filter(({ in: place }) => place !== 'path').map(({ name }) => name)).toEqual([
      text,
      text,
      text,
      'deep',
    ])
    const upload = routes.find(route => Object(route).method === 'POST')
    expect(Object(upload).body.type).toBe(text)
    expect(Object(upload).success[0].type).toBe(text)
    const bound = routes.flatMap(value => (Array.isArray(value) ? value : []))
    const list = bound.find(({ route }) => route.method === 'GET')
    expect(list.route.access.key).toBe(`${text}.list`)
    const types = Object.values(imported.modules[`${folder}/api/types.ts`] ?? {})
    expect(types).toContainEqual([text])
    const lists = Object.values(imported.modules[`${folder}/api/filters.ts`] ?? {})
    expect(lists).toContainEqual(expect.objectContaining({ resource: text }))
    const permissions = Object.values(imported.modules[`${folder}/api/permissions.ts`] ?? {})
    expect(permissions).toContainEqual(expect.arrayContaining([expect.objectContaining({ key: `${text}.more` })]))
  })
})
