import { describe, expect, test } from 'vitest'
import { expectRefused, generatedFrom, head } from './refused.ts'

const levels = 10_000

/**
 * The time limit in milliseconds: longer than any of these runs, and far shorter than a run over an unbounded document.
 */
const patience = 120_000

describe('documents of unbounded cost', () => {
  test(
    'aliases that multiply',
    async () => {
      const rows = Array.from(
        { length: 9 },
        (_, i) => `  a${i + 1}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join(', ')}]`,
      )
      const text = `${head}x-bomb:\n  a0: &a0 [${'lol, '.repeat(8)}lol]\n${rows.join('\n')}\n`
      expectRefused(await generatedFrom({ 'a.yaml': text }), /^a\.yaml:\d+:\d+ error alias-bomb/)
    },
    patience,
  )

  test(
    'aliases that multiply in schemas',
    async () => {
      const rows = Array.from(
        { length: 30 },
        (_, i) => `    A${i + 1}: &a${i + 1} {type: object, properties: {l: *a${i}, r: *a${i}}}`,
      )
      const text = `${head}components:\n  schemas:\n    A0: &a0 {type: string}\n${rows.join('\n')}\n`
      expectRefused(await generatedFrom({ 'a.yaml': text }), /error alias-bomb/)
    },
    patience,
  )

  test(
    'an alias that contains itself',
    async () => {
      expectRefused(await generatedFrom({ 'a.yaml': `${head}x-loop: &a {b: *a}\n` }), /^a\.yaml:4:\d+ error /)
    },
    patience,
  )

  test('merge keys, which YAML 1.2 does not have, are read', async () => {
    const { printed } = await generatedFrom({
      'a.yaml': `${head}x-a: &a {b: c}\ncomponents: {schemas: {A: {<<: *a, type: string}}}\n`,
    })
    expect(printed).toContainEqual(expect.stringMatching(/a\.yaml:5:\d+ warning unknown-member: "b"/))
  })

  test.each([
    ['lists in JSON', 'a.json', `${'['.repeat(levels)}${']'.repeat(levels)}`],
    ['objects in JSON', 'a.json', `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
    ['lists in YAML', 'a.yaml', `a: ${'['.repeat(levels)}${']'.repeat(levels)}`],
    ['blocks in YAML', 'a.yaml', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['dashes in YAML', 'a.yaml', `${'- '.repeat(levels)}a`],
  ])(
    '%s, thousands deep',
    async (_, name, text) => {
      expectRefused(await generatedFrom({ [name]: text }), /^a\.\w+:\d+:\d+ error (?:too-deep|syntax|not-an-object)/)
    },
    patience,
  )

  test(
    'hundreds of nested schemas are generated or refused',
    async () => {
      const depth = 450
      const schema = `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{"A":${schema}}}}`
      const { files, printed } = await generatedFrom({ 'a.json': text })
      expect(files.size > 0).toBe(!printed.some(line => / error /.test(line)))
    },
    patience,
  )

  test(
    'a chain of 5,000 references',
    async () => {
      const schemas = Array.from({ length: 5_000 }, (_, i) => `"A${i}":{"$ref":"#/components/schemas/A${i + 1}"}`)
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{${schemas.join(',')},"A5000":{"type":"string"}}}}`
      const { files, printed } = await generatedFrom({ 'a.json': text })
      expect(files.size > 0).toBe(!printed.some(line => / error /.test(line)))
    },
    patience,
  )

  test(
    '5,000 schemas, each nested in the next',
    async () => {
      const schemas = Array.from(
        { length: 5_000 },
        (_, i) => `"A${i}":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/A${(i + 1) % 5_000}"}}}`,
      )
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{${schemas.join(',')}}}}`
      const { files, printed } = await generatedFrom({ 'a.json': text })
      expect(printed).toEqual([])
      expect(files.size).toBeGreaterThan(0)
    },
    patience,
  )

  test(
    '3,000 overlapping branches',
    async () => {
      const branches = Array.from({ length: 3_000 }, () => '{"type":"object"}')
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{"A":{"oneOf":[${branches.join(',')}]}}}}`
      const { printed } = await generatedFrom({ 'a.json': text })
      expect(printed.length).toBeLessThan(10_000)
    },
    patience,
  )

  test(
    '3,000 members whose names are the same when reduced to letters',
    async () => {
      const properties = Array.from(
        { length: 3_000 },
        (_, i) => `"a${'-'.repeat(i % 60)}${'_'.repeat(Math.floor(i / 60))}b":{"type":"string","pattern":"^${i}$"}`,
      )
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{"A":{"type":"object","properties":{${properties.join(',')}}}}}}`
      const { files } = await generatedFrom({ 'a.json': text })
      const size = [...files.values()].reduce((sum, file) => sum + file.length, 0)
      expect(size).toBeLessThan(5_000_000)
    },
    patience,
  )

  test.each([
    ['words', 'word '.repeat(200_000)],
    ['one word', 'x'.repeat(1_000_000)],
    ['line ends', `a${'\n'.repeat(1_000_000)}b`],
    ['blanks', `a${' '.repeat(1_000_000)}b`],
    ['blanks and line ends', `a${' \n'.repeat(500_000)}b`],
    ['comment ends', '*/'.repeat(500_000)],
    ['tags', '@a '.repeat(300_000)],
    ['quotes', `'"`.repeat(500_000)],
  ])(
    'a description of 1 MB of %s',
    async (_, description) => {
      const text = JSON.stringify({
        openapi: '3.0.3',
        info: { title: description.slice(0, 10_000), version: '1' },
        paths: {
          '/a': { get: { operationId: 'a', summary: description, description, responses: { '204': { description } } } },
        },
        components: { schemas: { A: { type: 'string', description, default: description, enum: [description] } } },
      })
      const { files } = await generatedFrom({ 'a.json': text })
      expect(files.size).toBeGreaterThan(0)
    },
    patience,
  )

  test(
    'a pattern of 1 MB',
    async () => {
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{"A":{"type":"string","pattern":"${'a?'.repeat(500_000)}"}}}}`
      expectRefused(await generatedFrom({ 'a.json': text }), /error pattern-too-long/)
    },
    patience,
  )

  test(
    '20,000 faults are reported, each in a short line',
    async () => {
      const properties = Array.from({ length: 20_000 }, (_, i) => `"a${i}":{"$ref":"#/nowhere"}`)
      const text = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},"components":{"schemas":{"A":{"type":"object","properties":{${properties.join(',')}}}}}}`
      const { printed } = await generatedFrom({ 'a.json': text })
      expect(printed.length).toBeGreaterThan(0)
      expect(printed.every(line => line.length < 500)).toBe(true)
    },
    patience,
  )
})
