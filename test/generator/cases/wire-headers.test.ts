import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder, repository } from '../generation.ts'
import { generationOf } from './made.ts'
import { connected, connectedDocument, documentOf, type Wire } from './wire.ts'

const cookies = ['a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/', 'b=2; Path=/']

describe('a list of Set-Cookie', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('set-cookie-list.yaml', join(repository, 'test/cases/openapi-2'))))
  afterAll(() => removeFolder(wire.folder))

  test.each([[cookies], [cookies.slice(1)]])('arrives item by item: %j', async list => {
    const answer = { status: 200, body: { ok: true }, headers: { 'Set-Cookie': list, 'X-Rate-Limit': 5 } }
    expect(await wire.answered('login', {}, answer)).toEqual(answer)
  })

  test('is absent if no cookie was sent', async () => {
    const answer = { status: 200, body: { ok: true }, headers: {} }
    expect(await wire.answered('login', {}, answer)).toEqual(answer)
  })

  test('is a line for each item, whatever client reads it', async () => {
    await wire.answered('login', {}, { status: 200, body: {}, headers: { 'Set-Cookie': cookies } })
    const answer = await wire.host(new Request('http://service.test/login', { method: 'POST' }))
    expect(answer.headers.getSetCookie()).toEqual(cookies)
  })
})

const object = (properties: object): object => ({ type: 'object', properties })
const integer = { type: 'integer' }

describe('headers of an answer', () => {
  const headers = {
    'X-Object': { schema: object({ r: integer }) },
    'X-Map': { explode: true, schema: { type: 'object', additionalProperties: { type: 'string' } } },
    'X-Rows': { schema: { type: 'array', items: object({ r: integer }) } },
    'X-Json': { content: { 'application/json': { schema: object({ deep: { type: 'array', items: object({}) } }) } } },
    'X-Json-Text': { content: { 'application/json': { schema: { type: 'string' } } } },
    'X-Json-List': { content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } } },
    'X-List': { schema: { type: 'array', items: integer } },
    'X-Any': { schema: {} },
  }
  let wire: Wire
  beforeAll(async () => {
    const responses = { 200: { description: 'ok', headers } }
    wire = await connectedDocument(documentOf({ '/a': { get: { operationId: 'getA', responses } } }))
  })
  afterAll(() => removeFolder(wire.folder))

  test.each([
    { 'X-Object': { r: 1 } },
    { 'X-Map': { a: 'b,c=d' } },
    { 'X-Rows': [{ r: 1 }, { r: 2 }] },
    { 'X-Json': { deep: [{ a: '\u{1f600}' }] } },
    { 'X-Json-Text': 'é "quoted"' },
    { 'X-Json-List': ['a,b', ''] },
    { 'X-List': [1, 2], 'X-Any': 'text' },
  ])('arrive as the handler gave them: %j', async given => {
    expect(await wire.answered('getA', {}, { status: 200, headers: given })).toEqual({ status: 200, headers: given })
  })
})

test.each([
  [{ schema: object({ r: integer }) }, 1],
  [{ schema: { type: 'array', items: { type: 'array', items: integer } } }, 1],
  [{ schema: { oneOf: [integer, object({})] } }, 1],
  [{ content: { 'application/json': { schema: object({}) } } }, 0],
  [{ schema: { type: 'array', items: integer } }, 0],
  [{ schema: { oneOf: [integer, { type: 'string' }] } }, 0],
])('a header %j is reported %i times, if it is sent as JSON without saying so', async (header, times) => {
  const responses = { 200: { description: 'ok', headers: { 'X-A': header } } }
  const printed = await generationOf(documentOf({ '/a': { get: { responses } } }))
  expect(printed.filter(line => line.includes(' warning header-shape: '))).toHaveLength(times)
})

describe('a redirection', () => {
  const paths = {
    '/moved': {
      get: {
        operationId: 'getMoved',
        responses: {
          302: { description: 'moved', headers: { Location: { required: true, schema: { type: 'string' } } } },
        },
      },
    },
    '/followed': { get: { operationId: 'getFollowed', responses: { 200: { description: 'ok' } } } },
  }
  const targets: string[] = []
  const server = createServer(({ url = '' }, response) => {
    targets.push(url)
    response.writeHead(url === '/target' ? 200 : 302, { location: '/target' }).end()
  })
  let wire: Wire
  let baseUrl = ''
  beforeAll(async () => {
    wire = await connectedDocument(documentOf(paths))
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  })
  afterAll(() => {
    server.close()
    removeFolder(wire.folder)
  })

  test('that the document declares as a success is the answer, and any other is followed', async () => {
    const { MadeClient } = await import(pathToFileURL(join(wire.folder, wire.document, 'client.ts')).href)
    const client = new MadeClient({ baseUrl })
    expect(await client.getMoved()).toEqual({ status: 302, headers: { Location: '/target' } })
    expect(targets).toEqual(['/moved'])
    expect(await client.getFollowed()).toBeUndefined()
    expect(targets).toEqual(['/moved', '/followed', '/target'])
  })
})
