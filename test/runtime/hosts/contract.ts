import { describe, expect, test } from 'vitest'
import type { RenderError } from '../../../runtime/status.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { madeService } from '../made-service.ts'

/** A host of a dispatcher, in the view of its callers. */
export interface Hosted extends AsyncDisposable {
  send(method: string, target: string, init?: RequestInit): Promise<Response>
}

const json = { 'content-type': 'application/json' }
const post = (body: BodyInit | undefined, headers: HeadersInit = json): RequestInit => ({ body: body ?? null, headers })

const errorInfo = (reason: string, domain: string, code?: string) =>
  expect.objectContaining({
    reason,
    domain,
    ...(code !== undefined && { metadata: expect.objectContaining({ code }) }),
  })

/** Returns the descriptions of a FIELD_INVALID response, keyed by field; fails for any other response. */
async function faultsOf(answer: Response): Promise<Record<string, string>> {
  const { code, details } = await answer.json()
  expect([code, details[0].reason]).toEqual([3, 'FIELD_INVALID'])
  const violations: { field: string; description: string }[] = details[1].field_violations
  return Object.fromEntries(violations.map(({ field, description }) => [field, description]))
}

/** Declares the tests of every host over the same service, which cover the whole path of a request. */
export function hostContract(name: string, host: (dispatch: Dispatch) => Promise<Hosted>): void {
  const serve = async (options: Parameters<typeof madeService>[0] = {}) => {
    const service = madeService(options)
    const hosted = await host(service.dispatch)
    return { service, send: hosted.send, [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() }
  }

  describe(`${name}: responses`, () => {
    test('a handler receives the decoded request and the context of the call', async () => {
      await using served = await serve()
      const headers = { 'idempotency-key': 'key-1', authorization: 'Bearer ann', 'user-agent': 'a test', accept: 'a/b' }
      const answer = await served.send('GET', '/made/v1/things/a%2Fb%3Astart', { headers })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({
        request: { id: 'a/b:start' },
        context: {
          principal: { id: 'ann', kind: 'user' },
          operation: { area: 'made', operationId: 'getThing', permission: '' },
          method: 'GET',
          path: '/made/v1/things/a%2Fb%3Astart',
          requestId: 'id-1',
          traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
          clientAddress: '127.0.0.1',
          userAgent: 'a test',
          accept: 'a/b',
          now: 1_700_000_000_000,
        },
      })
    })

    test('every response names its request and trace, the trace of the caller if it is valid', async () => {
      await using served = await serve()
      const trace = '0af7651916cd43dd8448eb211c80319c'
      for (const [sent, expected] of [
        [`00-${trace}-b7ad6b7169203331-01`, trace],
        [`00-${trace.toUpperCase()}-b7ad6b7169203331-01`, '[0-9a-f]{32}'],
        [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, '[0-9a-f]{32}'],
        [`ff-${trace}-b7ad6b7169203331-01`, '[0-9a-f]{32}'],
      ]) {
        const answer = await served.send('GET', '/nope', {
          headers: { traceparent: sent ?? '', 'x-request-id': 'mine' },
        })
        expect(answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${expected}-[0-9a-f]{16}-00$`))
        expect(answer.headers.get('traceparent')).not.toContain('0'.repeat(16))
        expect(answer.headers.get('x-request-id')).toMatch(/^id-\d$/)
      }
    })

    test('a response without a body has no content type either', async () => {
      await using served = await serve()
      const answer = await served.send('DELETE', '/made/v1/things/1')
      expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([204, '', null])
    })

    test('HEAD is GET without a body, even for an endless body', async () => {
      await using served = await serve()
      const answer = await served.send('HEAD', '/made/v1/things/1')
      expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([
        200,
        '',
        'application/json',
      ])
      const bytes = await served.send('HEAD', '/files/endless.bin')
      expect([bytes.status, await bytes.text(), bytes.headers.get('content-type')]).toEqual([
        200,
        '',
        'application/octet-stream',
      ])
      expect(served.service.endless.pulled).toBe(0)
      expect(served.service.endless.stopped).toBe(true)
    })

    test('a declared reply is sent with its status, headers and content type', async () => {
      await using served = await serve()
      const created = await served.send('POST', '/jobs?how=created')
      expect([created.status, await created.text()]).toEqual([201, '{"id":1}'])
      expect(Object.fromEntries(created.headers)).toMatchObject({
        'content-type': 'application/vnd.made+json',
        location: '/jobs/1',
        'x-count': '2',
        'x-tags': 'a, b',
      })
      expect(created.headers.has('x-none')).toBe(false)
      const accepted = await served.send('POST', '/jobs?how=accepted')
      expect([accepted.status, await accepted.text()]).toEqual([202, '{"id": 2}'])
      const unchanged = await served.send('POST', '/jobs?how=unchanged')
      expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', '"1"'])
    })

    test('each item of a list of cookies is a line of its own', async () => {
      await using served = await serve()
      const answer = await served.send('POST', '/jobs?how=cookies')
      expect(answer.headers.getSetCookie()).toEqual([
        'a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/',
        'b=2; Path=/',
      ])
      const single = await served.send('POST', '/jobs?how=cookie')
      expect(single.headers.getSetCookie()).toEqual(['a=1'])
    })

    test('the answer of a HEAD operation keeps its length', async () => {
      await using served = await serve()
      const answer = await served.send('HEAD', '/bare-jobs')
      expect([answer.status, await answer.text()]).toEqual([200, ''])
      expect(answer.headers.get('content-length')).toBe('1234')
      expect(answer.headers.get('etag')).toBe('"1"')
    })

    test.each(['undeclared', 'injected', 'none'])('an undeclared reply is a defect: %s', async how => {
      await using served = await serve()
      const answer = await served.send('POST', `/jobs?how=${how}`)
      expect(answer.status).toBe(500)
      expect(await served.service.logged()).toMatchObject({ status: 500, reason: 'INTERNAL', error: expect.any(Error) })
    })

    test('routes named by noStore are never stored, errors included', async () => {
      await using served = await serve()
      const store = async (token: string) =>
        (await served.send('GET', '/secret', { headers: { authorization: `Bearer ${token}` } })).headers.get(
          'cache-control',
        )
      expect([await store('ann'), await store('bob')]).toEqual(['no-store', 'no-store'])
      expect((await served.send('GET', '/made/v1/things/1')).headers.get('cache-control')).toBe(null)
    })
  })

  describe(`${name}: lists`, () => {
    test('a list is walked page by page, each row once', async () => {
      await using served = await serve()
      const names: string[] = []
      let token = ''
      do {
        const answer = await served.send('GET', `/made/v1/things?page_token=${token}&order_by=size+desc&filter=size<44`)
        const page = await answer.json()
        names.push(...page.things.map((thing: { name: string }) => thing.name))
        token = page.next_page_token
      } while (token !== '')
      expect(names).toEqual(Array.from({ length: 44 }, (_, index) => `t${String(43 - index).padStart(2, '0')}`))
    })

    test('a token is valid only for its own call', async () => {
      await using served = await serve()
      const first = await served.send('GET', '/made/v1/things?page_size=5')
      const { next_page_token: token } = await first.json()
      expect((await served.send('GET', `/made/v1/things?page_size=5&page_token=${token}`)).status).toBe(200)
      for (const change of [
        'page_size=6',
        'page_size=5&kind=a',
        'page_size=5&filter=size>1',
        'page_size=5&order_by=size',
      ]) {
        const answer = await served.send('GET', `/made/v1/things?${change}&page_token=${token}`)
        expect([answer.status, (await answer.json()).details[0]]).toEqual([
          400,
          errorInfo('PAGE_TOKEN_INVALID', 'made', '7000015'),
        ])
      }
    })

    test.each([
      ['filter=nope=1', 'FILTER_INVALID'],
      ['order_by=nope', 'ORDER_BY_INVALID'],
      ['page_token=nope', 'PAGE_TOKEN_INVALID'],
      ['page_token=nope&page_size=-1&filter=nope', 'FIELD_INVALID'],
      ['page_token=nope&other=1', 'FIELD_INVALID'],
    ])('%s is %s', async (query, reason) => {
      await using served = await serve()
      const answer = await served.send('GET', `/made/v1/things?${query}`)
      expect([answer.status, (await answer.json()).details[0]]).toEqual([400, errorInfo(reason, 'made')])
    })
  })

  describe(`${name}: invalid requests`, () => {
    test('all faults are reported together: parameters, header, body', async () => {
      await using served = await serve()
      const body = '{"size":101,"extra":1,"constructor":1}'
      const answer = await served.send('POST', '/made/v1/things?x=1', post(body, { ...json, 'idempotency-key': 'a b' }))
      expect(answer.status).toBe(400)
      expect(await faultsOf(answer)).toEqual({
        x: 'is not a parameter of this operation',
        'Idempotency-Key': 'must be 1 to 128 visible ASCII characters',
        'body.name': 'is required',
        'body.size': expect.any(String),
        'body.extra': expect.any(String),
        'body.constructor': expect.any(String),
      })
    })

    test('a header of mutations only is ignored elsewhere', async () => {
      await using served = await serve()
      const answer = await served.send('GET', '/made/v1/things/a', { headers: { 'idempotency-key': 'a b' } })
      expect(answer.status).toBe(200)
    })

    test.each<[what: string, init: RequestInit, fault: RegExp]>([
      ['no body', {}, /is required/],
      ['an empty body', post(''), /is required/],
      ['null', post('null'), /object/],
      ['broken JSON', post('{"name":'), /must be valid JSON/],
      ['two values', post('{} {}'), /must be valid JSON/],
      ['NaN', post('{"name":NaN}'), /must be valid JSON/],
      ['deep JSON', post(`{"list":${'['.repeat(100)}${']'.repeat(100)}}`), /must be nested at most 100 deep/],
      ['a million brackets', post('['.repeat(1_000_000)), /must be nested at most 100 deep/],
      ['too much JSON', post(`{"name":"${'x'.repeat(1_048_576)}"}`), /must have at most 1048576 bytes/],
      ['invalid UTF-8', post(new Uint8Array([0x22, 0xc3, 0x28, 0x22])), /must be valid UTF-8/],
      ['half a character', post(new Uint8Array([0x22, 0xf0, 0x9f, 0x98])), /must be valid UTF-8/],
      ['text', post('{"name":"a"}', { 'content-type': 'text/plain' }), /content type application\/json/],
      [
        'other JSON',
        post('{"name":"a"}', { 'content-type': 'application/vnd.made+json' }),
        /content type application\/json/,
      ],
      ['no type', post(new Uint8Array([0x7b, 0x7d]), {}), /content type application\/json/],
      [
        'several types',
        post('{"name":"a"}', { 'content-type': 'application/json, text/plain' }),
        /content type application\/json/,
      ],
    ])('%s is refused, once', async (_what, init, fault) => {
      await using served = await serve()
      const answer = await served.send('POST', '/made/v1/things', init)
      expect(answer.status).toBe(400)
      expect(Object.entries(await faultsOf(answer))).toEqual([
        [expect.stringMatching(/^body/), expect.stringMatching(fault)],
      ])
      expect(await served.service.logged()).toMatchObject({ status: 400, reason: 'FIELD_INVALID' })
    })

    test.each([
      ['{"name":"a","name":"b"}', { name: 'b', size: 1 }],
      ['\ufeff{"name":"a"}', { name: 'a', size: 1 }],
      [`{"name":"a","size":1,"list":${'['.repeat(99)}${']'.repeat(99)}}`, expect.objectContaining({ name: 'a' })],
      [JSON.stringify({ name: '[[{"\\', list: `${'['.repeat(300)}"\\` }), expect.objectContaining({ name: '[[{"\\' })],
    ])('%.30s is parsed', async (text, expected) => {
      await using served = await serve()
      const answer = await served.send(
        'POST',
        '/made/v1/things',
        post(text, { 'content-type': 'Application/JSON; charset=utf-8' }),
      )
      expect([answer.status, await answer.json()]).toEqual([200, expected])
    })

    test('__proto__ in a body is an ordinary member and changes nothing', async () => {
      await using served = await serve()
      const answer = await served.send('POST', '/made/v1/things', post('{"name":"a","__proto__":{"size":5}}'))
      expect(Object.keys(await faultsOf(answer))).toEqual(['body.__proto__'])
      expect(Object.hasOwn(Object.prototype, 'size')).toBe(false)
    })

    test('an optional body may be missing, but not be empty JSON of another kind', async () => {
      await using served = await serve()
      const send = async (init: RequestInit) => (await served.send('POST', '/optional', init)).json()
      expect(await send({})).toEqual({ had: false })
      expect(await send(post(''))).toEqual({ had: false })
      expect(await send(post('{"name":"a"}'))).toEqual({ had: true })
      expect(await send(post('null'))).toMatchObject({ code: 3 })
    })

    test('an undeclared content type is 415 if the options require it', async () => {
      await using served = await serve({ unsupportedMediaTypeStatus: 415 })
      const answer = await served.send('POST', '/made/v1/things', post('a,b', { 'content-type': 'text/csv' }))
      expect([answer.status, (await answer.json()).details[0]]).toEqual([
        415,
        errorInfo('FIELD_INVALID', 'made', '7000010'),
      ])
    })

    test('an update mask is checked after the fields', async () => {
      await using served = await serve()
      const send = (query: string, body: unknown) =>
        served.send('PATCH', `/made/v1/things/1?update_mask=${query}`, post(JSON.stringify(body)))
      expect((await send('size', { size: 2 })).status).toBe(200)
      expect((await (await send('nope', { size: 2 })).json()).details[0]).toEqual(
        errorInfo('UPDATE_MASK_INVALID', 'made'),
      )
      expect((await (await send('nope', { size: -2 })).json()).details[0]).toEqual(errorInfo('FIELD_INVALID', 'made'))
    })

    test.each([
      ['/made/v1/things/%zz', ['id']],
      ['/made/v1/things/%C3%28', ['id']],
      ['/made/v1/things?filter=%', ['filter']],
      [`/made/v1/things?filter=${'x'.repeat(17_000)}`, ['url']],
      [`/made/v1/things/${'x'.repeat(17_000)}`, ['url']],
    ])('%.40s reports the fault', async (target, fields) => {
      await using served = await serve()
      const answer = await served.send('GET', target)
      expect([answer.status, Object.keys(await faultsOf(answer))]).toEqual([400, fields])
    })
  })

  describe(`${name}: routes and doors`, () => {
    test.each([
      ['GET', '/nope', 404, 'ninefold', '9', null],
      ['GET', '/made/nope', 404, 'made', '7000009', null],
      ['GET', '/made', 404, 'made', '7000009', null],
      ['GET', '/mademore/v1/things', 404, 'ninefold', '9', null],
      ['GET', '/made/v1/things/', 404, 'made', '7000009', null],
      ['GET', '/made/v1/things/1/', 404, 'made', '7000009', null],
      ['PUT', '/made/v1/things/1', 405, 'made', '7000009', 'PATCH, GET, DELETE'],
      ['GET', '/made/v1/things/1:start', 405, 'made', '7000009', 'POST'],
      ['PURGE', '/made/v1/things', 405, 'made', '7000009', 'GET, POST'],
    ])('%s %s is %i', async (method, target, status, domain, code, allow) => {
      await using served = await serve()
      const answer = await served.send(method, target)
      expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
      expect((await answer.json()).details[0]).toEqual(errorInfo('ROUTE_NOT_FOUND', domain, code))
      expect(await served.service.logged()).toMatchObject({ status, reason: 'ROUTE_NOT_FOUND', path: undefined })
    })

    test('OPTIONS lists the methods of a path', async () => {
      await using served = await serve()
      const answer = await served.send('OPTIONS', '/made/v1/things/1')
      expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([204, 'PATCH, GET, DELETE', ''])
    })

    test('authentication and authorization precede the read of the request', async () => {
      await using served = await serve()
      const unknown = await served.send('GET', '/secret?x=1')
      expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect((await unknown.json()).details[0]).toEqual(errorInfo('TOKEN_MISSING', 'iam', '2000101'))
      const other = await served.send('GET', '/secret?x=1', { headers: { authorization: 'Bearer bob' } })
      expect([other.status, (await other.json()).details[0]]).toEqual([403, errorInfo('IAM_PERMISSION_DENIED', 'iam')])
      expect((await served.send('PATCH', '/made/v1/things/forbidden', post('{'))).status).toBe(403)
    })
  })

  describe(`${name}: errors`, () => {
    test.each([
      ['declared', 400, errorInfo('DECLARED', 'made', '7001001')],
      ['foreign', 404, errorInfo('FOREIGN', 'other', '3001001')],
      ['common', 503, errorInfo('ENGINE_UNAVAILABLE', 'made', '7000003')],
      ['door', 403, errorInfo('IAM_PERMISSION_DENIED', 'iam', '2000105')],
    ])('a %s error is reported', async (how, status, info) => {
      await using served = await serve()
      const answer = await served.send('GET', `/fail/${how}`)
      expect([answer.status, (await answer.json()).details[0]]).toEqual([status, info])
      expect(answer.headers.get('retry-after')).toBe(how === 'common' ? '2' : null)
      expect(await served.service.logged()).not.toHaveProperty('error')
    })

    test.each(['undeclared', 'error', 'string', 'undefined', 'bigint'])(
      'any other thrown value is INTERNAL, and is only logged: %s',
      async how => {
        await using served = await serve()
        const answer = await served.send('GET', `/fail/${how}`)
        const text = await answer.text()
        const { traceId, ...entry } = await served.service.logged()
        expect(answer.status).toBe(500)
        expect(JSON.parse(text)).toEqual({
          code: 13,
          message: `internal error; it is recorded under trace ${traceId}`,
          details: [expect.objectContaining({ reason: 'INTERNAL', domain: 'made', metadata: { code: '7000020' } })],
        })
        expect(text).not.toMatch(/secret|SECRET|\.ts/)
        expect(entry).toMatchObject({ status: 500, reason: 'INTERNAL' })
      },
    )

    test('a thrown error is logged with its stack, a thrown text unchanged', async () => {
      await using served = await serve()
      await served.send('GET', '/fail/error')
      expect((await served.service.logged()).error).toMatchObject({ stack: expect.stringContaining('made-service') })
      await served.send('GET', '/fail/string')
      expect((await served.service.logged()).error).toBe('secret text')
    })

    test('the responses of errors can be replaced in one place', async () => {
      const renderError: RenderError = ({ status, headers }, { reason }) => ({
        status: reason === 'ENGINE_UNAVAILABLE' ? 507 : status,
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: JSON.stringify({ reason, status }),
      })
      await using served = await serve({ renderError })
      const tell = async (method: string, path: string) => {
        const answer = await served.send(method, path)
        return [answer.status, answer.headers.get('content-type'), await answer.json()]
      }
      const type = 'application/problem+json'
      expect(await tell('GET', '/nope')).toEqual([404, type, { reason: 'ROUTE_NOT_FOUND', status: 404 }])
      expect(await tell('PUT', '/fail/common')).toEqual([405, type, { reason: 'ROUTE_NOT_FOUND', status: 405 }])
      expect(await tell('GET', '/fail/common')).toEqual([507, type, { reason: 'ENGINE_UNAVAILABLE', status: 503 }])
      expect(await tell('GET', '/fail/error')).toEqual([500, type, { reason: 'INTERNAL', status: 500 }])
    })
  })

  describe(`${name}: the log`, () => {
    test('a call is one entry, without query, body or ids of its path', async () => {
      await using served = await serve()
      const headers = { ...json, authorization: 'Bearer ann' }
      await served.send('PATCH', '/made/v1/things/private?update_mask=size', post('{"size":2}', headers))
      const entry = await served.service.logged()
      expect(entry).toEqual({
        requestId: 'id-1',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        traceparent: { answer: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/), request: undefined },
        method: 'PATCH',
        path: '/made/v1/things/{id}',
        operationId: 'updateThing',
        operation: expect.objectContaining({ area: 'made', operationId: 'updateThing' }),
        principalId: 'ann',
        clientAddress: expect.any(String),
        status: 200,
        code: 'OK',
        reason: undefined,
        milliseconds: expect.any(Number),
      })
    })

    test('the operation is the same object in every entry', async () => {
      await using served = await serve()
      const operations: unknown[] = []
      for (const id of ['1', '2']) {
        await served.send('GET', `/made/v1/things/${id}`)
        operations.push((await served.service.logged()).operation)
      }
      expect(operations[0]).toBeDefined()
      expect(operations[1]).toBe(operations[0])
    })

    test.each([
      ['GET', '/nope', 'NOT_FOUND'],
      ['DELETE', '/fail/common', 'NOT_FOUND'],
      ['GET', '/fail/common', 'UNAVAILABLE'],
      ['GET', '/fail/error', 'INTERNAL'],
      ['OPTIONS', '/fail/common', 'OK'],
    ])('the log code is the code of the error: %s %s', async (method, path, code) => {
      await using served = await serve()
      await served.send(method, path)
      expect(await served.service.logged()).toMatchObject({ code })
    })
  })

  describe(`${name}: bytes and text`, () => {
    test.each([
      ['bytes.bin', [0, 255, 254, 13, 10], 'application/octet-stream'],
      ['blob.bin', [0, 255], 'application/octet-stream'],
    ])('%s arrives unchanged', async (file, bytes, type) => {
      await using served = await serve()
      const answer = await served.send('GET', `/files/${file}`)
      expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual(bytes)
      expect(answer.headers.get('content-type')).toBe(type)
    })

    test('an upload is read as a stream and beyond the limit of JSON', async () => {
      await using served = await serve()
      const headers = { 'content-type': 'application/octet-stream' }
      const answer = await served.send('PUT', '/files/a', post(new Uint8Array(3_000_000), headers))
      expect([answer.status, await answer.json()]).toEqual([200, { length: 3_000_000 }])
    })

    test('empty bytes and an empty text are bytes and a text', async () => {
      await using served = await serve()
      const bytes = post(new Uint8Array(), { 'content-type': 'application/octet-stream' })
      const answer = await served.send('PUT', '/files/a', bytes)
      expect([answer.status, await answer.json()]).toEqual([200, { length: 0 }])
      const noted = await served.send('POST', '/notes', post('', { 'content-type': 'text/plain' }))
      expect(await faultsOf(noted)).toEqual({ body: 'must not be empty' })
    })

    test('an upload that the handler abandons is discarded, and the connection continues', async () => {
      await using served = await serve()
      const init = post(new Uint8Array(3_000_000).fill(0xff), { 'content-type': 'application/octet-stream' })
      expect(await (await served.send('PUT', '/files/a', init)).json()).toEqual({ stoppedAfter: true })
      expect((await served.send('GET', '/made/v1/things/1')).status).toBe(200)
    })

    test.each(['endless', 'silent'])('an %s download ends when the caller disconnects', async file => {
      await using served = await serve()
      const answer = await served.send('GET', `/files/${file}.bin`)
      const reader = answer.body?.getReader()
      expect((await reader?.read())?.value?.[0]).toBe(7)
      await reader?.cancel()
      expect(await served.service.logged()).toMatchObject({ status: 200, code: 'CANCELLED', reason: 'CANCELLED' })
      expect(served.service.endless.stopped).toBe(true)
      expect(served.service.endless.pulled).toBeLessThan(1000)
    })

    test('a download that fails is cut off and logged as a defect', async () => {
      await using served = await serve()
      const broken = served.send('GET', '/files/broken.bin').then(answer => answer.arrayBuffer())
      await expect(broken).rejects.toThrow(/disk error|terminated|fetch failed/)
      expect(await served.service.logged()).toMatchObject({
        code: 'INTERNAL',
        reason: 'INTERNAL',
        error: new Error('disk error'),
      })
    })

    test('text stays text, whatever it looks like', async () => {
      await using served = await serve()
      const answer = await served.send('POST', '/notes', post('123', { 'content-type': 'text/plain;charset=UTF-8' }))
      expect([await answer.text(), answer.headers.get('content-type')]).toEqual(['123', 'text/plain'])
      expect((await served.send('POST', '/notes', post('1', json))).status).toBe(400)
    })
  })

  test(`${name}: a disconnect of the caller aborts the call, which is logged as cancelled`, async () => {
    await using served = await serve()
    const controller = new AbortController()
    const call = served.send('POST', '/made/v1/things/hang:start', { signal: controller.signal })
    const context = await served.service.hanging
    expect(context.signal.aborted).toBe(false)
    controller.abort()
    await call.catch(() => undefined)
    expect(await served.service.logged()).toMatchObject({
      status: 499,
      code: 'CANCELLED',
      reason: 'CANCELLED',
      operationId: 'startThing',
    })
  })
}
