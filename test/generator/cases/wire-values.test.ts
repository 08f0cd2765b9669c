import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../../runtime/errors.ts'
import { removeFolder, repository } from '../generation.ts'
import { connected, connectedDocument, documentOf, type Wire } from './wire.ts'

const empty = { responses: { '204': { description: 'done' } } }

/** Returns the fields and descriptions of the faults with which a call is refused, otherwise the reason of its error. */
async function faultsOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? (error.details.badRequest ?? error.reason) : error
}

const bounds = 'must be between -9007199254740991 and 9007199254740991'

describe('integers beyond 2^53', () => {
  let wire: Wire
  beforeAll(
    async () => void (wire = await connected('integers-beyond-2-53.yaml', join(repository, 'test/cases/openapi-2'))),
  )
  afterAll(() => removeFolder(wire.folder))

  const statusOf = async (method: string, target: string, body?: string): Promise<number> => {
    const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
    return (await wire.host(new Request(`http://service.test${target}`, { method, ...init }))).status
  }

  test.each([
    ['GET', '/rows/9007199254740993', undefined],
    ['GET', '/rows/-9007199254740993', undefined],
    ['GET', '/rows/9007199254740992', undefined],
    ['GET', '/rows/1?after=9223372036854775807', undefined],
    ['PUT', '/rows/1', '{"id":9007199254740993}'],
    ['PUT', '/rows/1', '{"id":1,"bound":9223372036854775807}'],
    ['PUT', '/rows/1', '{"id":1.5}'],
    ['PUT', '/rows/1', '{"id":"1"}'],
  ])('are refused by the server: %s %s %s', async (method, target, body) => {
    const before = wire.reached.length
    expect(await statusOf(method, target, body)).toBe(400)
    expect(wire.reached).toHaveLength(before)
  })

  test('are told with the bounds of safe integers', async () => {
    expect(await faultsOf(wire.call('getRow', { id: 2 ** 60 }))).toEqual([{ field: 'id', description: bounds }])
    expect(await faultsOf(wire.call('putRow', { id: 1, body: { id: 2 ** 53 } }))).toEqual([
      { field: 'id', description: bounds },
    ])
    expect(await faultsOf(wire.call('getRow', { id: 1e21 }))).toEqual([
      { field: 'id', description: 'must be an integer' },
    ])
  })

  test.each([9007199254740991, -9007199254740991, 0])('up to 2^53 arrive: %d', async id => {
    expect(await wire.call('getRow', { id })).toEqual({ id })
    expect(await wire.call('putRow', { id, body: { id, share: 1e300 } })).toEqual({ id, body: { id, share: 1e300 } })
  })

  test.each([
    ['{"id":9007199254740993}', 'ANSWER_INVALID'],
    ['{"id":1,"bound":9223372036854775807}', 'ANSWER_INVALID'],
    ['[{"id":-9007199254740993}]', 'ANSWER_INVALID'],
  ])('in an answer that a number would change are refused by the client: %s', async (body, reason) => {
    expect(await faultsOf(wire.replied('getRow', { id: 1 }, new Response(body)))).toBe(reason)
  })

  test.each([
    '{"id":9007199254740991}',
    '{"id":1,"share":12345678901234567000}',
    '{"id":1,"share":0.12345678901234567}',
    '{"id":1,"share":100000000000000000000}',
    '{"id":1,"text":"9007199254740993","__proto__":9007199254740991}',
  ])('in an answer that a number holds arrive: %s', async body => {
    expect(await wire.replied('getRow', { id: 1 }, new Response(body))).toEqual(JSON.parse(body))
  })
})

describe('the body of a PATCH', () => {
  const item = {
    type: 'object',
    properties: {
      id: { type: 'string', readOnly: true },
      name: { type: 'string', default: 'unnamed' },
      size: { type: 'integer', default: 3 },
      tags: { type: 'array', items: { type: 'object', properties: { hue: { type: 'string', default: 'red' } } } },
    },
  }
  const operation = (operationId: string, content: object): object => ({
    operationId,
    parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean', default: true } }],
    requestBody: { required: true, content },
    ...empty,
  })
  const ref = { schema: { $ref: '#/components/schemas/Item' } }
  let wire: Wire
  beforeAll(async () => {
    const paths = {
      '/a': {
        patch: operation('patchItem', { 'application/merge-patch+json': ref }),
        put: operation('putItem', { 'application/json': ref }),
      },
      '/b': {
        patch: operation('patchEither', {
          'application/json': ref,
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { n: { type: 'integer', default: 1 } } },
          },
        }),
      },
    }
    wire = await connectedDocument(documentOf(paths, { Item: item }))
  })
  afterAll(() => removeFolder(wire.folder))

  test('gets no defaults, and keeps the members that the caller sent', async () => {
    expect(await wire.call('patchItem', { body: {} })).toEqual({ body: {}, dry: true })
    expect(await wire.call('patchItem', { body: { size: 1, tags: [{}] } })).toEqual({
      body: { size: 1, tags: [{}] },
      dry: true,
    })
  })

  test('loses the members that only the server sets', async () => {
    expect(await wire.call('patchItem', { body: { id: '1', size: 1 } })).toEqual({ body: { size: 1 }, dry: true })
  })

  test('gets no defaults in any of several media types', async () => {
    for (const contentType of ['application/json', 'application/x-www-form-urlencoded']) {
      const body = { contentType, body: {} }
      expect(await wire.call('patchEither', { body })).toEqual({ body, dry: true })
    }
  })

  test('differs from the body of a PUT', async () => {
    expect(await wire.call('putItem', { body: { tags: [{}] } })).toEqual({
      body: { name: 'unnamed', size: 3, tags: [{ hue: 'red' }] },
      dry: true,
    })
  })
})

describe('an API key in the query', () => {
  const schemes = {
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    other: { type: 'apiKey', in: 'query', name: 'other_key' },
    header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  }
  let wire: Wire
  beforeAll(async () => {
    const paths = {
      '/a': { get: { operationId: 'getA', ...empty } },
      '/b': { get: { operationId: 'getB', security: [{ other: [] }, { header: [] }], ...empty } },
      '/c': { get: { operationId: 'getC', security: [], ...empty } },
    }
    wire = await connectedDocument({
      ...documentOf(paths),
      security: [{ key: [] }],
      components: { securitySchemes: schemes },
    })
  })
  afterAll(() => removeFolder(wire.folder))

  test.each([
    ['/a?api_key=1', 204],
    ['/a?api_key=1&api_key=2', 204],
    ['/a?other_key=1', 400],
    ['/b?other_key=1', 204],
    ['/b?api_key=1', 400],
    ['/c?api_key=1', 400],
    ['/a?api_key=1&x=1', 400],
  ])('is known where the document asks for it: %s is %i', async (target, status) => {
    expect((await wire.host(new Request(`http://service.test${target}`))).status).toBe(status)
  })
})
