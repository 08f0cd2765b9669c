import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Doors } from '../../../runtime/doors.ts'
import type { AreaModule } from '../../../server/area.ts'
import type { DataPlane } from '../../../domain/ports/data-planes.ts'
import type { RunningServer } from '../../../server/serve.ts'
import { testToken } from '../access/test-access.ts'
import { readExposition, valueOf } from '../health/exposition-format.ts'
import { rawExchange, testServer, type TestSettings } from '../http/harness.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { depotArea, depotPlane, depotRoute, depotWatch } from './depot.ts'

const served = (
  planes: readonly DataPlane[],
  settings: TestSettings = {},
  more: readonly AreaModule[] = [],
): Promise<RunningServer> => testServer([depotArea(() => planes), ...more], testFolder(), settings)

const oci = (code: string, reason: string) => ({
  errors: [{ code, message: expect.any(String), detail: { reason } }],
})
const status = (domain: string, reason: string) => ({
  details: expect.arrayContaining([expect.objectContaining({ domain, reason })]),
})

async function opened(url: string, allowHalfOpen = false): Promise<Socket> {
  const port = Number(new URL(url).port)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen }).on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Returns the text that the server sends until it closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  await new Promise(resolve => socket.once('close', resolve))
  return text
}

describe('a data plane', () => {
  it.each<[string, string, number, object]>([
    ['an unknown path', 'GET /v2/nothing HTTP/1.1', 404, oci('NAME_UNKNOWN', 'ROUTE_NOT_FOUND')],
    ['its prefix alone', 'GET /v2 HTTP/1.1', 404, oci('NAME_UNKNOWN', 'ROUTE_NOT_FOUND')],
    ['its prefix with a query', 'GET /v2?a HTTP/1.1', 404, oci('NAME_UNKNOWN', 'ROUTE_NOT_FOUND')],
    ['the request of a proxy', 'GET http://x/v2/nothing HTTP/1.1', 404, oci('NAME_UNKNOWN', 'ROUTE_NOT_FOUND')],
    [
      'a method that its path does not accept',
      'POST /v2/a/blobs/1 HTTP/1.1',
      405,
      oci('UNSUPPORTED', 'ROUTE_NOT_FOUND'),
    ],
    ['a method of WebDAV', 'PROPFIND /v2/a/blobs/1 HTTP/1.1', 405, oci('UNSUPPORTED', 'ROUTE_NOT_FOUND')],
    ['broken percent-encoding', 'GET /v2/a/%zz/blobs/1 HTTP/1.1', 400, oci('UNKNOWN', 'FIELD_INVALID')],
    ['a NUL in a name', 'GET /v2/a%00/blobs/1 HTTP/1.1', 400, oci('UNKNOWN', 'FIELD_INVALID')],
    ['an unknown query parameter', 'GET /v2/a/blobs/1?x=1 HTTP/1.1', 400, oci('UNKNOWN', 'FIELD_INVALID')],
    ['a URL of 17 KiB', `GET /v2/${'a'.repeat(17_000)} HTTP/1.1`, 400, oci('UNKNOWN', 'FIELD_INVALID')],
    ['an error of its handlers', 'GET /v2/a/b/tags/list HTTP/1.1', 404, oci('NAME_UNKNOWN', 'REPOSITORY_NOT_FOUND')],
    ['a path outside its prefix', 'GET /v20/ HTTP/1.1', 404, status('ninefold', 'ROUTE_NOT_FOUND')],
    ['its path, encoded', 'GET /%762/ HTTP/1.1', 404, status('ninefold', 'ROUTE_NOT_FOUND')],
    ['a path of its area', 'GET /depot/v1/x HTTP/1.1', 404, status('depot', 'ROUTE_NOT_FOUND')],
  ])('renders the response for %s in its own form or that of the platform', async (_, head, expected, body) => {
    const { url } = await served([depotPlane()])
    const text = await rawExchange(url, `${head}\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const [answer = '', content = ''] = text.split('\r\n\r\n')
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected} `))
    expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}$/m)
    expect(JSON.parse(content)).toMatchObject(body)
  })

  it('has names with slashes, decoded once, and is counted like other requests', async () => {
    const { url } = await served([depotPlane()])
    const put = { method: 'PUT', body: 'hello' }
    const plain = await fetch(`${url}/v2/team/app/blobs/uploads/1`, put)
    expect([plain.status, plain.headers.get('location'), await plain.text()]).toEqual([
      201,
      '/v2/team/app/blobs/5',
      '5',
    ])
    const encoded = await fetch(`${url}/v2/team%2Fapp%2541/x/blobs/uploads/1`, put)
    expect(encoded.headers.get('x-name')).toBe('team/app%41/x')
    const metrics = readExposition(await (await fetch(`${url}/metrics`)).text())
    const labels = { area: 'depot', operation: 'putBlob', code: 'OK' }
    expect(valueOf(metrics, 'ninefold_http_requests_total', labels)).toBe(2)
  })

  it('limits bodies, with a limit of their own for some routes', async () => {
    const { url } = await served([depotPlane(depotWatch(), { maxBytes: 10_000 })])
    const put = async (path: string, bytes: number): Promise<readonly [number, unknown]> => {
      const answer = await fetch(url + path, { method: 'PUT', body: new Uint8Array(bytes) })
      return [answer.status, answer.status === 201 ? undefined : await answer.json()]
    }
    const refused = [413, oci('SIZE_INVALID', 'FIELD_INVALID')]
    expect(await put('/v2/a/blobs/uploads/1', 10_000)).toEqual([201, undefined])
    expect(await put('/v2/a/blobs/uploads/1', 10_001)).toEqual(refused)
    expect(await put('/v2/a/manifests/1', 4096)).toEqual([201, undefined])
    expect(await put('/v2/a/manifests/1', 4097)).toEqual(refused)
  })

  it('keeps its responses out of caches and adds headers to them, errors and refusals included', async () => {
    const around: DataPlane['around'] = dispatch => async request => {
      const answer = await dispatch(request)
      answer.headers['docker-distribution-api-version'] = 'registry/2.0'
      return answer
    }
    const { url } = await served([depotPlane(depotWatch(), { around, noStore: true })], { limits: { maxInFlight: 0 } })
    const answer = await fetch(`${url}/v2/`)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('docker-distribution-api-version')).toBe('registry/2.0')
    expect(await answer.json()).toEqual(oci('UNKNOWN', 'ENGINE_UNAVAILABLE'))
  })

  it('is refused at the start if it hides other paths', async () => {
    const hiding = depotPlane(depotWatch(), { prefix: '/sample', routes: [] })
    await expect(served([hiding], {}, [sampleArea()])).rejects.toThrow('hides the route createCrate of sample')
  })
})

describe('the doors of a plane', () => {
  const denied = { reason: 'KEY_REFUSED', rpc: 'UNAUTHENTICATED' } as const

  /** Makes doors that accept a key of the plane, or a bearer token of the platform. */
  const doors = (platform: Doors): Doors => ({
    async authenticate(request, access) {
      const key = request.headers['x-key']
      if (key === undefined) return platform.authenticate(request, access)
      if (key !== 'secret') throw new ApiError(denied, 'the key is not valid')
      return { id: 'key', kind: 'service_account' }
    },
    authorize: (context, route, path) => platform.authorize(context, route, path),
  })
  const route = depotRoute('GET', 'getOwn', ['/v2/', 'name', '/own'], { access: { kind: 'authenticated' } })
  const plane = depotPlane(depotWatch(), {
    doors,
    routes: [
      bind(route, async ({ name }, { principal }) => {
        if (name !== 'there') throw new ApiError({ reason: 'NONE', rpc: 'NOT_FOUND' }, 'none')
        return { status: 200, body: new TextEncoder().encode(principal?.id) }
      }),
    ],
  })

  it.each<[string, Readonly<Record<string, string>>, number, string]>([
    ['nothing', {}, 401, 'TOKEN_MISSING'],
    ['a wrong key', { 'x-key': 'guessed' }, 401, 'KEY_REFUSED'],
    ['a wrong bearer', { authorization: 'Bearer guessed' }, 401, 'TOKEN_INVALID'],
  ])(
    'give callers with %s the same response for existing and for missing resources',
    async (_, headers, code, reason) => {
      const { url } = await served([plane])
      const answers = await Promise.all(['there', 'nowhere'].map(name => fetch(`${url}/v2/${name}/own`, { headers })))
      expect(answers.map(answer => answer.status)).toEqual([code, code])
      const [one, other] = await Promise.all(answers.map(answer => answer.text()))
      expect(one).toBe(other)
      expect(JSON.parse(one ?? '')).toEqual(oci('UNAUTHORIZED', reason))
    },
  )

  it.each([
    ['a key', { 'x-key': 'secret' }, 'key'],
    ['a bearer of the platform', { authorization: `Bearer ${testToken}` }, '00000000-0000-7000-8000-00000000000a'],
  ])('admit callers by %s', async (_, headers, id) => {
    const { url } = await served([plane])
    expect(await (await fetch(`${url}/v2/there/own`, { headers })).text()).toBe(id)
    expect((await fetch(`${url}/v2/nowhere/own`, { headers })).status).toBe(404)
  })
})

describe('a plane with an address of its own', () => {
  const listener = { host: '127.0.0.1', port: 0 }

  async function apart(more: readonly DataPlane[] = [], settings: TestSettings = {}) {
    const told: string[] = []
    const listensAt = (url: string): void => void told.push(url)
    const server = await served([depotPlane(depotWatch(), { listener, listensAt }), ...more], settings)
    const [own = ''] = server.planeUrls
    return { server, own, told, origin: new URL(own).origin }
  }

  it('is served on that address only', async () => {
    const { server, own, told, origin } = await apart()
    expect(own).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2$/)
    expect(told).toEqual([origin])
    expect(server.greeting).toContain(`also listens on ${own}`)
    expect((await fetch(`${own}/`)).status).toBe(200)
    const elsewhere = await fetch(`${server.url}/v2/`)
    expect([elsewhere.status, await elsewhere.json()]).toMatchObject([404, status('ninefold', 'ROUTE_NOT_FOUND')])
  })

  it.each([
    ['/healthz', 200],
    ['/readyz', 200],
    ['/metrics', 404],
    ['/', 404],
    ['/openapi/depot.json', 404],
    ['/depot/v1/x', 404],
  ])('responds outside its paths only to health: %s', async (path, expected) => {
    const { origin } = await apart()
    expect((await fetch(origin + path)).status).toBe(expected)
  })

  it('reports invalid requests in its form', async () => {
    const { origin } = await apart()
    const [, content = ''] = (await rawExchange(origin, 'hello\r\n\r\n')).split('\r\n\r\n')
    expect(JSON.parse(content)).toEqual(oci('UNKNOWN', 'FIELD_INVALID'))
  })

  it('may share the address with others, and then reports invalid requests in the form of the platform', async () => {
    const route = bind(depotRoute('GET', 'getOther', ['/other/x']), async () => ({ status: 204 }))
    const { server, origin } = await apart([{ prefix: '/other', routes: [route], listener }])
    expect(server.planeUrls).toEqual([`${origin}/v2`, `${origin}/other`])
    expect((await fetch(`${origin}/other/x`)).status).toBe(204)
    expect(await (await fetch(`${origin}/other/y`)).json()).toMatchObject(status('depot', 'ROUTE_NOT_FOUND'))
    const [, content = ''] = (await rawExchange(origin, 'hello\r\n\r\n')).split('\r\n\r\n')
    expect(JSON.parse(content)).toMatchObject(status('ninefold', 'FIELD_INVALID'))
  })

  it('sees callers behind trusted proxies, as the platform does', async () => {
    const route = bind(depotRoute('GET', 'getCaller', ['/v2/caller']), async (_, { clientAddress }) => ({
      status: 200,
      body: new TextEncoder().encode(clientAddress),
    }))
    const plane = depotPlane(depotWatch(), { listener, routes: [route] })
    const { planeUrls } = await served([plane], { trustedProxies: ['127.0.0.1'] })
    const answer = await fetch(`${planeUrls[0]}/caller`, { headers: { 'x-forwarded-for': '192.0.2.7' } })
    expect(await answer.text()).toBe('192.0.2.7')
  })

  it('counts its connections, and lets its calls end when the server ends', async () => {
    const watch = depotWatch()
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    watch.gate = () => {
      started.resolve()
      return released.promise
    }
    const { url, close, planeUrls } = await served([depotPlane(watch, { listener })])
    const [own = ''] = planeUrls
    const upload = fetch(`${own}/a/blobs/uploads/1`, { method: 'PUT', body: 'hello' })
    await started.promise
    const metrics = readExposition(await (await fetch(`${url}/metrics`)).text())
    expect(valueOf(metrics, 'ninefold_http_connections')).toBe(2)
    expect(valueOf(metrics, 'ninefold_http_in_work')).toBe(1)
    const closed = close()
    await expect.poll(async () => (await fetch(`${own}/`)).status).toBe(503)
    expect(await (await fetch(`${own}/`)).json()).toEqual(oci('UNKNOWN', 'ENGINE_UNAVAILABLE'))
    expect((await fetch(`${new URL(own).origin}/readyz`)).status).toBe(503)
    released.resolve()
    expect((await upload).status).toBe(201)
    await closed
    await expect(fetch(`${own}/`)).rejects.toThrow('fetch failed')
  })

  it('does not leave a server half open if its address is in use', async () => {
    const first = await apart()
    const { port } = new URL(first.own)
    const taken = depotPlane(depotWatch(), { listener: { ...listener, port: Number(port) } })
    await expect(served([taken])).rejects.toThrow('EADDRINUSE')
  })
})

describe('the pace of a body to a plane', () => {
  const limits = { requestMs: 400, headersMs: 400 }
  const pace = { bytesPerSecond: 1000, overMs: 300 }
  const head = 'PUT /v2/a/blobs/uploads/1 HTTP/1.1\r\nhost: x\r\n'

  it('allows a body to take longer than other requests', async () => {
    const { url } = await served([depotPlane(depotWatch(), { pace })], { limits })
    const socket = await opened(url)
    const answer = received(socket)
    const pieces = 30
    socket.write(`${head}content-length: ${pieces * 1000}\r\nconnection: close\r\n\r\n`)
    // The body takes three times as long as `requestMs` allows, at ten times the required pace.
    for (let sent = 0; sent < pieces; sent += 1) {
      socket.write('x'.repeat(1000))
      await pause(40)
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
  })

  it.each([
    ['too slowly', 20],
    ['not at all', 0],
  ])('ends a body that comes %s, in the form of the plane', async (_, bytes) => {
    const { url } = await served([depotPlane(depotWatch(), { pace })], { limits })
    const socket = await opened(url)
    const answer = received(socket)
    socket.write(`${head}content-length: 100000\r\n\r\n`)
    const timer = setInterval(() => bytes > 0 && socket.write('x'.repeat(bytes)), 50)
    const [start = '', content = ''] = (await answer).split('\r\n\r\n')
    clearInterval(timer)
    expect(start).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(content)).toEqual(oci('UNKNOWN', 'FIELD_INVALID'))
    const metrics = readExposition(await (await fetch(`${url}/metrics`)).text())
    expect(valueOf(metrics, 'ninefold_http_refused_total', { cause: 'timeout' })).toBe(1)
    const labels = { area: 'depot', operation: 'putBlob', code: 'CANCELLED' }
    expect(valueOf(metrics, 'ninefold_http_requests_total', labels)).toBe(1)
  })

  it('disconnects a caller that continues after the response 408', async () => {
    const { url } = await served([depotPlane(depotWatch(), { pace })], { limits })
    const socket = await opened(url, true)
    const closed = received(socket)
    socket.write(`${head}content-length: 100000\r\n\r\n`)
    const timer = setInterval(() => socket.write('x'), 50)
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /)
    clearInterval(timer)
  })

  it('does not count the time of a handler that does not read', async () => {
    const watch = depotWatch()
    const released = Promise.withResolvers<void>()
    watch.gate = () => released.promise
    const { url } = await served([depotPlane(watch, { pace })], { limits })
    const socket = await opened(url)
    const answer = received(socket)
    socket.write(`${head}content-length: 2000\r\nconnection: close\r\n\r\n${'x'.repeat(1000)}`)
    await expect.poll(() => watch.taken).toBe(1000)
    // The pause is several times the time limit of an idle caller.
    await pause(1200)
    expect(socket.destroyed).toBe(false)
    released.resolve()
    socket.write('x'.repeat(1000))
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
  })

  it('applies to the plane alone: elsewhere a body has the time of requests', async () => {
    const { url } = await served([depotPlane(depotWatch(), { pace })], { limits }, [sampleArea()])
    const socket = await opened(url)
    const answer = received(socket)
    const header = `authorization: Bearer ${testToken}\r\ncontent-type: application/json\r\n`
    socket.write(`POST /sample/v1/crates HTTP/1.1\r\nhost: x\r\n${header}content-length: 1000000\r\n\r\n`)
    const timer = setInterval(() => socket.write(' '.repeat(1000)), 40)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [^]*"FIELD_INVALID"/)
    clearInterval(timer)
  })
})
