import { describe, expect, test } from 'vitest'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Check, Faults } from '../../../runtime/validation.ts'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generation.ts'
import { generatedFrom } from './refused.ts'

/** Returns a document of OpenAPI 3.1 with the given schemas, the first of which is the body of an operation. */
function documentOf(schemas: Readonly<Record<string, unknown>>): string {
  const [first = 'A'] = Object.keys(schemas)
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${first}` } } }
  const responses = { 204: { description: 'none' } }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'a', version: '1' },
    paths: { '/a': { post: { operationId: 'a', requestBody: { required: true, content }, responses } } },
    components: { schemas },
  })
}

const ref = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` })

const codes = (printed: readonly string[]): readonly string[] =>
  printed.map(line => /(?:error|warning|note) ([a-z0-9-]+)/.exec(line)?.[1] ?? line)

describe('references with keywords beside them', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['to itself', { A: { ...ref('A'), maxLength: 1 } }, 'reference-cycle'],
    [
      'in a circle of three',
      { A: { ...ref('B'), maxLength: 1 }, B: { ...ref('C'), minLength: 1 }, C: { ...ref('A'), type: 'string' } },
      'reference-cycle',
    ],
    ['through allOf', { A: { ...ref('B'), maxLength: 1 }, B: { allOf: [ref('A')] } }, 'schema-cycle'],
    ['through if', { A: { type: 'string', if: ref('A'), then: {} } }, 'schema-cycle'],
    ['through then', { A: { type: 'string', if: {}, then: { not: ref('A') } } }, 'schema-cycle'],
    ['through dependentSchemas', { A: { type: 'object', dependentSchemas: { a: ref('A') } } }, 'schema-cycle'],
  ])('that lead back %s are refused', async (_, schemas, code) => {
    const { files, printed } = await generatedFrom({ 'a.json': documentOf(schemas) })
    expect(files.size).toBe(0)
    expect(codes(printed)).toContain(code)
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['a member', { A: { type: 'object', properties: { a: { ...ref('A'), minProperties: 1 } } } }],
    ['an item of a prefix', { A: { type: 'array', prefixItems: [{ ...ref('A'), maxItems: 2 }] } }],
    ['contains', { A: { type: 'array', contains: { ...ref('A'), maxItems: 2 } } }],
    ['a pattern', { A: { type: 'object', patternProperties: { a: { ...ref('A'), maxProperties: 2 } } } }],
    ['the unevaluated members', { A: { type: 'object', unevaluatedProperties: { ...ref('A'), maxProperties: 2 } } }],
  ])('that lead back through %s are generated', async (_, schemas) => {
    const { files } = await generatedFrom({ 'a.json': documentOf(schemas) })
    expect(files.size).toBeGreaterThan(0)
  })

  test('count as a circle in a chain of more than a hundred', async () => {
    const chain = Array.from({ length: 500 }, (_, i) => [`S${i}`, { ...ref(`S${i + 1}`), maxLength: 500 - i }] as const)
    const { printed } = await generatedFrom({
      'a.json': documentOf({ ...Object.fromEntries(chain), S500: { type: 'string' } }),
    })
    expect(new Set(codes(printed))).toEqual(new Set(['reference-cycle']))
  })
})

describe('schemas of unbounded cost', () => {
  test('parts that double at each level are refused beside an unevaluated keyword', async () => {
    const doubled = Array.from({ length: 30 }, (_, i) => {
      const next = i === 29 ? { type: 'object', properties: { a: {} } } : ref(`S${i + 1}`)
      return [`S${i}`, { anyOf: [next, { allOf: [next, { required: ['a'] }] }] }] as const
    })
    const A = { allOf: [ref('S0')], unevaluatedProperties: false }
    const { files, printed } = await generatedFrom({ 'a.json': documentOf({ A, ...Object.fromEntries(doubled) }) })
    expect(files.size).toBe(0)
    expect(codes(printed)).toContain('unevaluated-too-large')
  })

  test('forty levels of conditions are generated', async () => {
    let nested: object = { type: 'string' }
    for (let i = 0; i < 40; i++) nested = { if: { minLength: i }, then: nested, else: { maxLength: i } }
    const { files } = await generatedFrom({ 'a.json': documentOf({ A: nested }) })
    expect(files.size).toBeGreaterThan(0)
  })

  test('an enum of 50,000 constants is generated', async () => {
    const A = { enum: Array.from({ length: 50_000 }, (_, i) => (i % 2 === 0 ? `v${i}` : i)) }
    expect((await generatedFrom({ 'a.json': documentOf({ A }) })).files.size).toBeGreaterThan(0)
  })
})

/** Names that are no names of JavaScript, end texts or comments, or are inherited by every object. */
const names = ["'", '`${process}`', '*/', '\u2028', '__proto__', 'constructor', '\\', '"\n', '</script>', '']

describe('names of members', () => {
  test('are data in every keyword that holds names', async () => {
    const folder = newFolder()
    try {
      const dependentRequired = Object.fromEntries(names.map(name => [name, [`${name}!`]]))
      const dependentSchemas = Object.fromEntries(names.map(name => [name, { required: [`${name}?`] }]))
      const members = Object.fromEntries(names.map(name => [name, { type: 'integer' }]))
      const schema = {
        type: 'object',
        allOf: [{ properties: members }],
        dependentRequired,
        dependentSchemas,
        patternProperties: { '[!?]$': {}, "'`": {} },
        unevaluatedProperties: false,
      }
      writeFiles(folder, new Map([['a.json', documentOf({ A: schema })]]))
      const { files, printed } = await generation(['a.json'], folder, runtimeFrom(join(folder, 'out')))
      expect(printed.filter(line => line.includes(' error '))).toEqual([])
      writeFiles(join(folder, 'out'), files)
      const checks: Readonly<Record<string, Check>> = await import(
        pathToFileURL(join(folder, 'out/a/validators.ts')).href
      )
      const fits = (value: unknown): boolean | undefined => checks['checkA']?.(value, new Faults())
      for (const name of names) {
        const [one, two, all] = [`{${q(name)}:1}`, `{${q(name)}:1,${q(`${name}!`)}:1}`, whole(name)]
        expect([name, fits(JSON.parse(one)), fits(JSON.parse(two)), fits(JSON.parse(all))]).toEqual([
          name,
          false,
          false,
          true,
        ])
      }
      expect([fits({}), fits({ other: 1 })]).toEqual([true, false])
    } finally {
      removeFolder(folder)
    }
  })
})

const q = (name: string): string => JSON.stringify(name)
const whole = (name: string): string => `{${q(name)}:1,${q(`${name}!`)}:1,${q(`${name}?`)}:1}`
