import { writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { format, resolveConfig } from 'prettier'
import { Project, SyntaxKind } from 'ts-morph'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Generation, generation, newFolder, removeFolder, repository } from '../generation.ts'
import { anyDocuments } from './any-texts.ts'
import { documentOf, type Position, type Texts } from './document.ts'

/** The positions whose texts must be in the output unchanged. */
const kept: readonly Position[] = [
  'queryParameter',
  'headerParameter',
  'cookieParameter',
  'deepObjectMember',
  'parameterDefault',
  'mediaType',
  'responseMediaType',
  'responseHeader',
  'outputOnlyProperty',
  'propertyDefault',
  'defaultMember',
  'enumValue',
  'namedEnumValue',
  'unspecified',
  'discriminatorProperty',
  'discriminatorValue',
  'metadataName',
  'filterResource',
]

let folder: string
beforeAll(() => void (folder = newFolder()))
afterAll(() => removeFolder(folder))

async function generated(texts: Texts): Promise<Generation> {
  writeFileSync(join(folder, 'api.json'), JSON.stringify(documentOf(texts)))
  const run = await generation(['api.json'], folder)
  expect(run.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  return run
}

/** Returns the values of all string literals and the names of all identifiers in the output. */
function textsIn(files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const project = new Project({ useInMemoryFileSystem: true })
  const found = new Set<string>()
  for (const [path, code] of files) {
    project.createSourceFile(path, code).forEachDescendant(node => {
      if (node.isKind(SyntaxKind.StringLiteral)) found.add(node.getLiteralText())
      else if (node.isKind(SyntaxKind.Identifier)) found.add(node.getText())
    })
  }
  return found
}

describe('with any texts in a document', () => {
  test('the output is TypeScript that Node.js accepts, with each text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocuments, async texts => {
        const { files } = await generated(texts)
        for (const code of files.values()) stripTypeScriptTypes(code)
        const found = textsIn(files)
        expect(kept.map(position => texts[position] ?? '').filter(each => !found.has(each))).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  test('the output is formatted as prettier would', async () => {
    const options = { ...(await resolveConfig(join(repository, 'package.json'))), filepath: 'output.ts' }
    await fc.assert(
      fc.asyncProperty(anyDocuments, async texts => {
        const { files } = await generated(texts)
        for (const code of files.values()) expect(code).toBe(await format(code, options))
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})
