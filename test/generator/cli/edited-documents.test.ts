import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { put, temporaryFolder } from '../write/temporary-folder.ts'
import { generate, type Outcome, repository } from './command-line.ts'
import { createPet, documents, filesOf } from './document-parts-fixture.ts'

const files = Object.keys(documents)
const words = [
  ...files,
  '--out',
  'api',
  '--client',
  'All',
  '--permission-bits',
  'bits.txt',
  '--answer-checks',
  'records',
] as const

beforeEach(() => void vi.stubEnv('CI', ''))
afterEach(() => vi.unstubAllEnvs())

/** Makes a folder with the documents, their output, and the cache of their run. */
async function generated(): Promise<string> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  put(folder, documents)
  await generate(folder, ...words)
  return folder
}

const told = ({ out, err, status }: Outcome) => ({
  status,
  out: out.replaceAll(/\d+ ms/g, 'some ms'),
  err,
})

/**
 * Checks and generates in a folder and in a copy without a cache, which must print and write the same. Returns the
 * result of the check in the folder.
 */
async function expectAsCold(folder: string): Promise<Outcome> {
  const cold = temporaryFolder()
  put(cold, filesOf(folder))
  const checked = await generate(folder, ...words, '--check')
  expect(told(checked)).toEqual(told(await generate(cold, ...words, '--check')))
  expect(told(await generate(folder, ...words))).toEqual(told(await generate(cold, ...words)))
  expect(filesOf(folder)).toEqual(filesOf(cold))
  return checked
}

/**
 * An edit of a document's text. `name` is the name of a new schema, `reference` a reference to use, and `k` a number
 * that makes each edit unique.
 */
type Edit = (text: string, given: { readonly name: string; readonly reference: string; readonly k: number }) => string

/** Returns an edit that inserts a schema before all others. */
const schema = (make: (reference: string, k: number) => string): Edit => {
  return (text, { k, name, reference }) =>
    text.replace('  schemas:\n', `  schemas:\n    ${name}: ${make(reference, k)}\n`)
}

const edits: readonly Edit[] = [
  schema(reference => `{ type: object, properties: { a: { $ref: '${reference}' } } }`),
  schema((_, k) => `{ type: object, required: [a], properties: { a: { readOnly: true }, b: { default: ${k} } } }`),
  schema(
    reference => `{ allOf: [{ $ref: '${reference}' }, { type: object, properties: { z: { writeOnly: true } } }] }`,
  ),
  schema((_, k) => `{ type: string, enum: [A, B${k}] }`),
  schema(reference => `{ oneOf: [{ $ref: '${reference}' }, { type: string }] }`),
  schema(reference => `{ type: array, items: { $ref: '${reference}' } }`),
  (text, { k, reference }) =>
    text.replace('components:\n', `${createPet(reference).replaceAll('createPet', `create${k}`)}components:\n`),
  (text, { reference }) => text.replace(/\$ref: '[^']*'/, `$ref: '${reference}'`),
  (text, { k }) => text.replace(/maxLength: \d+/, `maxLength: ${k}`),
  (text, { k }) => text.replace(/title: \w+/, `title: T${k}`),
  (text, { k }) => text.replace(/tags: \[\w+\]/, `tags: [t${k}]`),
  (text, { k }) => text.replace(/operationId: \w+/, `operationId: op${k}`),
  (text, { k }) =>
    text.replace('x-errors:\n', `x-errors:\n  R${k}: { code: ${k}001009, rpc: INTERNAL, description: x }\n`),
  (text, { k }) => text.replace('type: string', k % 2 === 0 ? 'type: string, nullable: true' : 'type: string, xml: {}'),
  text => text.replace(/ {4}\w+: \{ .*\}\n/, ''),
  (text, { k }) => `${text}# ${k}\n`,
]

const step = fc.record({
  edit: fc.constantFrom(...edits),
  file: fc.constantFrom(...files),
  other: fc.constantFrom('', ...files),
  name: fc.constantFrom('Problem', 'Size', 'Pet', 'Shop', 'Extra', 'Labels'),
  target: fc.constantFrom('Problem', 'Size', 'Pet', 'Shop', 'Extra'),
  k: fc.integer({ min: 4, max: 20 }),
})

test('after any edits of documents, valid or not, runs have the results of runs without a cache', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async steps => {
      const folder = await generated()
      for (const { edit, file, k, name, other, target } of steps) {
        const path = join(folder, file)
        const before = readFileSync(path, 'utf8')
        const reference = `${other === file ? '' : other}#/components/schemas/${target}`
        writeFileSync(path, edit(before, { name, reference, k }))
        const { err } = await expectAsCold(folder)
        if (err.includes(' error ')) writeFileSync(path, before)
      }
    }),
    { numRuns: 8 },
  )
})

test('after a kill of a run at any time, the next run has the result of a run without a cache', async () => {
  const folder = await generated()
  for (const milliseconds of [150, 300, 450, 600, 750, 900]) {
    for (const file of files) put(folder, { [file]: documents[file]?.replace(/$/, `# ${milliseconds}\n`) ?? '' })
    put(folder, { 'common.yaml': documents['common.yaml']?.replace('SMALL', `SMALL${milliseconds}`) ?? '' })
    const child = spawn(process.execPath, [join(repository, 'generator/main.ts'), 'generate', ...words], {
      cwd: folder,
      stdio: 'ignore',
    })
    // The wait only determines the moment of the kill; the test does not depend on its length.
    await Promise.race([after(milliseconds), once(child, 'exit')])
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    await expectAsCold(folder)
  }
})
