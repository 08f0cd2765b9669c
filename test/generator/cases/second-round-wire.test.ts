import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTransport } from '../../../runtime/transport.ts'
import { removeFolder, repository } from '../generation.ts'
import { connected, type Wire } from './wire.ts'

const folder = join(repository, 'test/cases/openapi-2')
const names = [
  'event-stream-line-ends',
  'head-with-content',
  'lower-case-schema-names',
  'operation-behind-a-ref/openapi',
  'same-path-other-names',
  'trailing-slash',
  'wildcard-media-type',
] as const

const wires = new Map<string, Wire>()
beforeAll(async () => {
  for (const name of names) wires.set(name, await connected(`${name}.yaml`, folder))
})
afterAll(() => wires.forEach(wire => removeFolder(wire.folder)))

function wireOf(name: (typeof names)[number]): Wire {
  const wire = wires.get(name)
  if (!wire) throw new Error(`${name} is not connected`)
  return wire
}

const sourceOf = ({ document, folder: root }: Wire, part: string): string =>
  readFileSync(join(root, document, `${part}.ts`), 'utf8')

const ask = (wire: Wire, method: string, path: string): Promise<Response> =>
  wire.host(new Request(`http://service.test${path}`, { method }))

async function bytesOf(stream: unknown): Promise<readonly number[]> {
  if (!(stream instanceof ReadableStream)) throw new Error('the answer is no stream')
  return [...new Uint8Array(await new Response(stream).arrayBuffer())]
}

describe('wildcard-media-type', () => {
  const pdf = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xff, 0xfe)
  const answer = (body: BodyInit, type: string): Response => new Response(body, { headers: { 'content-type': type } })

  test.each([
    ['a', 'image/png'],
    ['c', 'application/zip'],
    ['d', 'application/json'],
    ['e', 'application/pdf'],
  ])('%s is read as bytes, whatever its content type is: %s', async (operation, type) => {
    const got = await wireOf('wildcard-media-type').replied(operation, {}, answer(pdf, type))
    expect(await bytesOf(got)).toEqual([...pdf])
  })

  test.each(['a', 'c', 'd', 'e'])('%s is sent as bytes', async operation => {
    const got = await wireOf('wildcard-media-type').answered(operation, {}, pdf)
    expect(await bytesOf(got)).toEqual([...pdf])
  })

  test('b is text, of any content type', async () => {
    const wire = wireOf('wildcard-media-type')
    expect(await wire.replied('b', {}, answer('hello', 'text/plain'))).toBe('hello')
    expect(await wire.replied('b', {}, answer('"hello"', 'application/json'))).toBe('"hello"')
    expect(await wire.answered('b', {}, 'hello')).toBe('hello')
  })
})

describe('event-stream-line-ends', () => {
  const note = (text: string): string => `data: ${JSON.stringify({ text })}`
  const stream = (chunks: readonly Uint8Array<ArrayBuffer>[]): Response =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk)
          controller.close()
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  const encoder = new TextEncoder()

  async function textsOf(operation: string, response: Response): Promise<readonly unknown[]> {
    const items = await wireOf('event-stream-line-ends').replied(operation, {}, response)
    const found: unknown[] = []
    for await (const { text } of items as AsyncIterable<{ readonly text: unknown }>) found.push(text)
    return found
  }

  test.each(['\n', '\r\n', '\r'])('lines that end with %j are read, in chunks of any size', async end => {
    const rows = [
      '\ufeff: comment',
      note('ü1'),
      '',
      `event: note`,
      note('2'),
      'id: 1',
      'retry: 5',
      '',
      note('unfinished'),
    ]
    const bytes = encoder.encode(rows.join(end))
    for (const size of [1, 2, 3, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.slice(i * size, (i + 1) * size),
      )
      expect(await textsOf('watch', stream(chunks))).toEqual(['ü1', '2'])
    }
  })

  test('data of several lines is joined, the blank after a colon is optional, and [DONE] ends the stream', async () => {
    const rows = ['data:{"text":', 'data: "1"}', '', 'data: [DONE]', '', note('after'), '', '']
    expect(await textsOf('watch', stream([encoder.encode(rows.join('\n'))]))).toEqual(['1'])
  })

  test.each(['watch', 'rows'])('what the server sends of %s arrives', async operation => {
    const items = async function* () {
      yield { text: 'a\nb\r\u2028' }
      yield { text: '' }
    }
    const got = await wireOf('event-stream-line-ends').answered(operation, {}, items())
    const found: unknown[] = []
    for await (const item of got as AsyncIterable<unknown>) found.push(item)
    expect(found).toEqual([{ text: 'a\nb\r\u2028' }, { text: '' }])
  })
})

describe('trailing-slash', () => {
  test.each([
    ['/rsc', 'withoutSlash', {}],
    ['/rsc/', 'withSlash', {}],
    ['/rsc/x', 'one', { a: 'x' }],
    ['/rsc/x/', 'oneSlash', { a: 'x' }],
    ['/rsc/x%2Fy', 'one', { a: 'x/y' }],
    ['/rsc/x%2F/', 'oneSlash', { a: 'x/' }],
  ])('%s is %s', async (path, operation, request) => {
    const wire = wireOf('trailing-slash')
    expect((await ask(wire, 'GET', path)).status).toBe(204)
    expect([wire.reached.at(-1), wire.given.at(-1)]).toEqual([operation, request])
    await wire.call(operation, request)
    expect(wire.sent.at(-1)?.url).toBe(`http://service.test${path}`)
  })

  test.each(['', '/'])('a base URL with "%s" at its end sends the same paths', async end => {
    const { document, folder: root } = wireOf('trailing-slash')
    const { TrailingSlashClient } = await import(pathToFileURL(join(root, document, 'client.ts')).href)
    const sent: string[] = []
    const fetch = async (url: string | URL | Request): Promise<Response> => {
      sent.push(String(url))
      return new Response(null, { status: 204 })
    }
    const client = new TrailingSlashClient(createTransport({ baseUrl: `http://service.test/base${end}`, fetch }))
    await client.withoutSlash()
    await client.withSlash()
    expect(sent).toEqual(['http://service.test/base/rsc', 'http://service.test/base/rsc/'])
  })
})

test('same-path-other-names serves each method by its own path, and refuses others with both', async () => {
  const wire = wireOf('same-path-other-names')
  await wire.call('getX', { id: '1' })
  await wire.call('delX', { other: '1' })
  expect(wire.reached.slice(-2)).toEqual(['getX', 'delX'])
  const refused = await ask(wire, 'PUT', '/x/1')
  expect([refused.status, refused.headers.get('allow')?.split(', ').toSorted()]).toEqual([405, ['DELETE', 'GET']])
})

test('head-with-content sends the length that the handler gave, and no byte', async () => {
  const wire = wireOf('head-with-content')
  await wire.answered('statBlob', { id: '1' }, { status: 200, headers: { ETag: '"1"', 'Content-Length': 1234 } })
  const answer = await ask(wire, 'HEAD', '/blobs/1')
  expect([answer.headers.get('content-length'), (await answer.arrayBuffer()).byteLength]).toEqual(['1234', 0])
})

test('operation-behind-a-ref generates the operation of the other file', () => {
  expect(sourceOf(wireOf('operation-behind-a-ref/openapi'), 'handlers')).toContain('readX(request: ReadXRequest')
  expect(sourceOf(wireOf('operation-behind-a-ref/openapi'), 'types')).toMatch(
    /interface ReadXRequest \{\n {2}n\?: number/,
  )
})

test('lower-case-schema-names has types in the case of TypeScript, with the names of the document', () => {
  const types = sourceOf(wireOf('lower-case-schema-names'), 'types')
  expect(types).toContain("/** The document names this schema 'payment_intent'. */\nexport interface PaymentIntent {")
  expect(types).toContain("/** The document names this schema 'pet'. */\nexport interface Pet {")
})
