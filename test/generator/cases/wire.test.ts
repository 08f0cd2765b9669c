import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder, repository } from '../generation.ts'
import { connected, type Wire } from './wire.ts'

const folder = join(repository, 'test/cases/openapi-2')

describe('parameters with JSON, and values that no text expresses', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('json-content-parameters.yaml', folder)))
  afterAll(() => removeFolder(wire.folder))

  test.each([
    ['in the path', {}],
    ['in the query', { q: { x: 1 } }],
    ['in a header', { 'X-H': { x: 1 } }],
    ['in a header, with characters beyond ASCII', { 'X-H': { x: 1, é: 'ü\u{1f600}' } }],
    ['in a cookie', { c: { x: 1 } }],
    ['everywhere', { q: { x: 1 }, 'X-H': { x: 2 }, c: { x: 3 }, s: 7, e: ['a', 'b'], any: 'text' }],
  ])('arrive as they were sent: %s', async (_, request) => {
    const whole = { p: { x: 0 }, ...request }
    expect(await wire.call('a', whole)).toEqual(whole)
    expect(wire.sent.at(-1)?.url).not.toContain('object')
  })

  test('are percent-encoded JSON', async () => {
    await wire.call('a', { p: {}, q: { x: 1 } })
    expect(wire.sent.at(-1)?.url).toBe('http://service.test/a/%7B%7D?q=%7B%22x%22%3A1%7D')
  })

  test.each([
    ['an object in a union', { s: { gt: 5 } }, 'query parameter "s"'],
    ['an object in an object', { n: { a: { b: 1 } } }, 'query parameter "n"'],
    ['an object in a list', { e: [{}] }, 'query parameter "e"'],
    ['null in a list', { e: [null] }, 'query parameter "e"'],
    ['an object without a schema', { any: {} }, 'query parameter "any"'],
  ])('throw before anything is sent: %s', async (_, request, named) => {
    const before = wire.sent.length
    await expect(wire.call('a', { p: {}, ...request })).rejects.toThrow(
      new TypeError(`${named} must consist of text, numbers and booleans`),
    )
    expect(wire.sent).toHaveLength(before)
  })
})
