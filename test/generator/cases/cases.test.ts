import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { Project, SyntaxKind } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Check, Faults } from '../../../runtime/validation.ts'
import { repository } from '../generation.ts'
import { typeCheck } from '../type-check.ts'
import { caseNames, caseRuns } from './documents.ts'
import { expectationOf, type Judgement } from './expectations.ts'
import { generateAll, type Outputs } from './outputs.ts'

let outputs: Outputs
beforeAll(async () => void (outputs = await generateAll()), 120_000)
afterAll(() => outputs.remove())

const runOf = (name: string) => {
  const run = outputs.runs.get(name)
  if (!run) throw new Error(`${name} was not generated`)
  return run
}

const valid = caseRuns.filter(({ name }) => !/^(duplicate-operation-ids|invalid-)/.test(name))

describe('the output of the documents in test/cases', () => {
  test.each(valid)('$name generates without errors', ({ name }) => {
    expect(runOf(name).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(runOf(name).files.size).toBeGreaterThan(0)
  })

  test('type-checks as a whole under every strict flag', () => {
    expect(typeCheck(outputs.root)).toBe('')
  }, 120_000)

  test.each(valid)('$name is formatted as prettier would', async ({ name }) => {
    const options = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
    for (const text of runOf(name).files.values()) expect(text).toBe(await format(text, options))
  })

  test.each(valid)('$name names its document and no place on this machine', ({ name, files }) => {
    for (const text of runOf(name).files.values()) {
      const [header = '', ...body] = text.split('\n')
      expect(files.some(file => header.includes(` ${file}.`))).toBe(true)
      const own = body.filter(line => !line.includes('/runtime/')).join('\n')
      expect([repository, outputs.root].filter(place => own.includes(place))).toEqual([])
    }
  })

  test('has no any, no assertion but as const, and no instruction to a compiler', () => {
    const project = new Project({ useInMemoryFileSystem: true })
    for (const [name, { files }] of outputs.runs) {
      for (const [path, text] of files) project.createSourceFile(`/${name}/${path}`, text)
    }
    const found = project
      .getSourceFiles()
      .flatMap(file => [
        ...file.getDescendantsOfKind(SyntaxKind.AnyKeyword),
        ...file.getDescendantsOfKind(SyntaxKind.NonNullExpression),
        ...file.getDescendantsOfKind(SyntaxKind.TypeAssertionExpression),
        ...file.getDescendantsOfKind(SyntaxKind.AsExpression).filter(node => node.getTypeNode()?.getText() !== 'const'),
      ])
    expect(found.map(node => `${node.getSourceFile().getFilePath()}: ${node.getText()}`)).toEqual([])
    const texts = [...outputs.runs.values()].flatMap(({ files }) => [...files.values()])
    expect(texts.filter(text => /@ts-|eslint|prettier-ignore|eval\(|new Function/.test(text))).toEqual([])
  })
})

/** Returns the check of a component schema: of its output view for a response, and of its input view otherwise. */
async function checkOf(caseName: string, { direction, schema }: Judgement): Promise<Check> {
  const document = runOf(caseName).model?.documents.find(({ schemas }) => schemas.some(({ name }) => name === schema))
  const named = document?.schemas.find(({ name }) => name === schema)
  if (!document || !named) throw new Error(`${caseName} has no schema ${schema}`)
  const path = join(outputs.root, caseName, document.name, 'validators.ts')
  const module: Record<string, Check> = await import(pathToFileURL(path).href)
  const name = `check${named.views[direction === 'response' ? 'output' : 'input']}`
  const check = module[name]
  if (!check) throw new Error(`${path} exports no ${name}`)
  return check
}

describe('generated checks agree with the expectations', () => {
  const judgements = caseNames.flatMap(name =>
    expectationOf(name).judgements.map(judgement => ({ name, title: judgement.line.slice(2, 110), judgement })),
  )

  test('all the machine-readable lines are found', () => {
    expect(judgements.reduce((count, { judgement }) => count + judgement.values.length, 0)).toBe(175)
  })

  test.each(judgements)('$name: $title', async ({ name, judgement }) => {
    const check = await checkOf(name, judgement)
    for (const value of judgement.values) {
      const faults = new Faults()
      const before = JSON.stringify(value)
      const fits = check(value, faults)
      expect({ value, fits, faults: faults.list.length > 0 }).toEqual({
        value,
        fits: judgement.verdict === 'accept',
        faults: judgement.verdict === 'reject',
      })
      expect(JSON.stringify(value)).toBe(before)
    }
  })
})

test('the documents in test/cases are unchanged', () => {
  expect(caseNames).toHaveLength(66)
  expect(
    caseRuns.every(({ files }) =>
      files.every(file => readFileSync(join(repository, 'test/cases/openapi', file)).length > 0),
    ),
  ).toBe(true)
})
