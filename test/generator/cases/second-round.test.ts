import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Check, Faults } from '../../../runtime/validation.ts'
import {
  type Generation,
  generation,
  newFolder,
  removeFolder,
  repository,
  runtimeFrom,
  writeFiles,
} from '../generation.ts'
import { expectationOf } from './expectations.ts'

const folder = join(repository, 'test/cases/openapi-2')

/** The exact messages about the documents, keyed by case. A document without an error generates. */
const said: Readonly<Record<string, readonly string[]>> = {
  'duplicate-keys': ['duplicate-keys.json:1:145 error syntax: cannot be parsed: "Map keys must be unique"'],
  'formats-of-json-schema': [
    ['11:27', 'uri-reference'],
    ['12:27', 'iri'],
    ['13:27', 'decimal'],
    ['15:28', 'int8'],
    ['16:27', 'json-pointer'],
  ].map(
    ([place, format]) =>
      `formats-of-json-schema.yaml:${place} note format-unchecked: the format "${format}" is documentation here: no check of a value looks at it`,
  ),
  'not-keyword': [],
  'operation-behind-a-ref': [
    'operation-behind-a-ref/op.yaml:6:3 warning status-case: "4xx" is read as "4XX", as OpenAPI writes it',
    'operation-behind-a-ref/openapi.yaml:5:11 warning operation-reference: OpenAPI has no "$ref" in the place of an operation; its target is generated',
  ],
  'patterns-of-es5': [
    'patterns-of-es5.yaml:9:32 warning pattern-not-unicode: the pattern "^\\d{3}\\-\\d{4}$" is compiled without Unicode mode, which refuses it; remove needless backslashes',
    'patterns-of-es5.yaml:10:32 warning pattern-not-unicode: the pattern "^\\@[a-z]+$" is compiled without Unicode mode, which refuses it; remove needless backslashes',
    'patterns-of-es5.yaml:11:30 warning pattern-not-unicode: the pattern "^[\\w-\\.]+@[a-z]+$" is compiled without Unicode mode, which refuses it; remove needless backslashes',
  ],
  'ref-of-the-wrong-kind': [
    'ref-of-the-wrong-kind.yaml:7:82 error reference-kind: expected a schema, but "#/components/parameters/Q" is a parameter',
  ],
  'same-path-other-names': [
    'same-path-other-names.yaml:9:3 warning path-names: the path "/x/{other}" is that of "/x/{id}" with other names; their methods differ, so both are generated',
  ],
  'swagger-2': [
    'swagger-2.yaml:1:1 error document-version: Swagger 2.0 is not read; convert the document to OpenAPI 3.0 (for instance with swagger2openapi)',
  ],
}

const files: Readonly<Record<string, string>> = {
  'duplicate-keys': 'duplicate-keys.json',
  'operation-behind-a-ref': 'operation-behind-a-ref/openapi.yaml',
}

const runs = new Map<string, Generation>()
let root = ''

beforeAll(async () => {
  root = newFolder()
  for (const name of Object.keys(said)) {
    const run = await generation([files[name] ?? `${name}.yaml`], folder, runtimeFrom(join(root, name)), [])
    writeFiles(join(root, name), run.files)
    runs.set(name, run)
  }
})
afterAll(() => removeFolder(root))

describe('a document of the second round', () => {
  test.each(Object.keys(said))('%s has exactly these messages, and output unless one is an error', name => {
    const { printed = [], files: written = new Map() } = runs.get(name) ?? {}
    expect(printed).toEqual(said[name])
    expect(written.size > 0).toBe(!printed.some(line => line.includes(' error ')))
  })

  const judgements = Object.keys(said).flatMap(name =>
    expectationOf(name, folder).judgements.map(judgement => ({ name, title: judgement.line.slice(2, 90), judgement })),
  )

  test('has machine-readable lines', () => expect(judgements).toHaveLength(9))

  test.each(judgements)('$name: $title', async ({ name, judgement: { schema, values, verdict } }) => {
    const module = [...(runs.get(name)?.files.keys() ?? [])].find(path => path.endsWith('validators.ts')) ?? ''
    const checks: Readonly<Record<string, Check>> = await import(pathToFileURL(join(root, name, module)).href)
    for (const value of values) {
      const faults = new Faults()
      expect({ value, fits: checks[`check${schema}`]?.(value, faults) }).toEqual({ value, fits: verdict === 'accept' })
    }
  })

  test('same-path-other-names keeps the names of each path', () => {
    const routes = [...(runs.get('same-path-other-names')?.files ?? [])].find(([path]) => path.endsWith('routes.ts'))
    expect(routes?.[1]).toContain("path: ['/x/', 'id']")
    expect(routes?.[1]).toContain("path: ['/x/', 'other']")
  })
})
