import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { faultsOf, hosts, overNode, pieces } from './hosted.ts'
import { mediaService } from './service.ts'

const ndjson = { 'content-type': 'application/x-ndjson' }

describe.each(hosts)('streams of items over %s', (_name, host) => {
  const serve = async (options: Parameters<typeof mediaService>[0] = {}) => {
    const service = mediaService(options)
    const hosted = await host(service.dispatch)
    return { service, send: hosted.send, [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() }
  }

  test('JSON is sent an item a line, even text of a store', async () => {
    await using served = await serve()
    const answer = await served.send('GET', '/rows')
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    expect(await answer.text()).toBe('{"n":1,"unit":"ä\\n€"}\n{"n": 2}\n')
    expect(await (await served.send('GET', '/rows?how=none')).text()).toBe('')
  })

  test('events are sent one by one, and must not be cached', async () => {
    await using served = await serve()
    const answer = await served.send('GET', '/ticks')
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      'text/event-stream',
      'no-store',
    ])
    expect(await answer.text()).toBe('data: {"n":1,"unit":"ä\\n€"}\n\ndata: {"n":\ndata: 2}\n\n')
  })

  test('text of several lines is one event, with declared headers', async () => {
    await using served = await serve()
    const answer = await served.send('GET', '/log')
    expect(answer.headers.get('x-log')).toBe('yes')
    expect(await answer.text()).toBe('data: one\ndata: two\n\ndata: \n\ndata:  three\n\n')
  })

  test('complete events have their name, id and retry time', async () => {
    await using served = await serve()
    expect(await (await served.send('GET', '/changes')).text()).toBe(
      'event: made\nid: 7\nretry: 10\ndata: {"n":1}\n\ndata: {"n":2}\n\n',
    )
  })

  test('the first item arrives before the second exists', async () => {
    await using served = await serve()
    const reader = (await served.send('GET', '/ticks?how=gated')).body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe('data: {"n":1,"unit":""}\n\n')
    served.service.gate.open()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: {"n":2,"unit":""}\n\n')
    expect((await reader?.read())?.done).toBe(true)
    expect(await served.service.logged()).toMatchObject({ status: 200, reason: undefined })
  })

  test.each(['/rows', '/ticks'])('%s: a slow reader slows the producer down, and a disconnect ends it', async path => {
    await using served = await serve()
    const answer = await served.send('GET', `${path}?how=endless`)
    const reader = answer.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await served.service.producer.ended
    expect(served.service.producer.produced).toBeLessThan(1000)
    expect(await served.service.logged()).toMatchObject({ status: 200, reason: 'CANCELLED' })
  })

  test('HEAD ends the producer before its first item', async () => {
    await using served = await serve()
    const answer = await served.send('HEAD', '/rows?how=endless')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    expect(served.service.producer.produced).toBe(0)
  })

  test.each([
    ['broken', /disk error/],
    ['circular', /circular/],
  ])('a %s stream is cut off and logged as a defect', async (how, error) => {
    await using served = await serve()
    await expect(served.send('GET', `/rows?how=${how}`).then(answer => answer.text())).rejects.toThrow()
    const entry = await served.service.logged()
    expect([entry.reason, String(entry.error)]).toEqual(['INTERNAL', expect.stringMatching(error)])
  })

  test('items of a request arrive checked, with defaults', async () => {
    await using served = await serve()
    const body = '{"n":1}\r\n\n  \n{"n":2,"unit":"kg"}'
    const answer = await served.send('POST', '/rows', { body, headers: ndjson })
    expect(await answer.json()).toEqual({
      rows: [
        { n: 1, unit: 'm' },
        { n: 2, unit: 'kg' },
      ],
    })
  })

  test('a body cut anywhere has the same items', async () => {
    await using served = await serve()
    const bytes = new TextEncoder().encode('{"n":1,"unit":"ä€😀"}\r\n{"n":2,"unit":"x"}\n')
    const bytewise = pieces(...Array.from(bytes, byte => new Uint8Array([byte])))
    const answer = await served.send('POST', '/rows', { ...bytewise, headers: ndjson })
    expect((await answer.json()).rows).toEqual([
      { n: 1, unit: 'ä€😀' },
      { n: 2, unit: 'x' },
    ])
  })

  test('the body may be missing or empty', async () => {
    await using served = await serve()
    expect(await (await served.send('POST', '/rows')).json()).toEqual({ rows: 'none' })
    expect(await (await served.send('POST', '/rows', { body: '', headers: ndjson })).json()).toEqual({ rows: [] })
  })

  test.each<[what: string, body: string | Uint8Array<ArrayBuffer>, faults: Record<string, string>]>([
    ['a wrong item', '{"n":1}\n{"n":"2"}\n', { 'body[1].n': 'must be an integer' }],
    ['an item out of bounds', '{"n":-1}\n', { 'body[0].n': 'must be at least 0' }],
    ['an item that is not an object', '{"n":1}\n{"n":1}\n[]', { 'body[2]': 'must be an object' }],
    ['no JSON', '{"n":1}\n{"n":', { 'body[1]': 'must be valid JSON' }],
    ['deep JSON', `{"n":1,"x":${'['.repeat(20)}`, { 'body[0]': 'must be nested at most 9 deep' }],
    ['a byte that is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), { 'body[0]': 'must be valid UTF-8' }],
    ['half a character', new Uint8Array([0x20, 0x0a, 0xf0, 0x9f]), { 'body[0]': 'must be valid UTF-8' }],
    ['a long line', `{"n":1}\n${' '.repeat(101)}`, { 'body[1]': 'must have at most 100 characters' }],
    ['a long line with its end', `${' '.repeat(101)}\n`, { 'body[0]': 'must have at most 100 characters' }],
  ])('%s ends the read', async (_what, body, faults) => {
    await using served = await serve({ limits: { bodyBytes: 100, jsonDepth: 9 } })
    const answer = await served.send('POST', '/rows', { body, headers: ndjson })
    expect([answer.status, await faultsOf(answer)]).toEqual([400, faults])
  })

  test('the items together may exceed the limit of one', async () => {
    await using served = await serve({ limits: { bodyBytes: 100 } })
    const body = '{"n":1}\n'.repeat(1000)
    expect((await (await served.send('POST', '/rows', { body, headers: ndjson })).json()).rows).toHaveLength(1000)
  })

  test('a handler that stops early gets its response through, and the connection continues', async () => {
    await using served = await serve()
    const body = `{"n":99}\n${'{"n":1}\n'.repeat(200_000)}`
    expect(await (await served.send('POST', '/rows', { body, headers: ndjson })).json()).toEqual({ left: true })
    expect((await served.send('GET', '/rows')).status).toBe(200)
  })
})

describe('streams over raw sockets', () => {
  const post = (headers: string, body: string) =>
    `POST /rows HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n${headers}\r\n${body}`

  test('headers are sent before the first item exists', async () => {
    const service = mediaService()
    await using hosted = await overNode(service.dispatch)
    const socket = await hosted.open()
    socket.write('GET /ticks?how=late HTTP/1.1\r\nHost: a\r\n\r\n')
    const head = await new Promise<string>(resolve => socket.once('data', data => resolve(String(data))))
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n$/s)
    service.gate.open()
    socket.destroy()
  })

  test('a stalled reader stops the producer until its connection is lost', async () => {
    const service = mediaService()
    await using hosted = await overNode(service.dispatch)
    const socket = await hosted.open()
    socket.write('GET /rows?how=endless HTTP/1.1\r\nHost: a\r\n\r\n')
    await new Promise(resolve => socket.once('data', resolve))
    socket.pause()
    socket.destroy()
    await service.producer.ended
    expect(await service.logged()).toMatchObject({ reason: 'CANCELLED' })
    expect(service.producer.produced).toBeLessThan(1000)
  })

  test('a body that ends before its length does ends the call', async () => {
    const service = mediaService()
    await using hosted = await overNode(service.dispatch)
    const socket = await hosted.open()
    socket.write(post('Content-Length: 1000\r\n', '{"n":1}\n'))
    socket.end()
    await text(socket)
    expect(await service.logged()).toMatchObject({ operationId: 'importRows', status: 499, reason: 'CANCELLED' })
  })

  test('bytes beyond the length do not belong to the body', async () => {
    const service = mediaService()
    await using hosted = await overNode(service.dispatch)
    const socket = await hosted.open()
    socket.write(post('Content-Length: 8\r\n', '{"n":1}\n{"n":2}\n'))
    const answers = await text(socket)
    expect(answers).toContain('HTTP/1.1 400 Bad Request')
    expect(answers).not.toContain('"n":2')
  })
})
