import { readdirSync } from 'node:fs'
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
  'allow-reserved': [],
  'declared-errors': [
    'declared-errors.yaml:9:9 note failure-untyped: the content of failures (4xx and 5xx) is documentation here: handlers throw "ApiError", and callers find the body in its "response"',
  ],
  'duplicate-keys': ['duplicate-keys.json:1:145 error syntax: cannot be parsed: "Map keys must be unique"'],
  'event-stream-line-ends': [],
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
  'head-with-content': [
    'head-with-content.yaml:36:5 warning not-honoured: "trace" has no effect on generated code; the rest of this object has',
    'head-with-content.yaml:42:5 note name-changed: "Blob" is taken or no name in TypeScript; it is generated as "BlobSchema"',
  ],
  'integers-beyond-2-53': [
    'integers-beyond-2-53.yaml:31:9 note int64-number: numbers hold the integers of the format "int64", and those beyond 2^53 are refused; choose with --int64 number, bigint or string',
  ],
  'json-content-parameters': [],
  'literal-paths-and-fallbacks': [
    'literal-paths-and-fallbacks.yaml:10:3 note path-fallback: this path fits "/users/{id}" too, which takes its DELETE requests',
  ],
  'lower-case-schema-names': [],
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
  'response-header-not-as-declared': [],
  'same-path-other-names': [
    'same-path-other-names.yaml:9:3 warning path-names: the path "/x/{other}" is that of "/x/{id}" with other names; their methods differ, so both are generated',
  ],
  'servers-below-the-document': [
    'servers-below-the-document.yaml:4:5 note server-path-unused: the base path of "https://{region}.example.test:{port}/api/{version}/" is in no route: mount there, or put it into baseUrl',
    'servers-below-the-document.yaml:12:9 note server-path-unused: clients send to the base path of "/pets-api", which is in no route: mount there',
  ],
  'set-cookie-list': [],
  'swagger-2': [
    'swagger-2.yaml:1:1 error document-version: Swagger 2.0 is not read; convert the document to OpenAPI 3.0 (for instance with swagger2openapi)',
  ],
  'trailing-slash': [],
  'wildcard-media-type': [
    ...[
      [4, 'bytes'],
      [5, 'text'],
      [6, 'bytes'],
    ].map(
      ([line, form]) =>
        `wildcard-media-type.yaml:${line}:76 note media-type-any: "*/*" is read as ${form}, as its schema suggests; name the type if it is another`,
    ),
    'wildcard-media-type.yaml:7:76 warning media-type-binary: "application/json" of format "binary" is passed on as bytes, as no JSON is binary',
    'wildcard-media-type.yaml:8:76 note media-type-any: "*/*" is read as bytes, as its schema suggests; name the type if it is another',
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

  test('has machine-readable lines', () => expect(judgements).toHaveLength(11))

  test.each(judgements)('$name: $title', async ({ name, judgement: { schema, values, verdict } }) => {
    const module = [...(runs.get(name)?.files.keys() ?? [])].find(path => path.endsWith('validators.ts')) ?? ''
    const checks: Readonly<Record<string, Check>> = await import(pathToFileURL(join(root, name, module)).href)
    for (const value of values) {
      const faults = new Faults()
      expect({ value, fits: checks[`check${schema}`]?.(value, faults) }).toEqual({ value, fits: verdict === 'accept' })
    }
  })

  test.each([
    '{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"components":{"schemas":{"A":{},"A":{}}}}',
    '{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"components":{"schemas":{"A":{"properties":{"a":{},"a":{}}}}}}',
  ])('a key that stands twice in JSON is an error at its second place: %s', async text => {
    const given = newFolder()
    writeFiles(given, new Map([['twice.json', text]]))
    const { files: written, printed } = await generation(['twice.json'], given)
    expect(printed).toEqual([
      `twice.json:1:${text.lastIndexOf(text.includes('"a"') ? '"a"' : '"A"') + 1} error syntax: cannot be parsed: "Map keys must be unique"`,
    ])
    expect(written.size).toBe(0)
    removeFolder(given)
  })

  test('has its own folder', () => {
    const known = new Set(
      readdirSync(folder)
        .filter(name => name.endsWith('.expect.md'))
        .map(name => name.slice(0, -10)),
    )
    expect(Object.keys(said)).toEqual([...known].toSorted())
  })

  test('same-path-other-names keeps the names of each path', () => {
    const routes = [...(runs.get('same-path-other-names')?.files ?? [])].find(([path]) => path.endsWith('routes.ts'))
    expect(routes?.[1]).toContain("path: ['/x/', 'id']")
    expect(routes?.[1]).toContain("path: ['/x/', 'other']")
  })
})
