import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmitOptions } from '../../generator/options.ts'
import { runtimeFolder } from '../../generator/runtime-copy.ts'
import { generation, newFolder, removeFolder, repository, writeFiles } from './generation.ts'
import { typeCheck } from './type-check.ts'

/**
 * True if the test writes the present output in place of the expected output; every changed line must then be reviewed.
 */
const updates = process.env['UPDATE_GOLDEN'] === '1'

const goldenFolder = join(repository, 'test/golden')

interface Golden {
  readonly documents: readonly string[]
  readonly names: readonly string[]
  /** The options, keyed by the folder of the expected output. */
  readonly variants: Readonly<Record<string, EmitOptions>>
}

const golden = (name: string): Golden => JSON.parse(readFileSync(join(goldenFolder, name, 'options.json'), 'utf8'))

const runtimeFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(join(repository, 'runtime'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => [path.replaceAll('\\', '/'), readFileSync(join(repository, 'runtime', path), 'utf8')]),
)

const cases = readdirSync(goldenFolder, { withFileTypes: true })
  .filter(entry => existsSync(join(goldenFolder, entry.name, 'options.json')))
  .flatMap(({ name }) =>
    Object.entries(golden(name).variants).map(([variant, options]) => ({ name, variant, options })),
  )

const isCopied = (path: string): boolean => path.startsWith(`${runtimeFolder}/`)

/**
 * Returns the texts of the compared files, keyed by path: the generated files, and a list of the files of a copied
 * runtime.
 */
async function outputOf(name: string, options: EmitOptions): Promise<ReadonlyMap<string, string>> {
  const { documents, names } = golden(name)
  const { files, printed } = await generation(documents, join(goldenFolder, name), { ...options, runtimeFiles }, names)
  expect(printed.filter(line => / error /.test(line))).toEqual([])
  const copied = [...files.keys()].filter(isCopied)
  const compared = new Map([...files].filter(([path]) => !isCopied(path)))
  if (copied.length > 0) compared.set('runtime-files.txt', `${copied.join('\n')}\n`)
  return compared
}

function filesUnder(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map()
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = found.map(({ name, parentPath }) => join(parentPath, name))
  return new Map(paths.map(path => [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]))
}

const sorted = (files: ReadonlyMap<string, string>): readonly (readonly [string, string])[] =>
  [...files].sort(([a], [b]) => (a < b ? -1 : 1))

describe('the output is unchanged', () => {
  test.each(cases)('$name: $variant', async ({ name, variant, options }) => {
    const folder = join(goldenFolder, name, variant)
    const output = await outputOf(name, options)
    if (updates) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      writeFiles(folder, output)
    }
    expect(sorted(filesUnder(folder))).toEqual(sorted(output))
  })

  test.each(cases)('$name: $variant is formatted as prettier would', async ({ name, variant, options }) => {
    const { documents, names } = golden(name)
    const { files } = await generation(documents, join(goldenFolder, name), { ...options, runtimeFiles }, names)
    const layout = { ...(await resolveConfig(join(repository, 'package.json'))), parser: 'typescript' }
    for (const [path, text] of files)
      expect(`${variant}/${path}\n${text}`).toBe(`${variant}/${path}\n${await format(text, layout)}`)
  })
})

describe('output with a copied runtime needs no package', () => {
  let folder: string
  beforeAll(() => void (folder = newFolder()))
  afterAll(() => removeFolder(folder))

  test('nor the types of Node.js, in a project of its own', async () => {
    for (const { name, variant, options } of cases.filter(({ options: { runtime } }) => runtime.kind === 'copy')) {
      const { documents, names } = golden(name)
      const { files } = await generation(documents, join(goldenFolder, name), { ...options, runtimeFiles }, names)
      writeFiles(join(folder, name, variant), files)
    }
    const compilerOptions = { types: [], module: 'ESNext', moduleResolution: 'Bundler' }
    const config = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    expect(typeCheck(folder)).toBe('')
  }, 60_000)
})
