import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder, repository } from '../generation.ts'
import { connected, connectedDocument, documentOf, type Wire } from './wire.ts'

const empty = { responses: { '204': { description: 'done' } } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const status = async (wire: Wire, method: string, path: string): Promise<readonly [number, string | null]> => {
  const { headers, status } = await wire.host(new Request(`http://service.test${path}`, { method }))
  return [status, headers.get('allow')]
}

describe('literal paths beside templates', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('literal-paths-and-fallbacks.yaml', folder)))
  afterAll(() => removeFolder(wire.folder))

  test.each([
    ['del', { id: 'me' }, { id: 'me' }],
    ['me', {}, {}],
    ['sp', { id: '1' }, { id: '1' }],
    ['pc', { id: '1' }, { id: '1' }],
    ['qt', {}, {}],
    ['patchy', { body: {} }, { body: { ref: { b: 3 } } }],
  ])('%s of the client reaches its handler', async (operation, request, received) => {
    expect(await wire.call(operation, request)).toEqual(received)
    expect(wire.reached.at(-1)).toBe(operation)
  })

  test('a method that no path takes is refused with the methods of all paths that fit', async () => {
    expect(await status(wire, 'PUT', '/users/me')).toEqual([405, 'GET, DELETE'])
    expect(await status(wire, 'GET', '/users/you')).toEqual([405, 'DELETE'])
  })
})

const folder = join(repository, 'test/cases/openapi-2')

describe('literal text that URLs encode', () => {
  const literals = [
    'q"x',
    '`a`',
    'a b',
    'a%20c',
    '<a>',
    'a^b',
    'a|b',
    'a[0]',
    'a\\b',
    'ü',
    "a'b(c)*!",
    'a;b=c,d',
    '@:$&+',
    '~-._',
  ]
  let wire: Wire
  beforeAll(async () => {
    const paths = literals.map((text, i) => [
      `/p/${text}/{id}`,
      { get: { operationId: `get${i}`, parameters: [id], ...empty } },
    ])
    wire = await connectedDocument(documentOf(Object.fromEntries(paths)))
  })
  afterAll(() => removeFolder(wire.folder))

  test.each(literals.map((text, i) => [text, `get${i}`]))(
    '%s is matched as the client sends it',
    async (text, operation) => {
      expect(await wire.call(operation, { id: '1 "2"' })).toEqual({ id: '1 "2"' })
      expect(wire.reached.at(-1)).toBe(operation)
      if (!text.includes('\\')) expect(await status(wire, 'GET', `/p/${text}/1`)).toEqual([204, null])
    },
  )
})
