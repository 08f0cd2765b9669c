import { readFileSync } from 'node:fs'
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
    ['an object in a union', { s: { gt: 5 } }],
    ['an object in an object', { n: { a: { b: 1 } } }],
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

describe('HEAD with declared content', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('head-with-content.yaml', folder)))
  afterAll(() => removeFolder(wire.folder))

  test('has no body in the types of its answers', () => {
    const types = readFileSync(join(wire.folder, wire.document, 'handlers.ts'), 'utf8')
    expect(types).toContain("Promise<Reply<200, undefined, { ETag: string; 'Content-Length'?: number }>>")
  })

  test('reaches the client as status and headers', async () => {
    const answer = { status: 200, headers: { ETag: '"1"', 'Content-Length': 1234 } }
    expect(await wire.answered('statBlob', { id: '1' }, answer)).toEqual(answer)
  })

  test('is not parsed, whatever a server sends', async () => {
    const bare = new Response(null, {
      headers: { etag: '"2"', 'content-length': '77', 'content-type': 'application/json' },
    })
    expect(await wire.replied('statBlob', { id: '1' }, bare)).toEqual({
      status: 200,
      headers: { ETag: '"2"', 'Content-Length': 77 },
    })
  })
})

describe('a header that is not as declared', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('response-header-not-as-declared.yaml', folder)))
  afterAll(() => removeFolder(wire.folder))

  test.each([
    [{ 'x-rate-limit': 'unlimited', 'x-beta': 'True' }, {}],
    [{ 'x-rate-limit': '', 'x-beta': '' }, {}],
    [{ 'x-rate-limit': '007', 'x-beta': '1' }, {}],
    [{ 'x-rate-limit': '"5"', 'x-beta': 'null' }, {}],
    [{ 'x-rate-limit': 'null', 'x-beta': '"true"' }, {}],
    [
      { 'x-rate-limit': '5', 'x-beta': 'true' },
      { 'X-Rate-Limit': 5, 'X-Beta': true },
    ],
  ])('%j is left out, and the call succeeds', async (headers, read) => {
    const made = new Response('{"id":"1"}', { status: 201, headers })
    expect(await wire.replied('createOrder', {}, made)).toEqual({ status: 201, body: { id: '1' }, headers: read })
  })
})
