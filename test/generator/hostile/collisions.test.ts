import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
import { collidingDocuments, collidingTexts } from './colliding.ts'

const cases = Object.keys(collidingDocuments).map(title => ({ title, folder: title.replaceAll(/\W+/g, '-') }))

let root: string
const runs = new Map<string, Generation>()
beforeAll(async () => {
  root = newFolder()
  for (const { folder, title } of cases) {
    const out = join(root, folder)
    const texts = collidingTexts(title)
    writeFiles(join(out, 'documents'), new Map(Object.entries(texts)))
    const run = await generation(Object.keys(texts), join(out, 'documents'), runtimeFrom(out))
    runs.set(folder, run)
    writeFiles(out, run.files)
  }
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['**/*.ts'],
    exclude: [],
  }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
}, 60_000)
afterAll(() => removeFolder(root))

describe('colliding names', () => {
  test.each(cases)('are not a fault: $title', ({ folder }) => {
    const { diagnostics, files } = runs.get(folder) ?? { diagnostics: [], files: new Map() }
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(files.size).toBeGreaterThan(0)
  })

  test('are distinct in output that type-checks', () => {
    expect(typeCheck(root)).toBe('')
  }, 60_000)

  test('are distinct in modules that can be imported', () => {
    const paths = [...runs].flatMap(([folder, { files }]) => [...files.keys()].map(path => `${folder}/${path}`))
    writeFileSync(join(root, 'paths.json'), JSON.stringify(paths))
    const { stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'import-all.ts'), root], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
  }, 60_000)
})
