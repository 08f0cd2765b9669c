import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder } from '../generation.ts'
import { generationOf } from './made.ts'
import { connectedDocument, documentOf, type Wire } from './wire.ts'

const empty = { responses: { '204': { description: 'done' } } }
const integer = { type: 'integer' }
const query = (name: string, schema: object, more: object = {}): object => ({ name, in: 'query', schema, ...more })
const mapOf = (additionalProperties: object | true, more: object = {}): object => ({
  type: 'object',
  additionalProperties,
  ...more,
})

const operations = {
  // The map stands first, so that its place in the list cannot decide what belongs to it.
  texts: [query('rest', mapOf({ type: 'string' })), query('page', integer)],
  integers: [query('rest', mapOf(integer, { properties: { a: { type: 'boolean' } } })), query('page', integer)],
  any: [query('rest', { type: 'object' }), query('page', integer)],
  closed: [query('rest', { type: 'object', properties: { a: integer } }), query('page', integer)],
  deep: [query('rest', mapOf({ type: 'string' }), { style: 'deepObject' }), query('page', integer)],
  cookies: [{ name: 'all', in: 'cookie', schema: mapOf({ type: 'string' }) }, { name: 'c', in: 'cookie', schema: integer }],
} // prettier-ignore

const document = {
  ...documentOf(
    Object.fromEntries(
      Object.entries(operations).map(([id, parameters]) => [
        `/${id}`,
        { get: { operationId: id, parameters, ...empty } },
      ]),
    ),
  ),
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
}

describe('a map as an exploded parameter', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connectedDocument(document)))
  afterAll(() => removeFolder(wire.folder))

  test.each<[operation: string, request: object]>([
    ['texts', { page: 1, rest: { x: '1', 'y z': '&' } }],
    ['texts', { rest: { constructor: 'a', __proto__x: 'b' } }],
    ['integers', { page: 1, rest: { a: true, b: 2 } }],
    ['any', { page: 1, rest: { a: 'x', b: ['y', 'z'] } }],
    ['deep', { page: 1, rest: { page: 'x' } }],
    ['cookies', { c: 1, all: { x: '1' } }],
  ])('of %s arrives beside other parameters: %o', async (operation, request) => {
    expect(await wire.call(operation, request)).toEqual(request)
  })

  test.each<[target: string, arrives: unknown]>([
    ['/texts?x=1&page=2&y=', { page: 2, rest: { x: '1', y: '' } }],
    ['/texts?page=2', { page: 2 }],
    ['/texts?api_key=secret&x=1', { rest: { x: '1' } }],
    ['/texts?x=1&x=2', 400],
    ['/texts?__proto__=1', { rest: JSON.parse('{"__proto__":"1"}') }],
    ['/integers?b=x', 400],
    ['/integers?page=x', 400],
    ['/any?a=1&a=2&b=3', { rest: { a: ['1', '2'], b: '3' } }],
    ['/closed?a=1', { rest: { a: 1 } }],
    ['/closed?a=1&b=1', 400],
    ['/deep?rest[x]=1&y=1', 400],
    ['/deep?rest[x][y]=1', 400],
  ])('is read from %s', async (target, arrives) => {
    const before = wire.reached.length
    const answer = await wire.host(new Request(`http://service.test${target}`))
    if (arrives === 400) expect([answer.status, wire.reached.length]).toEqual([400, before])
    else expect(wire.given.at(-1)).toEqual(arrives)
  })

  test('of the style deepObject has a bounded nesting', async () => {
    const deep = await connectedDocument(
      documentOf({
        '/a': {
          get: { operationId: 'a', parameters: [query('m', mapOf(true), { style: 'deepObject' })], ...empty },
        },
      }),
    )
    const statusOf = async (depth: number): Promise<number> =>
      (await deep.host(new Request(`http://service.test/a?m${'[x]'.repeat(depth)}=1`))).status
    expect([await statusOf(100), await statusOf(101)]).toEqual([204, 400])
    removeFolder(deep.folder)
  })
})

test('two maps that would take the same texts are reported, and a map of lists in lists too', async () => {
  const reported = async (...parameters: readonly object[]): Promise<readonly string[]> =>
    (await generationOf(documentOf({ '/a': { get: { operationId: 'a', parameters, ...empty } } }))).filter(
      line => !line.includes(' note '),
    )
  const texts = mapOf({ type: 'string' })
  const cookie = { name: 'c', in: 'cookie', schema: texts }
  expect(await reported(query('a', texts), cookie, query('d', texts, { style: 'deepObject' }))).toEqual([])
  expect(await reported(query('a', texts), query('b', { type: 'object' }))).toEqual([
    expect.stringContaining('warning parameter-maps: "a" takes all parameters of the query that have no other name'),
  ])
  const listsInLists = mapOf({ type: 'array', items: { type: 'array', items: integer } })
  expect(await reported(query('a', listsInLists))).toEqual([expect.stringContaining('warning parameter-shape')])
})
