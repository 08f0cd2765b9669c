import { describe, expect, test } from 'vitest'
import { codesOf, document, read } from '../reading.ts'

const ok = "responses: {'204': {description: ok}}"
const schema = (text: string): string => `components:\n  schemas:\n    A:\n      ${text}\n`
const operation = (text: string): string => `paths:\n  /a:\n    post:\n      ${text}\n`
const parameter = (text: string, path = '/a'): string =>
  `paths:\n  ${path}:\n    get:\n      parameters:\n        - {${text}}\n      ${ok}\n`

/** The name of a fault, a document with the fault, and the expected diagnostics as line and code. */
const cases: readonly (readonly [what: string, rest: string, expected: readonly string[]])[] = [
  ['nothing', operation(ok), []],
  ['a path without a slash', `paths:\n  a: {}\n`, ['4 path-without-slash']],
  ['braces that are not paired', `paths:\n  /a/{b: {}\n`, ['4 path-braces']],
  ['a nameless parameter in a path', `paths:\n  /a/{}: {}\n`, ['4 path-braces']],
  ['a name twice in a path', `paths:\n  /{a}/{a}: {}\n`, ['4 path-name-twice']],
  ['parameters without text between', `paths:\n  /{a}{b}: {}\n`, ['4 path-adjacent']],
  ['paths that differ in names and methods', `paths:\n  /a/{b}: {}\n  /a/{c}: {}\n`, ['5 path-names']],
  ['a parameter missing', `paths:\n  /a/{b}:\n    get:\n      ${ok}\n`, ['5 path-parameter-undeclared']],
  [
    'a parameter too many',
    parameter('name: b, in: path, required: true, schema: {type: string}'),
    ['7 path-parameter-unknown'],
  ],
  [
    'an optional path parameter',
    parameter('name: b, in: path, schema: {type: string}', '/{b}'),
    ['7 path-parameter-optional'],
  ],
  ['an unknown place', parameter('name: b, in: body, schema: {type: string}'), ['7 not-one-of']],
  [
    'a style that is not supported',
    parameter('name: b, in: header, style: matrix, schema: {}'),
    ['7 style-unsupported'],
  ],
  ['a parameter without schema', parameter('name: b, in: query'), ['7 schema-or-content']],
  [
    'a header OpenAPI ignores',
    parameter('name: authorization, in: header, schema: {type: string}'),
    ['7 header-ignored'],
  ],
  [
    'keywords that have no effect',
    parameter('name: b, in: header, allowReserved: true, schema: {type: string}'),
    ['7 not-honoured'],
  ],
  [
    'keywords that have no effect, with the value false',
    parameter('name: b, in: query, allowReserved: false, schema: {}'),
    [],
  ],
  ['no responses', operation('summary: a'), ['5 missing-member']],
  ['empty responses', operation('responses: {}'), ['6 responses-empty']],
  [
    'an invalid status',
    operation("responses: {'2x': {description: a}, '200': {description: a}}"),
    ['6 status-invalid'],
  ],
  ['failures only', operation("responses: {'404': {description: a}}"), ['6 success-missing']],
  ['an empty id', operation(`operationId: ''\n      ${ok}`), ['6 operation-id-empty']],
  ['a member that is unknown', operation(`operationID: a\n      ${ok}`), ['6 unknown-member']],
  ['an extension that is unknown', operation(`x-anything: a\n      ${ok}`), []],
  ['an unknown mode', operation(`x-mode: later\n      ${ok}`), ['6 not-one-of']],
  ['callbacks', operation(`callbacks: {}\n      ${ok}`), ['6 not-honoured']],
  [
    'a body of GET',
    `paths:\n  /a:\n    get:\n      requestBody: {content: {text/plain: {}}}\n      ${ok}\n`,
    ['6 body-of-get'],
  ],
  ['trace', `paths:\n  /a:\n    trace: {${ok}}\n`, ['5 not-honoured']],
  ['an unknown type', schema('type: text'), ['7 not-one-of']],
  ['a list of types', schema('type: [string, "null"]'), ['7 wrong-type']],
  ['an invalid schema', schema('- a'), ['6 wrong-type']],
  ['a length that is not a count', schema('{type: string, minLength: -1}'), ['7 wrong-type']],
  ['exclusive bounds of 3.1', schema('{type: number, exclusiveMinimum: 0}'), ['7 wrong-type']],
  ['an array without items', schema('type: array'), ['6 items-missing']],
  ['an invalid pattern', schema("{type: string, pattern: '(a'}"), ['7 pattern-invalid']],
  ['a pattern only outside Unicode mode', schema("{type: string, pattern: '\\-'}"), ['7 pattern-not-unicode']],
  ['a pattern with anchors of Ruby', schema("{type: string, pattern: '\\Aa\\z'}"), ['7 pattern-foreign']],
  ['a pattern with a class of POSIX', schema("{type: string, pattern: '^[^[:space:]_]+$'}"), ['7 pattern-foreign']],
  ['a pattern with a flag', schema("{type: string, pattern: '(?i)a'}"), ['7 pattern-foreign']],
  ['a pattern with a group of Python', schema("{type: string, pattern: '(?P<a>a)'}"), ['7 pattern-foreign']],
  ['a backslash before a letter', schema("{type: string, pattern: '\\\\A'}"), []],
  ['a flag for a group', schema("{type: string, pattern: '(?i:a)'}"), []],
  ['a pattern of great length', schema(`{type: string, pattern: '${'(a*)*'.repeat(500)}'}`), ['7 pattern-too-long']],
  ['bounds crossed', schema('{type: integer, minimum: 2, maximum: 1}'), ['7 bounds-crossed']],
  ['readOnly and writeOnly', schema('{type: string, readOnly: true, writeOnly: true}'), ['7 read-and-write-only']],
  ['not', schema('not: {type: string}'), []],
  ['an empty enum', schema('enum: []'), ['7 enum-empty']],
  ['an enum value twice', schema('enum: [a, a]'), ['7 enum-twice']],
  ['an enum value of another type', schema('{type: string, enum: [a, 1]}'), ['7 enum-type']],
  ['null in an enum that is not nullable', schema('{type: string, enum: [a, null]}'), ['7 enum-null']],
  [
    'nullable beside an enum without null',
    schema('{type: string, nullable: true, enum: [a]}'),
    ['7 enum-without-null'],
  ],
  ['objects in an enum', schema('enum: [{a: 1}]'), []],
  ['a constraint beside an enum', schema('{type: string, enum: [a], maxLength: 1}'), ['7 enum-constraint']],
  ['an invalid unspecified value', schema('{type: string, enum: [a], x-unspecified: b}'), ['7 unspecified-unknown']],
  [
    'a discriminator that a branch lacks',
    `${schema('oneOf: [{$ref: "#/components/schemas/B"}]\n      discriminator: {propertyName: k}')}    B: {type: object}\n`,
    ['7 discriminator-absent'],
  ],
  ['a reference to nothing', schema("$ref: '#/components/schemas/B'"), ['7 reference-not-found']],
  [
    'a reference to an inherited property',
    schema("$ref: '#/components/schemas/constructor'"),
    ['7 reference-not-found'],
  ],
  ['a reference that is not a pointer', schema("$ref: '#A'"), ['7 reference-pointer']],
  ['a reference to itself', schema("$ref: '#/components/schemas/A'"), ['7 reference-cycle']],
  [
    'references in a circle',
    `${schema("$ref: '#/components/schemas/B'")}    B: {$ref: '#/components/schemas/A'}\n`,
    ['7 reference-cycle', '8 reference-cycle'],
  ],
  ['a reference that is not a text', schema('$ref: 1'), ['7 wrong-type']],
  [
    'constraints beside a reference',
    `${schema("{$ref: '#/components/schemas/B', maxLength: 1}")}    B: {type: string}\n`,
    ['7 beside-reference'],
  ],
  [
    'nullable and a description beside a reference',
    `${schema("{$ref: '#/components/schemas/B', nullable: true, description: d}")}    B: {type: string}\n`,
    [],
  ],
  [
    'an unknown reason',
    `${operation(`x-raises: [GONE]\n      ${ok}`)}x-errors: {GONER: {code: 1000001, description: d}}\n`,
    ['6 reason-unknown'],
  ],
  ['a reason of a document that is not there', operation(`x-raises: [network.GONE]\n      ${ok}`), []],
  ['a reason in lower case', `x-errors: {gone: {code: 1000001, description: d}}\n`, ['4 reason-name']],
  ['reasons of another tool', `x-errors: {gone-away: {description: d, resolution: r}}\n`, ['4 extension-foreign']],
  ['a list of reasons of another tool', `x-errors: [{status: 404}]\n`, ['4 extension-foreign']],
  ['no reasons', `x-errors: {}\n`, []],
  ['a reason without its code', `x-errors: {GONE: {rpc: NOT_FOUND, description: d}}\n`, ['4 missing-member']],
  ['an unknown rpc', `x-errors: {GONE: {code: 1000001, rpc: LOST, description: d}}\n`, ['4 not-one-of']],
  ['security', `security: [{a: []}]\n${operation(ok)}`, ['3 security-not-enforced']],
  ['access of no kind', operation(`x-access: {kind: all}\n      ${ok}`), ['6 not-one-of']],
  [
    'access without its key',
    operation(`x-access: {kind: permission, class: READ, scope: path}\n      ${ok}`),
    ['6 missing-member'],
  ],
  [
    'access that names no scope types',
    operation(`x-access: {kind: permission, key: a, class: READ, scope: row}\n      ${ok}`),
    ['6 missing-member'],
  ],
  [
    'access on one of two',
    `${operation(`x-access: {kind: public}\n      ${ok}`)}    put: {${ok}}\n`,
    ['8 access-missing'],
  ],
]

describe('a check reports', () => {
  test.each(cases)('%s', async (_, rest, expected) => {
    const { diagnostics } = await read({ 'api.yaml': document(rest) })
    expect(codesOf(diagnostics)).toEqual(expected)
  })

  test.each([
    ['openapi: 3.2.0', ['1 document-version']],
    ['swagger: "2.0"', ['1 document-version']],
    ['overlay: 1.0.0', ['1 document-version']],
    ['arazzo: 1.0.1', ['1 document-version']],
    ['asyncapi: 3.0.0', ['1 document-version']],
    ['openapi: 3.0', ['1 wrong-type', '1 document-version']],
  ])('%s', async (first, expected) => {
    const { diagnostics } = await read({ 'api.yaml': `${first}\ninfo: {title: t, version: '1'}\npaths: {}\n` })
    expect(codesOf(diagnostics).toSorted()).toEqual(expected.toSorted())
  })

  test('both places of a duplicate id', async () => {
    const { diagnostics } = await read({
      'api.yaml': document(`paths:\n  /a: {get: {operationId: x, ${ok}}}\n  /b: {get: {operationId: x, ${ok}}}\n`),
    })
    expect(codesOf(diagnostics)).toEqual(['4 operation-id-twice', '5 operation-id-twice'])
    expect(diagnostics[0]).toContain('"x" of GET /a is the operationId of GET /b too')
  })

  test('a part once, even if several references lead to it', async () => {
    const reference = "{$ref: '#/components/responses/R'}"
    const { diagnostics } = await read({
      'api.yaml': document(
        `paths:\n  /a: {get: {responses: {'200': ${reference}}}, put: {responses: {'200': ${reference}}}}\ncomponents: {responses: {R: {description: r, links: {}}}}\n`,
      ),
    })
    expect(codesOf(diagnostics)).toEqual(['5 not-honoured'])
  })

  test('parts of other files in those files', async () => {
    const { diagnostics } = await read({
      'api.yaml': document(schema('$ref: b.yaml')),
      'b.yaml': 'type: object\nproperties:\n  c: {$ref: "#/properties/d"}\n',
    })
    expect(diagnostics).toEqual([
      'b.yaml:3:7 error reference-not-found: "#/properties/d" is not found; did you mean "c"?',
    ])
  })

  test('values shortened and without control characters', async () => {
    const { diagnostics } = await read({
      'api.yaml': document(`${JSON.stringify(`\u001b[31m${'x'.repeat(200)}`)}: 1\n`),
    })
    expect(diagnostics).toHaveLength(1)
    expect(diagnostics[0]).not.toContain('\u001b')
    expect(diagnostics[0]?.length).toBeLessThan(250)
  })
})

describe('a default', () => {
  const withDefault = (text: string): string => schema(`properties: {p: {${text}}}`)
  test.each([
    ['type: string, default: a', true],
    ['type: string, default: 1', false],
    ['type: integer, default: 1.5', false],
    ['type: integer, minimum: 1, default: 0', false],
    ['type: number, minimum: 0, exclusiveMinimum: true, default: 0', false],
    ['type: string, maxLength: 2, default: abc', false],
    ['type: string, maxLength: 2, default: "🙂🙂"', true],
    ['type: string, enum: [a, b], default: c', false],
    ['type: string, nullable: true, default: null', true],
    ['type: string, default: null', false],
    ['type: array, items: {type: integer}, default: [1, 2]', true],
    ['type: array, items: {type: integer}, default: [a]', false],
    ['type: object, required: [a], properties: {a: {type: integer}}, default: {a: 1}', true],
    ['type: object, required: [a], properties: {a: {type: integer}}, default: {}', false],
    ['type: object, required: [toString], default: {}', false],
    ['oneOf: [{type: string}, {type: integer}], default: 1', true],
    ['oneOf: [{type: string}, {type: integer}], default: true', false],
    ['allOf: [{type: integer}, {minimum: 3}], default: 2', false],
  ])('%s: fits is %s', async (text, isFit) => {
    const { diagnostics } = await read({ 'api.yaml': document(withDefault(text)) })
    expect(codesOf(diagnostics)).toEqual(isFit ? [] : ['7 default-does-not-fit'])
  })

  test('of a recursive schema is checked in finite time', async () => {
    const circle = (name: string) => `{$ref: '#/components/schemas/${name}'}`
    const levels = Array.from(
      { length: 40 },
      (_, i) => `    B${i}: {allOf: [${circle(`B${i + 1}`)}, ${circle(`B${i + 1}`)}]}\n`,
    )
    const { diagnostics } = await read({
      'api.yaml': document(
        `components:\n  schemas:\n    A: {default: 1, allOf: [${circle('A')}, ${circle('B0')}]}\n${levels.join('')}    B40: {type: integer}\n`,
      ),
    })
    expect(diagnostics).toEqual([])
  })
})
