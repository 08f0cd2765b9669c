import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Generation, generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { builtIns, documented, type Templates } from '../templates.ts'
import { documentOf, type Position, positions } from './document.ts'
import { hostileTexts } from './texts.ts'

/** The positions whose text must have a form; an arbitrary text at these positions may be an error. */
const judged: ReadonlySet<Position> = new Set([
  'operationId',
  'pathPart',
  'pathParameter',
  'propertyName',
  'pattern',
  'keyPattern',
  'filterField',
])

const samples = hostileTexts.map((text, i) => ({ text, name: `text${i}`, shown: JSON.stringify(text).slice(0, 60) }))

let root: string
beforeAll(() => void (root = newFolder()))
afterAll(() => removeFolder(root))

/** Generates a document with the text at every free position, and a document with the text in its title, together. */
function generated(text: string, name: string, templates?: Templates): Promise<Generation> {
  const texts = Object.fromEntries(positions.filter(each => !judged.has(each)).map(each => [each, text]))
  const responses = { 204: { description: text } }
  const paths = { '/things': { get: { operationId: 'listThings', responses } } }
  const titled = { openapi: '3.0.3', info: { title: text, version: '1' }, paths }
  writeFileSync(join(root, `${name}.json`), JSON.stringify(documentOf(texts)))
  writeFileSync(join(root, `${name}-more.json`), JSON.stringify(titled))
  const options = {
    ...runtimeFrom(join(root, name)),
    client: 'Shop',
    permissionBits: [],
    ...(templates && { templates }),
  }
  const names = [`${name}.json=api`, `${name}-more.json=more`]
  return generation([`${name}.json`, `${name}-more.json`], root, options, names)
}

describe('a document full of one hostile text', () => {
  test.each(samples.filter(({ text }) => text.length <= 100))(
    '$shown has the same output with overrides equal to the built-in templates',
    async ({ text, name }) => {
      const { diagnostics, files } = await generated(text, name, builtIns)
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(files.size).toBeGreaterThan(12)
      expect(files).toEqual((await generated(text, name)).files)
    },
  )

  test('has output that does not run the text with the overrides of docs/generator.md', async () => {
    const paths: string[] = []
    for (const { text, name } of samples) {
      const { files } = await generated(text, name, documented)
      expect(files.has('api/errors.ts')).toBe(true)
      writeFiles(join(root, name), files)
      paths.push(...[...files.keys()].map(path => `${name}/${path}`))
    }
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    writeFileSync(join(root, 'paths.json'), JSON.stringify(paths))
    const script = join(import.meta.dirname, 'import-all.ts')
    const { status, stderr, stdout } = spawnSync(process.execPath, [script, root], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout).hit).toBe(false)
  }, 60_000)
})
