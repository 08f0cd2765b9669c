import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { rawExchange, testServer, type TestSettings } from './harness.ts'
import { testToken } from '../access/test-access.ts'

interface Page {
  readonly next_page_token: string
}

async function signedIn(dataDir = testFolder(), area = sampleArea(), settings: TestSettings = {}) {
  const server = await testServer([area], dataDir, settings)
  const authorization = `Bearer ${testToken}`
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(server.url + path, { ...init, headers: { authorization, ...Object.fromEntries(new Headers(init.headers)) } })
  return { server, call, authorization, dataDir }
}

const created = (name: string, more: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ name }),
  headers: { 'content-type': 'application/json', ...more },
})

describe('a served platform', () => {
  it('serves its areas to the bearer of the token', async () => {
    const { call } = await signedIn()
    const answer = await call('/sample/v1/crates', created('box'))
    const operation: unknown = await answer.json()
    expect(answer.status).toBe(200)
    expect(operation).toMatchObject({
      status: 'SAMPLE_OPERATION_STATUS_DONE',
      scope_type: 'SAMPLE_SCOPE_TYPE_PLATFORM',
    })
    const list: unknown = await (await call('/sample/v1/crates')).json()
    expect(list).toMatchObject({ crates: [{ name: 'box' }, { id: 'first', name: 'first' }], next_page_token: '' })
  })

  it('walks lists with signed tokens', async () => {
    const { call } = await signedIn()
    for (const name of ['a', 'b', 'c']) await call('/sample/v1/crates', created(name))
    const first: Page = await (await call('/sample/v1/crates?page_size=2')).json()
    const next = `/sample/v1/crates?page_size=2&page_token=${first.next_page_token}`
    expect(await (await call(next)).json()).toMatchObject({ crates: [{ name: 'c' }, { name: 'first' }] })
    expect((await call(next.replace(/.$/, last => (last === 'A' ? 'B' : 'A')))).status).toBe(400)
  })

  it('returns the same operation for a repeated Idempotency-Key', async () => {
    const { call } = await signedIn()
    const twice = [1, 2].map(() => call('/sample/v1/crates', created('once', { 'idempotency-key': 'k' })))
    const [one, two] = await Promise.all(twice.map(async answer => (await answer).text()))
    expect(one).toBe(two)
    const other = await call('/sample/v1/crates', created('other', { 'idempotency-key': 'k' }))
    expect(await other.json()).toMatchObject({
      code: 3,
      details: [{ reason: 'IDEMPOTENCY_KEY_REUSED', domain: 'sample', metadata: { code: '5000016' } }, {}],
    })
  })

  it.each([
    ['an anonymous caller', undefined, 'TOKEN_MISSING'],
    ['a caller with a wrong token', 'Bearer nothing', 'TOKEN_INVALID'],
  ])('admits %s only to public paths', async (_name, authorization, reason) => {
    const { server } = await signedIn()
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(`${server.url}/sample/v1/crates`, { headers })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await answer.json()).toMatchObject({ code: 16, details: [{ reason, domain: 'iam' }] })
    expect((await fetch(`${server.url}/healthz`, { headers })).status).toBe(200)
  })

  it('refuses routes without declared access', async () => {
    const { call } = await signedIn()
    const answer = await call('/sample/v1/unguarded')
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ details: [{ reason: 'IAM_PERMISSION_DENIED' }] })
  })

  it('reports that it is alive and ready', async () => {
    const { server } = await signedIn()
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'alive' })
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ready' })
  })

  it('keeps its data and its tokens over a restart', async () => {
    const first = await signedIn()
    await first.call('/sample/v1/crates', created('kept'))
    const page: Page = await (await first.call('/sample/v1/crates?page_size=1')).json()
    await first.server.close()
    const second = await signedIn(first.dataDir)
    expect(second.authorization).toBe(first.authorization)
    const next = await second.call(`/sample/v1/crates?page_size=1&page_token=${page.next_page_token}`)
    expect(await next.json()).toMatchObject({ crates: [{ name: 'kept' }] })
  })

  it('prints its URL and the way to sign in', async () => {
    const { server } = await signedIn()
    expect(server.greeting).toEqual([`ninefold listens on ${server.url}`, 'sign in with the token of the tests'])
  })
})

describe('an odd request', () => {
  const status = (domain: string, reason: string) => ({
    details: expect.arrayContaining([expect.objectContaining({ domain, reason })]),
  })

  it.each<[string, string, number, object]>([
    ['an unknown path', 'GET /nope HTTP/1.1', 404, status('ninefold', 'ROUTE_NOT_FOUND')],
    ['an unknown path of an area', 'GET /sample/v1/nope HTTP/1.1', 404, status('sample', 'ROUTE_NOT_FOUND')],
    ['broken percent-encoding', 'GET /sample/v1/crates/%zz HTTP/1.1', 400, status('sample', 'FIELD_INVALID')],
    ['a long URL', `GET /${'a'.repeat(17_000)} HTTP/1.1`, 400, status('ninefold', 'FIELD_INVALID')],
    ['a method without a route', 'PROPFIND /sample/v1/crates HTTP/1.1', 405, status('sample', 'ROUTE_NOT_FOUND')],
    ['an unknown method', 'BREW /sample/v1/crates HTTP/1.1', 400, status('ninefold', 'FIELD_INVALID')],
    ['no HTTP at all', 'hello', 400, status('ninefold', 'FIELD_INVALID')],
    ['a star', 'OPTIONS * HTTP/1.1', 404, status('ninefold', 'ROUTE_NOT_FOUND')],
    [
      'headers that are too large',
      `GET /healthz HTTP/1.1\r\nx: ${'a'.repeat(60_000)}`,
      431,
      status('ninefold', 'FIELD_INVALID'),
    ],
    [
      'headers of almost 48 KiB',
      `GET /nope HTTP/1.1\r\nx: ${'a'.repeat(48_000)}`,
      404,
      status('ninefold', 'ROUTE_NOT_FOUND'),
    ],
    ['headers of 48 KiB', `GET /nope HTTP/1.1\r\nx: ${'a'.repeat(49_152)}`, 431, status('ninefold', 'FIELD_INVALID')],
    [
      'two thousand headers before its token',
      `GET /sample/v1/crates/none HTTP/1.1\r\n${'x: a\r\n'.repeat(2000)}y: a`,
      200,
      { name: 'none of none' },
    ],
    [
      'two thousand headers before a second host',
      `GET /healthz HTTP/1.1\r\nhost: y\r\n${'x: a\r\n'.repeat(2000)}y: a`,
      400,
      status('ninefold', 'FIELD_INVALID'),
    ],
    [
      'a malformed content type',
      'POST /nope HTTP/1.1\r\ncontent-type: ;;;\r\ncontent-length: 1',
      404,
      status('ninefold', 'ROUTE_NOT_FOUND'),
    ],
    [
      'two lengths',
      'POST /healthz HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked',
      400,
      status('ninefold', 'FIELD_INVALID'),
    ],
    [
      'compressed chunks',
      'POST /sample/v1/crates HTTP/1.1\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked',
      501,
      status('sample', 'FIELD_INVALID'),
    ],
    [
      'compressed chunks for no path',
      'POST /nope HTTP/1.1\r\ntransfer-encoding: deflate, chunked',
      501,
      status('ninefold', 'FIELD_INVALID'),
    ],
  ])('with %s has a response in the form of the platform', async (_name, head, expected, body) => {
    const { server, authorization } = await signedIn()
    const text = await rawExchange(
      server.url,
      `${head}\r\nhost: x\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n${head.includes('length') ? 'x' : ''}`,
    )
    const [answer = '', content = ''] = text.split('\r\n\r\n')
    expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${expected} `))
    expect(JSON.parse(content)).toMatchObject(body)
  })

  it.each([
    ['an encoded slash', '/sample/v1/crates/a%2Fb', 'none of a/b'],
    ['an encoded colon', '/sample/v1/crates/a%3Ab', 'none of a:b'],
  ])('with %s in an id reaches the handler decoded once', async (_name, path, name) => {
    const { call } = await signedIn()
    expect(await (await call(path)).json()).toMatchObject({ name })
  })
})

describe('a server that is closed', () => {
  it('completes requests in progress, refuses new requests, and accepts no connection in the end', async () => {
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const wait = (): Promise<void> => {
      started.resolve()
      return released.promise
    }
    const { server, call } = await signedIn(testFolder(), sampleArea({ wait }))
    const slow = call('/sample/v1/crates/slow')
    await started.promise
    const closed = server.close()
    const refused = await call('/sample/v1/crates')
    expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close'])
    const ready = await fetch(`${server.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    released.resolve()
    expect(await (await slow).json()).toMatchObject({ name: 'none of slow' })
    await closed
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed')
  })

  it('waits no longer than its limit, and then cuts the remaining requests', async () => {
    const started = Promise.withResolvers<void>()
    const wait = (): Promise<void> => {
      started.resolve()
      return new Promise(() => undefined)
    }
    const { server, call } = await signedIn(testFolder(), sampleArea({ wait }), { limits: { drainMs: 100 } })
    const slow = call('/sample/v1/crates/slow').catch((error: unknown) => String(error))
    await started.promise
    await server.close()
    expect(await slow).toContain('fetch failed')
  })

  it('does not wait for a connection without a request', async () => {
    const settings = { limits: { drainMs: 600_000, headersMs: 600_000, requestMs: 600_000 } }
    const { server } = await signedIn(testFolder(), sampleArea(), settings)
    const ahead = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(ahead, 'connect')
    await Promise.all([once(ahead.resume(), 'close'), server.close()])
  })

  it.each([
    ['half a request line', 'GET /heal'],
    ['half of its headers', 'GET /healthz HTTP/1.1\r\nhost: a\r\n'],
    ['half of its headers after a request', 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET /healthz HTTP/1.1\r\nhost'],
  ])('does not wait for a connection with %s', async (_name, sent) => {
    const settings = { limits: { drainMs: 600_000, headersMs: 600_000, requestMs: 600_000 } }
    const { server } = await signedIn(testFolder(), sampleArea(), settings)
    const half = connect(Number(new URL(server.url).port), '127.0.0.1').resume()
    await once(half, 'connect')
    half.write(sent)
    // A response on another connection shows that the server has read from this connection.
    await fetch(`${server.url}/healthz`)
    await Promise.all([once(half, 'close'), server.close()])
  })
})
