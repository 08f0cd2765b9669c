import { describe, expect, test } from 'vitest'
import { generatedFrom, head } from './refused.ts'

describe('files that are not documents', () => {
  test.each([
    ['nothing', ''],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', '[]'],
    ['bytes that are no text', '\u0000\u0001'],
    ['half a document', '{"openapi": "3.0.3", "info": {'],
    ['tabs', 'openapi: 3.0.3\n\tinfo: a'],
    ['two documents', `${head}---\n${head}`],
    ['keys twice', `${head}paths: {}\n`],
    ['a key that is a list', `${head}? [a, b]\n: c\n`],
    ['a tag that makes code', `${head}x-a: !!js/function "function () { globalThis.hit = true }"\n`],
    ['another version', head.replace('3.0.3', '3.2.0')],
    ['Swagger', 'swagger: "2.0"\ninfo: {title: a, version: "1"}\npaths: {}\n'],
    ['numbers without end', `${head}x-a: .inf\n`],
  ])('%s', async (_, text) => {
    const { files, printed } = await generatedFrom({ 'a.yaml': text })
    expect(files.size).toBe(0)
    expect(printed).toContainEqual(expect.stringMatching(/^a\.yaml:\d+:\d+ error /))
    expect('hit' in globalThis).toBe(false)
  })

  test.each([
    ['paths', 'a list', []],
    ['info', 'text', 'a'],
    ['components', 'null', null],
    ['components', 'schemas that are text', { schemas: 'a' }],
    ['components', 'a schema that is a list', { schemas: { A: [] } }],
    ['components', 'properties that are a list', { schemas: { A: { type: 'object', properties: ['a'] } } }],
    ['components', 'required that is text', { schemas: { A: { type: 'object', required: 'a' } } }],
    ['components', 'an enum that is an object', { schemas: { A: { enum: { a: 1 } } } }],
    ['components', 'a type that is a list', { schemas: { A: { type: ['string', 'null'] } } }],
    [
      'components',
      'a bound that is text',
      { schemas: { A: { type: 'number', minimum: '1); globalThis.hit = true; (' } } },
    ],
    [
      'components',
      'a length that is text',
      { schemas: { A: { type: 'string', maxLength: '1); globalThis.hit = true; (' } } },
    ],
    ['components', 'a pattern that is a number', { schemas: { A: { type: 'string', pattern: 1 } } }],
    [
      'x-errors',
      'a code that is text',
      { A: { code: '1}; globalThis.hit = true; ({', rpc: 'NOT_FOUND', description: 'a' } },
    ],
    ['x-errors', 'a code that is a fraction', { A: { code: 1.5, rpc: 'NOT_FOUND', description: 'a' } }],
    ['x-errors', 'an rpc that is code', { A: { code: 1001001, rpc: "'; globalThis.hit = true", description: 'a' } }],
    [
      'x-errors',
      'a name that is code',
      { 'A = globalThis.hit = true': { code: 1001001, rpc: 'NOT_FOUND', description: 'a' } },
    ],
    ['x-permissions', 'text', 'a'],
  ])('%s is %s', async (name, _, value) => {
    const document = { openapi: '3.0.3', info: { title: 'a', version: '1' }, paths: {}, [name]: value }
    const { files, printed } = await generatedFrom({ 'a.json': JSON.stringify(document) })
    expect(files.size).toBe(0)
    expect(printed).toContainEqual(expect.stringMatching(/^a\.json:\d+:\d+ error /))
  })
})
