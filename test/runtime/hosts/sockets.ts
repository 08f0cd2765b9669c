import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { Dispatch } from '../../../runtime/wire.ts'
import { madeService } from '../made-service.ts'

/** Serves on a free port of 127.0.0.1; a request may take `patienceMs` to arrive. */
export type Listen = (dispatch: Dispatch, patienceMs?: number) => Promise<{ readonly port: number } & AsyncDisposable>

/**
 * Sends bytes, keeps the connection open, and returns the text that the server sends until it closes the connection.
 */
export const talk = async (socket: Socket, ...parts: readonly (string | Uint8Array)[]): Promise<string> => {
  for (const part of parts) socket.write(part)
  return text(socket)
}

/** Declares the tests of every socket host about incoming bytes, and about callers that are slow or disconnect. */
export function socketContract(name: string, listen: Listen): void {
  describe(`${name}: over raw sockets`, () => {
    const serve = async (patienceMs?: number) => {
      const service = madeService()
      const { port, ...served } = await listen(service.dispatch, patienceMs)
      const open = async (): Promise<Socket> => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        await new Promise<void>(resolve => socket.once('connect', resolve))
        return socket
      }
      return { service, open, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
    }

    const close = 'Connection: close\r\n'
    const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${more}\r\n`
    const post = (headers: string, body: string) =>
      `POST /made/v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${body}`
    const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

    test.each<readonly [what: string, sent: string, status: number, expected: string]>([
      ['GET /o/%zz', get('/o/%zz', close), 404, 'ROUTE_NOT_FOUND'],
      ['broken encoding in an id', get('/made/v1/things/%zz', close), 400, 'FIELD_INVALID'],
      ['a raw byte beyond ASCII in the path', get('/made/v1/things/\xe9', close), 400, 'FIELD_INVALID'],
      ['a NUL in the query', get('/made/v1/things?filter=%00', close), 400, 'FILTER_INVALID'],
      ['dots', get('/made/v1/../v1/things', close), 404, 'ROUTE_NOT_FOUND'],
      ['absolute form', get('http://a/made/v1/things/1', close), 200, '"path":"/made/v1/things/1"'],
      ['asterisk form', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}\r\n`, 404, 'ROUTE_NOT_FOUND'],
      ['no host', `GET /nope HTTP/1.1\r\n${close}\r\n`, 400, '"field":"Host"'],
      ['two hosts', get('/made/v1/things/1', `Host: a\r\n${close}`), 400, '"field":"Host"'],
      ...['a b', 'a/b', 'a@b', 'a:b', '[a', 'a,b\\', 'http://a', 'a\xe9', '%zz', 'a%4', '[127.0.0.1]', '[::1]a'].map(
        host =>
          [
            `the host ${host}`,
            `GET /made/v1/things/1 HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`,
            400,
            '"field":"Host"',
          ] as const,
      ),
      ...['', 'a:', 'a:80', 'a.example', '127.0.0.1:8080', '[::1]:8080', 'a_b', '%41'].map(
        host =>
          [
            `the host "${host}"`,
            `GET /made/v1/things/1 HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`,
            200,
            '"id"',
          ] as const,
      ),
      ['HTTP/1.0', 'GET /nope HTTP/1.0\r\n\r\n', 404, 'ROUTE_NOT_FOUND'],
      ['a URL of 17 KiB', get(`/made/v1/things/${'x'.repeat(17_000)}`, close), 400, 'FIELD_INVALID'],
      ['headers of 100 KiB', get('/made/v1/things/1', `X: ${'x'.repeat(100_000)}\r\n`), 431, 'FIELD_INVALID'],
      ['an unknown method', 'NOPE /made/v1/things HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'FIELD_INVALID'],
      [
        'a method that is known elsewhere',
        `PROPFIND /made/v1/things HTTP/1.1\r\nHost: a\r\n${close}\r\n`,
        405,
        'ROUTE_NOT_FOUND',
      ],
      ['no HTTP', 'hello\r\n\r\n', 400, 'FIELD_INVALID'],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'FIELD_INVALID'],
      ['two lengths', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), 400, 'FIELD_INVALID'],
      ['length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '{}'), 400, 'FIELD_INVALID'],
      ['a bad chunk', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n'), 400, 'FIELD_INVALID'],
      [
        'two content types',
        post(`Content-Type: text/plain\r\nContent-Length: 2\r\n${close}`, '{}'),
        400,
        'FIELD_INVALID',
      ],
      ['a header called __proto__', get('/made/v1/things/1', `__proto__: x\r\n${close}`), 200, '"id"'],
    ])('%s has a response in the form of the platform', async (_what, sent, status, expected) => {
      await using served = await serve()
      const socket = await served.open()
      const answer = await talk(socket, Buffer.from(sent, 'latin1'))
      expect([statuses(answer), answer]).toEqual([[status], expect.stringContaining(expected)])
      expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i)
    })

    test.each([
      ['gzip', 'Content-Encoding: gzip\r\n', 'Content-Encoding', 'identity'],
      ['an unknown encoding', 'Content-Encoding: x\r\n', 'Content-Encoding', 'identity'],
      ['two encodings', 'Content-Encoding: identity, gzip\r\n', 'Content-Encoding', 'identity'],
      ['latin1', 'Content-Type: application/json; charset=latin1\r\n', 'Content-Type', undefined],
      ['a quoted charset', 'Content-Type: application/json;charset="UTF-16"\r\n', 'Content-Type', undefined],
    ])('a body in %s is refused with 415 and the accepted form', async (_what, header, field, accepted) => {
      await using served = await serve()
      const type = header.startsWith('Content-Type') ? '' : 'Content-Type: application/json\r\n'
      const head = `POST /made/v1/things HTTP/1.1\r\nHost: a\r\n${type}${header}Content-Length: 12\r\n${close}`
      const answer = await talk(await served.open(), `${head}\r\n{"name":"a"}`)
      expect([statuses(answer), answer]).toEqual([[415], expect.stringContaining(`"field":"${field}"`)])
      expect(/\r\naccept-encoding: (.*)\r\n/i.exec(answer)?.[1]).toBe(accepted)
    })

    test.each(['Content-Encoding: identity', 'Content-Encoding: Identity', 'Accept-Encoding: gzip'])(
      'a body with %s is read',
      async header => {
        await using served = await serve()
        expect(
          statuses(
            await talk(await served.open(), post(`${header}\r\nContent-Length: 12\r\n${close}`, '{"name":"a"}')),
          ),
        ).toEqual([200])
      },
    )

    test.each([
      ['a compressed body', 'POST /made/v1/things HTTP/1.1\r\nContent-Encoding: gzip\r\n', 415],
      ['a faulty parameter', 'PATCH /made/v1/things/1?nope=1 HTTP/1.1\r\n', 400],
      ['a body that is too large', 'POST /made/v1/things HTTP/1.1\r\n', 400],
      ['another content type', 'POST /made/v1/things HTTP/1.1\r\nContent-Type: text/csv\r\n', 400],
      ['an unknown path', 'POST /nope HTTP/1.1\r\n', 404],
    ])('a caller that expects 100 Continue is refused first for %s', async (what, head, status) => {
      await using served = await serve()
      const socket = await served.open()
      const type = head.includes('Content-Type') ? '' : 'Content-Type: application/json\r\n'
      const length = what.includes('large') ? 2_000_000 : 12
      socket.write(`${head}Host: a\r\n${type}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`)
      const answer = await new Promise<Buffer>(resolve => socket.once('data', resolve))
      expect(statuses(answer.toString())).toEqual([status])
      socket.destroy()
    })

    test('a body with a length that is too large is refused before it arrives', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(post('Content-Length: 99999999999\r\n', ''))
      const answer = await new Promise<Buffer>(resolve => socket.once('data', resolve))
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*at most 1048576 bytes/s)
      socket.destroy()
    })

    test('a chunked body without end is refused as soon as it is too large', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(post('Transfer-Encoding: chunked\r\n', ''))
      const answer = new Promise<Buffer>(resolve => socket.once('data', resolve))
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
      for (let sent = 0; sent < 17; sent += 1) socket.write(chunk)
      expect((await answer).toString()).toMatch(/^HTTP\/1\.1 400 .*at most 1048576 bytes/s)
      socket.destroy()
    })

    test.each([
      ['headers', 'GET /made/v1/things/1 HTTP/1.1\r\nHost: a\r\n'],
      ['a body', post('Content-Length: 100\r\n', '{')],
    ])('a caller that takes too long to send %s gets a response about the timeout', async (_what, sent) => {
      await using served = await serve(50)
      expect(await talk(await served.open(), sent)).toMatch(/^HTTP\/1\.1 408 .*"FIELD_INVALID"/s)
    })

    test('pipelined requests get responses in order', async () => {
      await using served = await serve()
      const body = '{"name":"a"}'
      const answers = await talk(
        await served.open(),
        get('/made/v1/things/first') +
          post(`Content-Length: ${body.length}\r\n`, body) +
          post('Content-Length: 2\r\n', 'no'),
        get('/nope') + get('/made/v1/things/last', close),
      )
      expect(statuses(answers)).toEqual([200, 200, 400, 404, 200])
      expect(answers.indexOf('"first"')).toBeLessThan(answers.indexOf('"last"'))
    })

    test('a request after a body that was refused unread gets a response on the same connection', async () => {
      await using served = await serve()
      const large = 'x'.repeat(1_200_000)
      const answers = await talk(
        await served.open(),
        post(`Content-Length: ${large.length}\r\n`, large),
        `POST /nope HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
        get('/made/v1/things/1', close),
      )
      expect(statuses(answers)).toEqual([400, 404, 200])
    })

    test('a request after a chunked body that was refused half-read gets a response on the same connection', async () => {
      await using served = await serve()
      const chunks = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(40)
      const answers = await talk(
        await served.open(),
        post('Transfer-Encoding: chunked\r\n', `${chunks}0\r\n\r\n`),
        get('/made/v1/things/1', close),
      )
      expect(statuses(answers)).toEqual([400, 200])
    })

    test('garbage after a request is refused without an effect on its response', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(get('/made/v1/things/1'))
      await new Promise(resolve => socket.once('data', resolve))
      expect(statuses(await talk(socket, 'garbage\r\n\r\n'))).toEqual([400])
    })

    test('a caller that has closed its side still gets its response', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.end(get('/made/v1/things/1'))
      expect(statuses(await text(socket))).toEqual([200])
    })

    test('a body that arrives byte by byte is read', async () => {
      await using served = await serve()
      const socket = await served.open()
      const body = Buffer.from('{"name":"ä😀"}')
      socket.setNoDelay(true)
      socket.write(post(`Content-Length: ${body.length}\r\n${close}`, ''))
      for (const byte of body)
        await new Promise<void>(resolve => socket.write(Uint8Array.of(byte), () => setImmediate(resolve)))
      const answer = await text(socket)
      expect(answer).toContain('"name":"ä😀"')
    })

    test.each([
      ['half a body', post('Content-Length: 100\r\n', '{"name":'), (socket: Socket) => socket.destroy()],
      ['half a body, reset', post('Content-Length: 100\r\n', '{"name":'), (socket: Socket) => socket.resetAndDestroy()],
      ['half a body, half closed', post('Content-Length: 100\r\n', '{"name":'), (socket: Socket) => socket.end()],
      [
        'half an upload',
        'PUT /files/a HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nContent-Type: application/octet-stream\r\n\r\nx',
        (socket: Socket) => socket.destroy(),
      ],
    ])('%s ends the call, which is not an error of the server', async (_what, sent, leave) => {
      await using served = await serve()
      const socket = await served.open()
      socket.on('error', () => undefined)
      socket.write(sent, () => leave(socket))
      const entry = await served.service.logged()
      expect(entry).toMatchObject({ status: 499, reason: 'CANCELLED' })
      expect(entry).not.toHaveProperty('error')
    })

    test('a slow reader slows the producer down', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.pause()
      socket.write(get('/files/endless.bin'))
      const { endless } = served.service
      let before = -1
      while (endless.pulled === 0 || endless.pulled !== before) {
        before = endless.pulled
        for (let turn = 0; turn < 200; turn += 1) await new Promise(resolve => setImmediate(resolve))
      }
      expect(before).toBeGreaterThan(0)
      socket.destroy()
      expect(await served.service.logged()).toMatchObject({ status: 200, reason: 'CANCELLED' })
      expect(endless.stopped).toBe(true)
    })

    test('an answer has the length of its bytes, not of its characters', async () => {
      await using served = await serve()
      const body = '{"name":"äöü😀"}'
      const answer = await talk(
        await served.open(),
        post(`Content-Length: ${Buffer.byteLength(body)}\r\n${close}`, body),
      )
      const [head = '', sent = ''] = answer.split('\r\n\r\n')
      expect(head).toContain(`content-length: ${Buffer.byteLength(sent)}`)
    })
  })
}
