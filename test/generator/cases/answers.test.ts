import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder } from '../generation.ts'
import { generationOf } from './made.ts'
import { connectedDocument, documentOf, type Wire } from './wire.ts'

const object = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })
const text = { type: 'string' }
const bytes = { type: 'string', format: 'binary' }
const row = object({ id: { type: 'integer' } })
const two = object({ id: { type: 'string' }, more: { type: 'boolean' } })

/** The operation `get` + name, whose 200 has contents with these schemas; `undefined` is a type without a schema. */
const answering = (contents: Readonly<Record<string, object | undefined>>, more: object = {}): object => ({
  get: {
    responses: {
      200: {
        description: 'ok',
        content: Object.fromEntries(Object.entries(contents).map(([type, schema]) => [type, schema ? { schema } : {}])),
        ...more,
      },
    },
  },
})

const taking = (contents: Readonly<Record<string, object>>): object => ({
  post: {
    requestBody: {
      required: true,
      content: Object.fromEntries(Object.entries(contents).map(([type, schema]) => [type, { schema }])),
    },
    responses: { 204: { description: 'ok' } },
  },
})

const document = documentOf({
  '/mixed': answering({ 'application/json': row, 'text/csv': text, 'application/pdf': bytes }),
  '/versions': answering({ 'application/json; version=1': row, 'application/json; version=2': two }),
  '/plain-and-version': answering({ 'application/json': row, 'application/json;version=2': two }),
  '/suffixes': answering({ 'application/vnd.a+json': row, 'application/vnd.b+json': two }),
  '/alike': answering({ 'application/json': row, 'text/json': row, 'application/problem+json': row }),
  '/image': answering({ 'image/*': bytes }),
  '/texts': answering({ 'text/*': text }),
  '/json-suffix': answering({ 'application/*+json': row }),
  '/any-beside': answering({ 'application/json': row, '*/*': bytes }),
  '/lines': answering({ 'application/json': { type: 'array', items: row }, 'application/x-ndjson': row }),
  '/charset': answering({ 'text/plain; charset=utf-8': text, 'application/json; charset=utf-8': row }),
  '/with-headers': answering(
    { 'application/json': row, 'text/csv': text },
    { headers: { 'X-Count': { schema: { type: 'integer' } } } },
  ),
  '/xml': answering({ 'application/json': row, 'application/xml': row, 'text/plain': row }),
  '/xml-text': answering({ 'application/json': row, 'application/xml': text }),
  '/body-versions': taking({
    'application/json; version=1': object({ id: { type: 'integer', default: 3 } }),
    'application/json; version=2': two,
  }),
  '/body-texts': taking({ 'text/*': text, 'application/json': row }),
  '/body-suffix': taking({
    'application/xml': text,
    'application/*+json': { type: 'object', properties: { id: { type: 'integer', default: 3 } } },
  }),
  '/body-any': taking({ '*/*': bytes }),
})

let wire: Wire
beforeAll(async () => void (wire = await connectedDocument(document)))
afterAll(() => removeFolder(wire.folder))

const accepted = (): string | null => wire.sent.at(-1)?.headers.get('accept') ?? null

/** Returns an answer with its body as text. */
async function textOf(answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || !('body' in answer)) return answer
  const { body, ...rest } = answer
  return { ...rest, body: body instanceof ReadableStream ? await new Response(body).text() : body }
}

describe('an answer with several media types', () => {
  test.each([
    ['getMixed', { contentType: 'application/json', body: { id: 1 } }],
    ['getMixed', { contentType: 'text/csv', body: 'id\n1' }],
    ['getVersions', { contentType: 'application/json; version=1', body: { id: 1 } }],
    ['getVersions', { contentType: 'application/json; version=2', body: { id: '1', more: true } }],
    ['getPlainAndVersion', { contentType: 'application/json', body: { id: 1 } }],
    ['getPlainAndVersion', { contentType: 'application/json;version=2', body: { id: '1', more: true } }],
    ['getSuffixes', { contentType: 'application/vnd.b+json', body: { id: '1', more: false } }],
    ['getImage', { contentType: 'image/png', body: new Blob(['png']), read: 'png' }],
    ['getMixed', { contentType: 'application/pdf', body: new Blob(['pdf']), read: 'pdf' }],
    ['getTexts', { contentType: 'text/html', body: '<p>é' }],
    ['getJsonSuffix', { contentType: 'application/geo+json', body: { id: 2 } }],
    ['getAnyBeside', { contentType: 'application/json', body: { id: 2 } }],
    ['getAnyBeside', { contentType: 'video/mp4', body: new Blob(['mp4']), read: 'mp4' }],
    ['getCharset', { contentType: 'text/plain; charset=utf-8', body: 'ü' }],
    ['getCharset', { contentType: 'application/json; charset=utf-8', body: { id: 1 } }],
    ['getXmlText', { contentType: 'application/xml', body: '<a/>' }],
  ] as const)('%s arrives as the handler chose: %j', async (operation, { read, ...answer }: Chosen) => {
    const got = await textOf(await wire.answered(operation, {}, answer))
    expect(got).toEqual(read === undefined ? answer : { ...answer, body: read })
  })

  interface Chosen {
    readonly contentType: string
    readonly body: unknown
    readonly read?: string
  }

  test('streams its items', async () => {
    const items = async function* () {
      yield { id: 1 }
      yield { id: 2 }
    }
    const answer = await wire.answered('getLines', {}, { contentType: 'application/x-ndjson', body: items() })
    if (typeof answer !== 'object' || answer === null || !('body' in answer)) throw new Error('no body')
    const read: unknown[] = []
    for await (const item of answer.body as AsyncIterable<unknown>) read.push(item)
    expect(read).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('is a member of a reply with headers', async () => {
    const answer = { status: 200, headers: { 'X-Count': 2 }, body: { contentType: 'text/csv', body: 'a' } }
    expect(await wire.answered('getWithHeaders', {}, answer)).toEqual(answer)
  })

  test.each([
    ['getMixed', 'text/csv, application/pdf, application/json'],
    ['getVersions', 'application/json; version=1, application/json; version=2, application/json'],
    ['getImage', 'image/*, application/json'],
    ['getAnyBeside', '*/*, application/json'],
    ['getAlike', 'application/json'],
    ['getXml', 'application/json'],
  ])('is asked for with all its types: %s', async (operation, accept) => {
    await Promise.allSettled([wire.answered(operation, {}, {})])
    expect(accepted()).toBe(accept)
  })

  test.each([
    ['with other parameters', 'getVersions', 'application/json;profile=x; version="2"', 'application/json; version=2'],
    ['in upper case', 'getMixed', 'APPLICATION/JSON', 'application/json'],
    ['without the parameter', 'getVersions', 'application/json', 'application/json; version=1'],
    ['without a type', 'getMixed', undefined, 'application/json'],
  ])('is read by its content type %s', async (_, operation, sent, contentType) => {
    const response = new Response(new Blob(['{"id":1}']), {
      headers: sent === undefined ? {} : { 'content-type': sent },
    })
    expect(await wire.replied(operation, {}, response)).toEqual({ contentType, body: { id: 1 } })
  })

  test.each(['getMixed', 'getVersions', 'getImage'])(
    '%s with an undeclared content type is refused',
    async operation => {
      const response = new Response('x', { headers: { 'content-type': 'application/x-other' } })
      await expect(wire.replied(operation, {}, response)).rejects.toMatchObject({ reason: 'ANSWER_INVALID' })
    },
  )

  test('that the handler does not declare is a defect of the server', async () => {
    const call = wire.answered('getMixed', {}, { contentType: 'text/html', body: 'x' })
    await expect(call).rejects.toMatchObject({ reason: 'INTERNAL' })
  })

  test.each([
    ['text/html', 406],
    ['text/html, text/csv;q=0.1', 200],
    ['application/*', 200],
    ['application/json;q=0, */*;q=0.5', 200],
    ['application/json;q=0, text/csv; q=0.0, application/pdf;q=0', 406],
    ['*/*', 200],
    ['', 200],
    ['nonsense', 406],
  ])('to a caller that accepts "%s" has the status %d', async (accept, status) => {
    await Promise.allSettled([wire.answered('getMixed', {}, { contentType: 'text/csv', body: 'a' })])
    const reached = wire.reached.length
    const response = await wire.host(new Request('http://service.test/mixed', { headers: { accept } }))
    expect(response.status).toBe(status)
    expect(wire.reached.length - reached).toBe(status === 200 ? 1 : 0)
  })
})

describe('a body with several media types', () => {
  const given = (id: unknown) => ({ body: { contentType: 'application/json; version=1', body: id } })

  test('is told apart by parameters, and completed', async () => {
    expect(await wire.call('postBodyVersions', given({}))).toEqual(given({ id: 3 }))
    const second = { body: { contentType: 'application/json; version=2', body: { id: 'a', more: true } } }
    expect(await wire.call('postBodyVersions', second)).toEqual(second)
  })

  test.each([
    ['application/json;version=3', 400],
    ['application/json;version=2', 204],
    ['application/json', 400],
  ])('of the content type %s has the status %d', async (type, status) => {
    await Promise.allSettled([wire.answered('postBodyVersions', given({}), undefined)])
    const body = JSON.stringify({ id: 'a', more: true })
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    expect((await wire.host(new Request('http://service.test/body-versions', init))).status).toBe(status)
  })

  test.each([
    ['postBodyTexts', { contentType: 'text/markdown', body: '# é' }],
    ['postBodyTexts', { contentType: 'application/json', body: { id: 1 } }],
    ['postBodySuffix', { contentType: 'application/xml', body: '<a/>' }],
    ['postBodySuffix', { contentType: 'application/geo+json', body: { id: 4 } }],
  ])('%s arrives as sent: %j', async (operation, body) => {
    expect(await wire.call(operation, { body })).toEqual({ body })
  })

  test('gets the defaults of a range', async () => {
    const sent = { body: { contentType: 'application/geo+json', body: {} } }
    expect(await wire.call('postBodySuffix', sent)).toEqual({ body: { ...sent.body, body: { id: 3 } } })
  })

  test('of any type takes bytes of any content type', async () => {
    await Promise.allSettled([wire.answered('postBodyAny', { body: new Blob(['a']) }, undefined)])
    expect(wire.sent.at(-1)?.headers.get('content-type')).toBe('application/octet-stream')
    const init = { method: 'POST', body: 'png', headers: { 'content-type': 'image/png' } }
    expect((await wire.host(new Request('http://service.test/body-any', init))).status).toBe(204)
  })
})

describe('text in another charset than UTF-8', () => {
  test('is read by a client by the charset that its server names', async () => {
    const latin = new Response(new Uint8Array([0xe9]), { headers: { 'content-type': 'text/csv; charset=iso-8859-1' } })
    expect(await wire.replied('getMixed', {}, latin)).toEqual({ contentType: 'text/csv', body: 'é' })
    const unknown = new Response(new Uint8Array([0xc3, 0xa9]), {
      headers: { 'content-type': 'text/csv; charset=x-none' },
    })
    expect(await wire.replied('getMixed', {}, unknown)).toEqual({ contentType: 'text/csv', body: 'é' })
  })
})

describe('the messages about media types', () => {
  test.each([
    ['*/*', { type: 'object' }, 'note media-type-any: "*/*" is read as JSON'],
    ['*/*', text, 'note media-type-any: "*/*" is read as text'],
    ['*/*', bytes, 'note media-type-any: "*/*" is read as bytes'],
    ['*/*', { type: 'string', format: 'byte' }, 'note media-type-any: "*/*" is read as bytes'],
    [
      'application/json',
      bytes,
      'warning media-type-binary: "application/json" of format "binary" is passed on as bytes',
    ],
    ['text/plain; charset=latin1', text, 'warning media-type-charset: "text/plain; charset=latin1" is sent with'],
  ])('%s with %j: %s', async (type, schema, message) => {
    const printed = await generationOf(documentOf({ '/a': answering({ [type]: schema }) }))
    expect(printed.filter(line => line.includes('media-type'))).toEqual([expect.stringContaining(message)])
  })

  test('name the types that are left out beside others', async () => {
    const printed = await generationOf(documentOf({ '/a': answering({ 'application/json': row, 'text/xml': row }) }))
    expect(printed.filter(line => line.includes('media-type'))).toEqual([
      expect.stringContaining('only "application/json" is generated; left out: "text/xml"'),
    ])
  })
})
