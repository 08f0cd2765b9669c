import { describe, expect, expectTypeOf, test } from 'vitest'
import { ApiError } from '../../runtime/errors.ts'
import { plainText, rawBytes } from '../../runtime/body.ts'
import type { Bytes } from '../../runtime/body.ts'
import { toBody, toJson } from '../../runtime/media.ts'
import { toCookie, toHeader, toPath, toQuery, toStyled } from '../../runtime/parameters/write.ts'
import { readReply } from '../../runtime/reply.ts'
import type { ClientRoute, Reply } from '../../runtime/route.ts'
import { bearer, createTransport, send } from '../../runtime/transport.ts'
import { choice, closed, Faults, isRecord, list, tagged, union } from '../../runtime/validation.ts'
import { json, listen } from './listening.ts'
import { route } from './routes.ts'

interface Quota {
  readonly id: string
}

const getQuota = route<{ readonly quota: string }, Quota>('GET', ['/v1/quotas/', 'quota'])
const caught = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )
const failing = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await caught(call)
  if (error instanceof ApiError) return error
  throw error
}
const readText = (stream: ReadableStream): Promise<string> => new Response(stream).text()

test('a route whose handler receives more than callers send can be called', () => {
  const filled: ClientRoute<{ size?: number }, Quota, { size: number }> = {
    operationId: 'filled',
    method: 'GET',
    path: ['/'],
    success: [{ status: 200, kind: 'json' }],
  }
  const call = () => send(createTransport({ baseUrl: '' }), filled, {})
  expectTypeOf(call).toEqualTypeOf<() => Promise<Quota>>()
  // @ts-expect-error the request has another shape
  expectTypeOf(() => send(createTransport({ baseUrl: '' }), filled, { size: '1' })).toBeFunction()
})

describe('a request', () => {
  test('has its parameters in the places that the route declares', async () => {
    const start = route<{ id: string; 'X-Trace'?: string; id_2: number[]; basket: string; body?: Quota }, Quota>(
      'POST',
      ['/v1/vms/', 'id', ':start'],
      {
        parameters: [
          { name: 'id', in: 'path', type: 'string', write: toPath },
          { name: 'id', member: 'id_2', in: 'query', type: { array: 'integer' }, write: toStyled },
          { name: 'X-Trace', in: 'header', type: 'string', write: toHeader },
          { name: 'basket', in: 'cookie', type: 'string', write: toCookie },
        ],
        body: { type: 'application/json', kind: 'json', required: false, write: toJson },
      },
    )
    await using server = await listen((_, response) => json(response, 200, { id: 'a' }))
    const transport = createTransport({ baseUrl: `${server.baseUrl}/`, headers: { 'user-agent': 'made/1' } })
    await send(transport, start, { id: 'a:b/c', id_2: [1, 2], 'X-Trace': 't', basket: 'ü', body: { id: 'ß' } })
    await send(transport, start, { id: 'x', id_2: [], basket: '' }, { headers: { 'user-agent': 'mine' } })

    const [first, second] = server.received
    expect(first?.target).toBe('/v1/vms/a%3Ab%2Fc:start?id=1&id=2')
    expect(first?.headers).toMatchObject({
      'x-trace': 't',
      cookie: 'basket=%C3%BC',
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'made/1',
    })
    expect(first?.body.toString()).toBe('{"id":"ß"}')
    expect(second?.headers).toMatchObject({ 'user-agent': 'mine', 'content-length': '0' })
    expect(second?.headers).not.toHaveProperty('content-type')
  })

  test('reads own members only, so a parameter may have the name of an inherited property', async () => {
    const odd = route<object, Quota>('GET', ['/'], {
      parameters: [{ name: 'toString', in: 'query', type: 'string', write: toQuery }],
    })
    await using server = await listen((_, response) => json(response, 200, {}))
    await send(createTransport({ baseUrl: server.baseUrl }), odd, {})
    expect(server.received[0]?.target).toBe('/')
  })

  test('that cannot be written rejects before it is sent', async () => {
    await using server = await listen((_, response) => json(response, 200, {}))
    const call = send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: '..' })
    await expect(call).rejects.toThrow(new TypeError('path parameter "quota" must not be ".."'))
    expect(server.received).toEqual([])
  })

  test('rejects if a parameter of the path is not declared, instead of a request to another path', async () => {
    const undeclared = route<object, Quota>('GET', ['/v1/quotas/', 'quota'], { parameters: [] })
    const call = send(createTransport({ baseUrl: '' }), undeclared, { quota: 'q' })
    await expect(call).rejects.toThrow(new TypeError('path parameter "quota" is not declared'))
  })

  const upload = route<{ body: Bytes }, Quota>('PUT', ['/upload'], {
    body: { type: 'image/png', kind: rawBytes, required: true, write: toBody },
  })
  const bytes = new Uint8Array([0, 255, 254, 13, 10])
  test.each<[string, () => Bytes]>([
    ['a Uint8Array', () => bytes],
    ['a Blob', () => new Blob([bytes], { type: 'text/plain' })],
    ['a stream', () => new Blob([bytes]).stream()],
  ])('sends %s unchanged', async (_, body) => {
    await using server = await listen((_request, response) => json(response, 200, {}))
    await send(createTransport({ baseUrl: server.baseUrl }), upload, { body: body() })
    expect(server.received[0]?.headers['content-type']).toBe('image/png')
    expect(server.received[0]?.body.equals(bytes)).toBe(true)
  })

  test('sends text unchanged', async () => {
    const echo = route<{ body: string }, string>('POST', ['/echo'], {
      body: { type: 'text/plain', kind: plainText, required: true, write: toBody },
      success: [{ status: 200, type: 'text/plain', kind: plainText }],
    })
    await using server = await listen((request, response) => response.end(request.body))
    expect(await send(createTransport({ baseUrl: server.baseUrl }), echo, { body: '"hi" ü' })).toBe('"hi" ü')
    expect(server.received[0]?.headers).toMatchObject({
      'content-type': 'text/plain',
      accept: 'text/plain, application/json',
    })
  })
})

describe('a response', () => {
  test('may have unknown members and enum values, which the client may check nevertheless', async () => {
    const newer = { id: 'q', state: 'FROZEN', zone: 'north', deep: [{ kind: 'HOT', heat: 3 }] }
    await using server = await listen((_request, response) => response.end(JSON.stringify(newer)))
    const found = await send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: 'q' })
    expect(found).toEqual(newer)
    const check = (value: unknown, faults: Faults): boolean => {
      if (!isRecord(value)) return faults.add('', 'must be an object')
      closed(value, faults, ['id', 'state', 'deep'])
      choice(value.state, 'state', faults, new Set(['NEW']))
      return (
        union(value.deep, 'deep', faults, [(deep, trial) => list(deep, '', trial, checkKind)], true) &&
        faults.count === 0
      )
    }
    const checkKind = (value: unknown, faults: Faults): boolean =>
      tagged(value, '', faults, 'kind', { COLD: () => true })
    expect([check(found, new Faults(true)), check(found, new Faults())]).toEqual([true, false])
    expect(check({ ...newer, state: 1 }, new Faults(true))).toBe(false)
  })

  type Made = Reply<200> | Reply<201, Quota, { 'X-Total': number; 'X-Flags'?: string[] }> | Reply<204> | Reply<304>
  const make = route<object, Made>('POST', ['/made'], {
    replies: readReply,
    success: [
      { status: 200 },
      { status: 201, kind: 'json', headers: { 'X-Total': 'integer', 'X-Flags': { array: 'string' } } },
      { status: 204 },
      { status: 304 },
    ],
  })

  test.each<[string, number, Record<string, string>, string, unknown]>([
    ['200 without a body', 200, { 'content-length': '0', 'content-type': 'application/json' }, '', { status: 200 }],
    ['200 with an unexpected body', 200, {}, '{', { status: 200 }],
    ['204', 204, {}, '', { status: 204 }],
    ['a declared 304', 304, {}, '', { status: 304 }],
    [
      '201',
      201,
      { 'x-total': '12', 'x-flags': 'a, b' },
      '{"id":"q"}',
      { status: 201, body: { id: 'q' }, headers: { 'X-Total': 12, 'X-Flags': ['a', 'b'] } },
    ],
  ])('%s becomes the declared reply', async (_, status, headers, body, reply) => {
    await using server = await listen((_request, response) => response.writeHead(status, headers).end(body))
    expect(await send(createTransport({ baseUrl: server.baseUrl }), make, {})).toEqual({
      body: undefined,
      headers: undefined,
      ...Object(reply),
    })
  })

  test.each([
    ['', 'madeOperation got no JSON: SyntaxError: Unexpected end of JSON input'],
    ['<html>', `madeOperation got no JSON: SyntaxError: Unexpected token '<', "<html>" is not valid JSON`],
  ])('of %j, where JSON is declared, violates the contract', async (body, message) => {
    await using server = await listen((_, response) => response.end(body))
    const error = await failing(send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: 'a' }))
    expect(error).toMatchObject({ reason: 'ANSWER_INVALID', message })
  })

  test('of bytes is a stream that starts before its end, and ends with the signal', async () => {
    const download = route<object, ReadableStream<Uint8Array>>('GET', ['/file'], {
      success: [{ status: 200, kind: rawBytes }],
    })
    await using server = await listen((_, response) => response.writeHead(200).write('first'))
    const controller = new AbortController()
    const stream = await send(createTransport({ baseUrl: server.baseUrl }), download, {}, { signal: controller.signal })
    const reader = stream.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('first')
    controller.abort(new Error('enough'))
    await expect(reader.read()).rejects.toThrow('enough')
  })

  test('of bytes may be empty', async () => {
    const download = route<object, ReadableStream>('GET', ['/file'], { success: [{ status: '2XX', kind: rawBytes }] })
    await using server = await listen((_, response) => response.writeHead(204).end())
    expect(await readText(await send(createTransport({ baseUrl: server.baseUrl }), download, {}))).toBe('')
  })

  test('with an undeclared status is parsed like the first success if its status is a success', async () => {
    await using server = await listen((_, response) => json(response, 202, { id: 'a', unknown: 1 }))
    expect(await send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: 'a' })).toEqual({
      id: 'a',
      unknown: 1,
    })
  })

  test('with the only declared status is a success, even if it is not 2xx', async () => {
    const unchanged = route<object, undefined>('GET', ['/'], { success: [{ status: 304 }] })
    await using server = await listen((_, response) => response.writeHead(304).end())
    expect(await send(createTransport({ baseUrl: server.baseUrl }), unchanged, {})).toBeUndefined()
  })

  test('declared for every status is a success only with 2xx', async () => {
    const either = route<object, { ok: boolean }>('GET', ['/'], { success: [{ status: 'default', kind: 'json' }] })
    await using server = await listen((_, response) => json(response, 500, { ok: false }))
    const error = await failing(send(createTransport({ baseUrl: server.baseUrl }), either, {}))
    expect(error.response?.body).toEqual({ ok: false })
  })
})

describe('a failure', () => {
  test('that is a Status keeps all its members', async () => {
    await using server = await listen((_, response) => {
      const metadata = { code: '7001003', current_state: 'ACTIVE' }
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'STATE_INVALID',
        domain: 'taxonomy',
        metadata,
      }
      const resource = {
        '@type': 'type.googleapis.com/google.rpc.ResourceInfo',
        resource_type: 'taxonomy.quotas',
        resource_name: 'q',
      }
      json(
        response,
        400,
        { code: 9, message: 'not now', details: [info, resource] },
        {
          'x-request-id': 'r-1',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
      )
    })
    const error = await failing(send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: 'q' }))
    expect({ ...error, message: error.message }).toMatchObject({
      reason: 'STATE_INVALID',
      rpc: 'FAILED_PRECONDITION',
      code: 7001003,
      domain: { name: 'taxonomy' },
      metadata: { current_state: 'ACTIVE' },
      details: { resource: { type: 'taxonomy.quotas', name: 'q' } },
      message: 'not now',
      response: { status: 400, requestId: 'r-1', traceId: '0af7651916cd43dd8448eb211c80319c' },
    })
  })

  test.each<[number, string, string, string, unknown]>([
    [404, 'application/problem+json; charset=utf-8', '{"title":"gone"}', 'NOT_FOUND', { title: 'gone' }],
    [400, 'text/plain', '123', 'INVALID_ARGUMENT', '123'],
    [502, 'text/html', '<h1>Bad Gateway</h1>', 'UNAVAILABLE', '<h1>Bad Gateway</h1>'],
    [401, 'application/json', '', 'UNAUTHENTICATED', ''],
    [500, 'application/json', '{"error":null,"details":[null]}', 'INTERNAL', { error: null, details: [null] }],
  ])('of %i with %s is an ApiError of that status', async (status, type, body, rpc, kept) => {
    await using server = await listen((_, response) => response.writeHead(status, { 'content-type': type }).end(body))
    const error = await failing(
      send(createTransport({ baseUrl: server.baseUrl, retries: 0 }), getQuota, { quota: 'q' }),
    )
    expect(error).toMatchObject({ reason: `HTTP_${status}`, rpc, response: { status, body: kept } })
  })

  test('of the connection names the operation and keeps the cause', async () => {
    const server = await listen((_, response) => response.destroy())
    await server[Symbol.asyncDispose]()
    const error = await failing(
      send(createTransport({ baseUrl: server.baseUrl, retries: 0 }), getQuota, { quota: 'q' }),
    )
    expect(error).toMatchObject({ reason: 'CONNECTION_FAILED', rpc: 'UNAVAILABLE' })
    expect(error.message).toMatch(/^madeOperation got no answer: /)
    expect(error.cause).toBeInstanceOf(TypeError)
  })

  test('to respond in time rejects with DEADLINE_EXCEEDED', async () => {
    await using server = await listen(() => {})
    const error = await failing(
      send(createTransport({ baseUrl: server.baseUrl }), getQuota, { quota: 'q' }, { timeoutMs: 20 }),
    )
    expect(error).toMatchObject({ reason: 'DEADLINE_EXCEEDED', message: 'madeOperation took longer than 20 ms' })
  })

  test('to get a token in time rejects with DEADLINE_EXCEEDED too', async () => {
    const authorize = bearer({ token: () => new Promise<string>(() => {}) })
    const error = await failing(
      send(createTransport({ baseUrl: '', authorize, timeoutMs: 20 }), getQuota, { quota: 'q' }),
    )
    expect(error.reason).toBe('DEADLINE_EXCEEDED')
  })

  test('by abort rejects with the reason of the signal, before and during the call', async () => {
    const controller = new AbortController()
    await using server = await listen(() => controller.abort('changed my mind'))
    const transport = createTransport({ baseUrl: server.baseUrl })
    expect(await caught(send(transport, getQuota, { quota: 'q' }, { signal: controller.signal }))).toBe(
      'changed my mind',
    )
    expect(await caught(send(transport, getQuota, { quota: 'q' }, { signal: controller.signal }))).toBe(
      'changed my mind',
    )
    expect(server.received.length).toBe(1)
  })
})

describe('the bearer token', () => {
  const permission = { kind: 'permission', key: 'k', class: 'READ', scope: 'platform' } as const
  test.each([
    ['an operation with a permission', permission, 'Bearer t'],
    ['an operation of a document without access', undefined, 'Bearer t'],
    ['a public operation', { kind: 'public' } as const, undefined],
  ])('on %s', async (_, access, sent) => {
    await using server = await listen((_request, response) => json(response, 200, {}))
    const transport = createTransport({ baseUrl: server.baseUrl, token: 't' })
    await send(transport, { ...getQuota, ...(access && { access }) }, { quota: 'q' })
    expect(server.received[0]?.headers.authorization).toBe(sent)
  })

  test('is overridden by a header of the caller', async () => {
    await using server = await listen((_, response) => json(response, 200, {}))
    const transport = createTransport({ baseUrl: server.baseUrl, token: 't' })
    await send(transport, getQuota, { quota: 'q' }, { headers: { Authorization: 'Basic x' } })
    expect(server.received[0]?.headers.authorization).toBe('Basic x')
  })

  const expiring = (reason: string) =>
    listen(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') return json(response, 200, { id: 'q' })
      const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'iam', metadata: {} }
      json(response, 401, { code: 16, message: 'no', details: [info] })
    })

  test('is refreshed once for all calls that receive TOKEN_EXPIRED, which are then repeated', async () => {
    await using server = await expiring('TOKEN_EXPIRED')
    let current = 'old'
    let refreshes = 0
    const authorize = bearer({
      token: async () => current,
      refresh: async () => {
        refreshes += 1
        current = 'new'
      },
    })
    const transport = createTransport({ baseUrl: server.baseUrl, authorize })
    const create = route<{ body: object }, Quota>('POST', ['/v1'], {
      body: { type: 'application/json', kind: 'json', required: true, write: toJson },
    })
    const calls = Array.from({ length: 5 }, () => send(transport, create, { body: {} }))
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 5 }, () => ({ id: 'q' })))
    expect(refreshes).toBe(1)
  })

  test.each([
    ['the reason is another one', 'TOKEN_REVOKED', 0],
    ['the new token has expired as well', 'TOKEN_EXPIRED', 1],
  ])('is not refreshed again if %s', async (_, reason, expected) => {
    await using server = await expiring(reason)
    let refreshes = 0
    const authorize = bearer({ token: async () => 'old', refresh: async () => void (refreshes += 1) })
    const error = await failing(send(createTransport({ baseUrl: server.baseUrl, authorize }), getQuota, { quota: 'q' }))
    expect([error.reason, refreshes]).toEqual([reason, expected])
  })
})
