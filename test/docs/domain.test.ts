import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder, removeFolder, repository, writeFiles } from '../generator/generation.ts'
import { typeCheck } from '../generator/type-check.ts'

const page = readFileSync(join(repository, 'docs/domain.md'), 'utf8')

/** The blocks of the page by the file that their first line names. */
const examples = new Map(
  [...page.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n(.*?)^```$/gms)].map(([, file = '', text = '']) => [file, text]),
)

test('every block of TypeScript names its file', () => {
  expect(examples.size).toBeGreaterThan(2)
  expect(examples.size).toBe([...page.matchAll(/^```ts$/gm)].length)
})

test('the examples are sound TypeScript where an area stands', () => {
  const folder = newFolder()
  try {
    writeFiles(join(folder, 'domain/depot'), examples)
    for (const given of ['runtime', 'domain/ports', 'domain/records/json-text.ts']) {
      cpSync(join(repository, given), join(folder, given), { recursive: true })
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { typeRoots: [join(repository, 'node_modules/@types')] }
    const project = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['domain/depot/*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    expect(typeCheck(folder)).toBe('')
  } finally {
    removeFolder(folder)
  }
})
