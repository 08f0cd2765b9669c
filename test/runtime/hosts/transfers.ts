import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import { filledStream, plainText, rawBytes } from '../../../runtime/body.ts'
import { dispatcher } from '../../../runtime/call.ts'
import { ApiError, commonReasons } from '../../../runtime/errors.ts'
import type { LogEntry } from '../../../runtime/outcome.ts'
import type { BoundRoute } from '../../../runtime/route.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { route } from '../routes.ts'
import { talk, type Listen } from './sockets.ts'

type Body = { readonly body: ReadableStream<Uint8Array<ArrayBuffer>> }

const bytes = { type: '*/*', kind: rawBytes, required: true } as const
const anyAnswer = {
  success: [{ status: 'default', type: 'application/octet-stream', kind: rawBytes }],
  replies: true,
} as const

/** The observed facts of a service's streams. */
interface Seen {
  readonly log: LogEntry[]
  /** The number of bytes that the handler of an upload has read. */
  taken: number
  /**
   * The number of pieces that a download has produced. `isClosed` is true after the reader has cancelled the stream.
   */
  pulled: number
  isClosed: boolean
  signal: AbortSignal | undefined
  /** Releases the handler of `/late`. */
  release: () => void
}

/** Whether downloads allocate their chunks, or fill buffers of their reader. */
type Kind = 'allocated' | 'filled'

/** Makes a service with uploads and downloads, which records its streams in `seen`. */
function transferService(kind: Kind): { readonly dispatch: Dispatch; readonly seen: Seen } {
  const seen: Seen = { log: [], taken: 0, pulled: 0, isClosed: false, signal: undefined, release: () => {} }
  const take = async ({ body }: Body): Promise<{ size: number }> => {
    for await (const chunk of body) seen.taken += chunk.length
    return { size: seen.taken }
  }
  const download = (size: number, failsAt = Infinity): ReadableStream<Uint8Array<ArrayBuffer>> => {
    let left = size
    const nextLength = (): number => {
      if (left === 0) return 0
      seen.pulled += 1
      if (seen.pulled > failsAt) throw new Error('the disk is gone')
      const length = Math.min(left, 10)
      left -= length
      return length
    }
    const cancel = async (): Promise<void> => void (seen.isClosed = true)
    if (kind === 'filled') return filledStream(async view => view.subarray(0, nextLength()).fill(0), cancel)
    const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
      const length = nextLength()
      if (length === 0) controller.close()
      else controller.enqueue(new Uint8Array(length))
    }
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  }
  const of = (name: string, run: () => Promise<object>): BoundRoute =>
    bind({ ...route('GET', [`/${name}`], { operationId: name }), ...anyAnswer }, run)
  const routes = [
    bind({ ...route<Body, object>('PUT', ['/any']), body: bytes }, async (request, { signal }) => {
      seen.signal = signal
      return take(request)
    }),
    bind({ ...route<Body, object>('PUT', ['/small']), body: { ...bytes, maxBytes: 1000 } }, take),
    bind(
      {
        ...route<{ readonly body: string }, object>('PUT', ['/note']),
        body: { type: 'text/plain', kind: plainText, required: true, maxBytes: 4 },
      },
      async ({ body }) => ({ body }),
    ),
    bind({ ...route<Body, object>('PUT', ['/refused']), body: bytes }, async () => {
      throw new ApiError(commonReasons.FIELD_INVALID, 'not this')
    }),
    bind({ ...route<Body, object>('PUT', ['/answered']), ...anyAnswer, body: bytes }, async () => ({
      status: 200,
      headers: { 'content-length': '20' },
      body: download(20),
    })),
    bind({ ...route('GET', ['/late']), ...anyAnswer }, async (_, { signal }) => {
      seen.signal = signal
      await new Promise<void>(resolve => (seen.release = resolve))
      return { status: 200, body: download(95) }
    }),
    of('whole', async () => ({ status: 200, headers: { 'content-length': '95' }, body: download(95) })),
    of('range', async () => ({
      status: 206,
      headers: { 'content-length': '10', 'content-range': 'bytes 0-9/95' },
      body: download(10),
    })),
    of('beyond', async () => ({ status: 416, headers: { 'content-range': 'bytes */95' } })),
    of('unchanged', async () => ({ status: 304, headers: { etag: '"1"' } })),
    of('short', async () => ({ status: 200, headers: { 'content-length': '96' }, body: download(95) })),
    of('long', async () => ({ status: 200, headers: { 'content-length': '94' }, body: download(95) })),
    of('broken', async () => ({ status: 200, headers: { 'content-length': '95' }, body: download(95, 3) })),
    of('brokenChunks', async () => ({ status: 200, body: download(95, 3) })),
  ]
  const dispatch = dispatcher({
    routes,
    doors: { authenticate: async () => undefined, authorize: async () => {} },
    clock: { now: () => 0, newId: () => 'id' },
    domains: { outside: { name: 'ninefold', base: 0 } },
    log: entry => seen.log.push(entry),
  })
  return { dispatch, seen }
}

/** Declares the tests of every socket host about streams of bytes. */
export function transferContract(name: string, listen: Listen): void {
  describe.each<Kind>(['allocated', 'filled'])(`${name}: bytes both ways, %s`, kind => {
    const serve = async () => {
      const { dispatch, seen } = transferService(kind)
      const { port, ...served } = await listen(dispatch)
      const open = async (): Promise<Socket> => {
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
        await once(socket, 'connect')
        return socket
      }
      return { seen, open, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() }
    }
    const ask = (line: string, ...headers: readonly string[]): string =>
      `${[`${line} HTTP/1.1`, 'host: a', ...headers].join('\r\n')}\r\n\r\n`
    const last = 'connection: close'
    const next = async (socket: Socket): Promise<string> => {
      const [data]: Buffer[] = await once(socket, 'data')
      return String(data)
    }
    const chunked = (size: number): string => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`

    test.each([
      ['its length', ['content-length: 1001'], '', 0],
      ['its chunks', ['transfer-encoding: chunked'], chunked(600) + chunked(600), 600],
    ])('a body above the limit of its route is refused by %s, before its end', async (_, headers, body, taken) => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('PUT /small', ...headers) + body)
      expect(await next(socket)).toMatch(/^HTTP\/1\.1 413 [^]*body must have at most 1000 bytes[^]*"FIELD_INVALID"/)
      expect(served.seen.taken).toBeLessThanOrEqual(taken)
      expect(served.seen.log).toMatchObject([{ status: 413, reason: 'FIELD_INVALID' }])
      socket.destroy()
    })

    test.each([
      ['content-length: 1000', 'x'.repeat(1000)],
      ['transfer-encoding: chunked', `${chunked(500)}${chunked(500)}0\r\n\r\n`],
    ])('a body at the limit of its route is accepted: %s', async (header, body) => {
      await using served = await serve()
      const answer = await talk(await served.open(), ask('PUT /small', header, last) + body)
      expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\{"size":1000\}$/)
    })

    test('the limit of a route applies to text too', async () => {
      await using served = await serve()
      const put = (text: string) =>
        ask('PUT /note', 'content-type: text/plain', `content-length: ${text.length}`) + text
      expect(await next((await served.open()).setNoDelay().end(put('abcd')))).toMatch(/^HTTP\/1\.1 200 /)
      expect(await next((await served.open()).setNoDelay().end(put('abcde')))).toMatch(/^HTTP\/1\.1 413 /)
    })

    test('a caller that expects 100-continue gets it when the handler reads', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('PUT /any', 'content-length: 5', 'expect: 100-continue', last))
      expect(await next(socket)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
      expect(await talk(socket, 'hello')).toMatch(/^HTTP\/1\.1 200 [^]*\{"size":5\}$/)
    })

    test.each([
      ['an unknown path', 'PUT /nope', 404],
      ['a length that is too large', 'PUT /small', 413],
      ['a request that a handler refuses', 'PUT /refused', 400],
    ])('a caller that expects 100-continue never gets it for %s', async (_, line, status) => {
      await using served = await serve()
      const socket = await served.open()
      const answer = await talk(socket, ask(line, 'content-length: 100000', 'expect: 100-continue'))
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*^connection: close`, 'im'))
    })

    test('an endless refused body is read only up to a limit, and its connection is closed', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('PUT /refused', 'transfer-encoding: chunked'))
      expect(await next(socket)).toMatch(/^HTTP\/1\.1 400 /)
      const closed = new Promise(resolve => socket.once('close', resolve))
      const piece = chunked(1_000_000)
      const push = (): boolean => !socket.destroyed && socket.write(piece, () => setImmediate(push))
      push()
      await closed
      expect(socket.bytesWritten).toBeLessThan(200_000_000)
    })

    test('a refused body may still arrive after the end of its answer, which closes a last connection', async () => {
      await using served = await serve()
      const socket = await served.open()
      const [answered, ended, closed] = [next(socket), once(socket, 'end'), once(socket, 'close')]
      socket.write(ask('PUT /refused', 'content-length: 1000000', last))
      expect(await answered).toMatch(/^HTTP\/1\.1 400 /)
      await ended
      expect(socket.errored).toBeNull()
      socket.end('x'.repeat(1_000_000))
      await closed
      expect(socket.errored).toBeNull()
    })

    test('an unread body is discarded before the connection continues, even after a streamed response', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('PUT /answered', 'content-length: 100000'))
      expect(await next(socket)).toMatch(/^HTTP\/1\.1 200 /)
      const answer = await talk(socket, 'x'.repeat(100_000), ask('GET /beyond', last))
      expect(answer).toMatch(/HTTP\/1\.1 416 /)
    })

    test.each([
      ['/whole', 200, ['content-length: 95'], 95],
      ['/range', 206, ['content-length: 10', 'content-range: bytes 0-9/95'], 10],
      ['/beyond', 416, ['content-range: bytes */95', 'content-length: 0'], 0],
      ['/unchanged', 304, ['etag: "1"'], 0],
    ])('%s has status, headers and bytes of the handler', async (path, status, headers, length) => {
      await using served = await serve()
      const [head = '', body = ''] = (await talk(await served.open(), ask(`GET ${path}`, last))).split('\r\n\r\n')
      expect(head.split('\r\n')).toEqual(
        expect.arrayContaining([expect.stringContaining(`HTTP/1.1 ${status} `), ...headers]),
      )
      expect(body.length).toBe(length)
    })

    test('HEAD has the length of GET, no bytes, and closes the stream', async () => {
      await using served = await serve()
      const answer = await talk(await served.open(), ask('HEAD /whole', last))
      expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\ncontent-length: 95\r\n[^]*\r\n\r\n$/)
      expect(served.seen).toMatchObject({ pulled: 0, isClosed: true })
    })

    test.each([
      ['/short', 'fewer bytes than it said'],
      ['/long', 'more bytes than it said'],
      ['/broken', 'an error'],
      ['/brokenChunks', 'an error, without a length'],
    ])('%s, where the handler declares %s, is cut off and logged as a defect', async path => {
      await using served = await serve()
      const socket = await served.open()
      const answer = await talk(socket, ask(`GET ${path}`), ask('GET /beyond', last))
      const [, body = ''] = answer.split('\r\n\r\n')
      expect(answer).not.toMatch(/\r\n0\r\n|HTTP\/1\.1 416/)
      expect(body.length).toBeLessThan(96)
      const entry = served.seen.log.find(({ path: template }) => template === path)
      expect(entry).toMatchObject({ status: 200, code: 'INTERNAL', error: expect.any(Error) })
    })

    test('a disconnect before the response begins closes the stream', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('GET /late'))
      await expect.poll(() => served.seen.signal).toBeDefined()
      socket.destroy()
      await expect.poll(() => served.seen.signal?.aborted).toBe(true)
      served.seen.release()
      await expect.poll(() => served.seen.isClosed).toBe(true)
      expect(served.seen.pulled).toBe(0)
    })

    test('a disconnect during an upload aborts the call', async () => {
      await using served = await serve()
      const socket = await served.open()
      socket.write(ask('PUT /any', 'content-length: 100000') + 'x'.repeat(1000))
      await expect.poll(() => served.seen.taken).toBe(1000)
      expect(served.seen.signal?.aborted).toBe(false)
      socket.destroy()
      await expect.poll(() => served.seen.log).toMatchObject([{ status: 499, reason: 'CANCELLED' }])
      expect(served.seen.signal?.aborted).toBe(true)
    })
  })
}
