import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { HttpLimits } from '../../../server/http/limits.ts'
import { readExposition, valueOf } from '../health/exposition-format.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { rawExchange, testServer } from './harness.ts'
import { testToken } from '../access/test-access.ts'

async function served(limits: Partial<HttpLimits> = {}, area = sampleArea()) {
  const dataDir = testFolder()
  const { url } = await testServer([area], dataDir, { limits })
  const authorization = `Bearer ${testToken}`
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, { ...init, headers: { authorization, 'content-type': 'application/json' } })
  const number = async (name: string, labels = {}): Promise<number> =>
    valueOf(readExposition(await (await fetch(`${url}/metrics`)).text()), name, labels)
  return { url, authorization, call, number }
}

async function opened(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Returns the text that the server sends until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'close')
  return text
}

const late = {
  details: [{ reason: 'FIELD_INVALID', domain: 'ninefold' }, { field_violations: [{ field: 'request' }] }],
}

function expectRefusal(answer: string, status: number, body: object): void {
  const [head = '', content = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toMatch(/^x-request-id: [0-9a-f]{8}-[0-9a-f]{4}-7/m)
  expect(head).toMatch(/^traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-00/m)
  expect(head).toMatch(/^connection: close/im)
  expect(JSON.parse(content)).toMatchObject(body)
}

describe('a request that is refused before its dispatch', () => {
  it.each<[string, string, number, string]>([
    ['no HTTP', 'hello\r\n\r\n', 400, 'malformed'],
    ['two lengths', 'POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 400, 'malformed'],
    ['headers that are too large', `GET / HTTP/1.1\r\nx: ${'a'.repeat(60_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('has an id and is counted: %s', async (_name, sent, status, cause) => {
    const { url, number } = await served()
    const answer = await rawExchange(url, sent)
    expectRefusal(answer, status, { details: [{ reason: 'FIELD_INVALID' }, {}] })
    expect(await number('ninefold_http_refused_total', { cause })).toBe(1)
  })
})

describe('a slow caller', () => {
  it.each<[string, readonly string[]]>([
    ['half of its headers', ['GET /healthz HTTP/1.1\r\nx: a']],
    ['one header after the other', ['GET /healthz HTTP/1.1\r\n', ...Array.from({ length: 99 }, () => 'x: a\r\n')]],
  ])('that sends %s gets 408', async (_name, pieces) => {
    const { url, number } = await served({ headersMs: 200 })
    const socket = await opened(url)
    const answer = received(socket)
    for (const piece of pieces) {
      if (socket.destroyed) break
      socket.write(piece)
      await pause(20)
    }
    expectRefusal(await answer, 408, late)
    expect(await number('ninefold_http_refused_total', { cause: 'timeout' })).toBe(1)
  })

  it('that sends nothing at all is disconnected', async () => {
    const { url, call } = await served({ requestMs: 200, keepAliveMs: 200, writeMs: 200 })
    await received(await opened(url))
    expect((await call('/healthz')).status).toBe(200)
  })

  it('that does not send the rest of a body gets 408, and blocks no other caller', async () => {
    const { url, authorization, call, number } = await served({ headersMs: 3000, requestMs: 3000, maxInFlight: 3 })
    const head = `POST /sample/v1/crates HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`
    const sockets = await Promise.all(Array.from({ length: 20 }, () => opened(url)))
    await expect.poll(() => number('ninefold_http_connections')).toBeGreaterThanOrEqual(sockets.length)
    const answers = sockets.map(received)
    for (const socket of sockets) {
      socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"name":`)
      // Requests that wait for their turn count, so each request begins before the next.
      await call('/healthz')
    }
    const created = await call('/sample/v1/crates', { method: 'POST', body: '{"name": "box"}' })
    expect(created.status).toBe(200)
    for (const answer of await Promise.all(answers)) expectRefusal(answer, 408, late)
    expect(await number('ninefold_http_in_work')).toBe(0)
    expect(await number('ninefold_http_refused_total', { cause: 'timeout' })).toBe(20)
  })

  it('that sends many requests and reads nothing gets few responses and is disconnected', async () => {
    const { url, number } = await served({ writeMs: 400 })
    const socket = await opened(url)
    socket.pause()
    const asked = 500
    socket.write('GET /reference/redoc.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(asked))
    await expect.poll(() => number('ninefold_http_refused_total', { cause: 'unread' })).toBe(1)
    const labels = { operation: 'referenceScript', code: 'OK' }
    expect(await number('ninefold_http_requests_total', labels)).toBeLessThan(asked / 10)
    expect(await number('ninefold_http_in_work')).toBe(0)
  })

  it('that reads slowly but steadily gets all responses', async () => {
    // The pauses make the read several times longer than `writeMs`; `writeMs` itself exceeds the stalls of a loaded
    // machine.
    const { url } = await served({ writeMs: 2000 })
    const socket = await opened(url)
    const asked = 36
    const each = (await (await fetch(`${url}/reference/redoc.js`)).arrayBuffer()).byteLength
    socket.write('GET /reference/redoc.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(asked))
    let bytes = 0
    for await (const chunk of socket) {
      bytes += chunk.length
      if (bytes > asked * each) break
      await pause(10)
    }
    expect(bytes).toBeGreaterThan(asked * each)
  })

  it('may pipeline requests, and gets the responses in order', async () => {
    const { url, authorization } = await served()
    const head = `host: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\n`
    const post = (name: string): string => {
      const body = JSON.stringify({ name })
      return `POST /sample/v1/crates HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`
    }
    const get = (id: string, more = ''): string => `GET /sample/v1/crates/${id} HTTP/1.1\r\n${head}${more}\r\n`
    const answer = await rawExchange(
      url,
      get('a') + post('b') + get('c') + post('d') + get('e', 'connection: close\r\n'),
    )
    const order = [...answer.matchAll(/"none of (\w)"|"resource_id"/g)].map(([text, id]) => id ?? text)
    expect(order).toEqual(['a', '"resource_id"', 'c', '"resource_id"', 'e'])
  })
})

describe('many callers', () => {
  it('all get responses when there is room', async () => {
    const { call, number } = await served()
    const names = Array.from({ length: 200 }, (_, index) => `box-${index}`)
    const answers = await Promise.all(
      names.map(name => call('/sample/v1/crates', { method: 'POST', body: JSON.stringify({ name }) })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await number('ninefold_http_requests_total', { operation: 'createCrate', code: 'OK' })).toBe(200)
    expect(await number('ninefold_http_in_work')).toBe(0)
  })

  it('are told to retry when there is no room, while health responds', async () => {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let slow = 0
    const wait = (): Promise<void> => {
      slow += 1
      if (slow === 3) reached.resolve()
      return released.promise
    }
    const { url, call, number } = await served({ maxInFlight: 3 }, sampleArea({ wait }))
    const slowly = [1, 2, 3].map(() => call('/sample/v1/crates/slow'))
    await reached.promise
    const answers = await Promise.all(Array.from({ length: 100 }, () => call('/sample/v1/crates')))
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(await answer.json()).toMatchObject({
        code: 14,
        details: [{ reason: 'ENGINE_UNAVAILABLE', domain: 'sample' }, {}],
      })
    }
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(url + path)).status).toBe(200)
    expect(await number('ninefold_http_in_work')).toBe(3)
    expect(await number('ninefold_http_refused_total', { cause: 'overloaded' })).toBe(100)
    released.resolve()
    expect((await Promise.all(slowly)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await call('/sample/v1/crates')).status).toBe(200)
  })

  it('get no connection beyond the bound', async () => {
    const { url, number } = await served({ maxConnections: 5 })
    const sockets = await Promise.all(Array.from({ length: 4 }, () => opened(url)))
    await expect.poll(() => number('ninefold_http_connections')).toBe(5)
    expect(await received(await opened(url))).toBe('')
    for (const socket of sockets) socket.destroy()
    expect(await number('ninefold_http_refused_total', { cause: 'connections' })).toBe(1)
  })
})
