import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TaxonomyClient } from '../../output/taxonomy/client.ts'
import { dataFolder, type Served, startServer } from './served.ts'

const folder = dataFolder()
let server: Served
beforeAll(async () => {
  server = await startServer(folder.path)
})
afterAll(async () => {
  await server.end('SIGINT')
  folder.remove()
})

interface Answer {
  readonly status: number
  readonly text: string
}

/** Writes bytes to the server and reads its response until the server closes the connection; returns the response. */
async function raw(...bytes: readonly (string | Uint8Array)[]): Promise<Answer> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined)
  await once(socket, 'connect')
  for (const part of bytes) socket.write(part)
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString('latin1')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }
}

interface Sent {
  readonly method?: string
  readonly headers?: readonly string[]
  readonly body?: string | Uint8Array
}

function request(target: string, { method = 'GET', headers = [], body }: Sent = {}): Promise<Answer> {
  const payload = body === undefined ? undefined : Buffer.from(body)
  const head = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${server.token}`,
    'connection: close',
    ...(payload ? [`content-length: ${payload.length}`] : []),
    ...headers,
  ]
  return raw(`${head.join('\r\n')}\r\n\r\n`, ...(payload ? [payload] : []))
}

const json = ['content-type: application/json']
const post = (body: string | Uint8Array, headers: readonly string[] = json): Promise<Answer> =>
  request('/taxonomy/v1/organisations', { method: 'POST', headers, body })

const deep = (levels: number): string => `{"name":"a","labels":${'['.repeat(levels)}${']'.repeat(levels)}}`
const valid = Buffer.from('{"name":"a')

/** The hostile requests, each with the HTTP status and the reason of its response. */
const cases: readonly (readonly [what: string, send: () => Promise<Answer>, status: number, reason: string])[] = [
  ['bad percent-encoding', () => request('/taxonomy/v1/quotas/%zz'), 400, 'FIELD_INVALID'],
  ['a cut percent-encoding', () => request('/taxonomy/v1/quotas/%e'), 400, 'FIELD_INVALID'],
  ['percent-encoding that is not UTF-8', () => request('/taxonomy/v1/quotas/%ff'), 400, 'FIELD_INVALID'],
  ['an encoded slash in an id', () => request('/taxonomy/v1/quotas/a%2Fb'), 404, 'QUOTA_NOT_FOUND'],
  ['an encoded colon in an id', () => request('/taxonomy/v1/quotas/a%3Areset'), 404, 'QUOTA_NOT_FOUND'],
  ['an encoded NUL in an id', () => request('/taxonomy/v1/quotas/a%00b'), 400, 'FIELD_INVALID'],
  ['an unknown verb', () => request('/taxonomy/v1/quotas:nope'), 404, 'ROUTE_NOT_FOUND'],
  ['an empty segment', () => request('/taxonomy/v1/quotas/'), 404, 'ROUTE_NOT_FOUND'],
  ['dots in the path', () => request('/taxonomy/v1/../v1/quotas'), 404, 'ROUTE_NOT_FOUND'],
  ['a URL of 17 KiB', () => request(`/taxonomy/v1/quotas?filter=${'a'.repeat(17 * 1024)}`), 400, 'FIELD_INVALID'],
  ['an unknown query parameter', () => request('/taxonomy/v1/quotas?colour=red'), 400, 'FIELD_INVALID'],
  ['a repeated query parameter', () => request('/taxonomy/v1/quotas?page_size=1&page_size=2'), 400, 'FIELD_INVALID'],
  ['a query parameter __proto__', () => request('/taxonomy/v1/quotas?__proto__=1'), 400, 'FIELD_INVALID'],
  ['a page size beyond all integers', () => request('/taxonomy/v1/quotas?page_size=1e999'), 400, 'FIELD_INVALID'],
  [
    'a filter of 5,000 characters',
    () => request(`/taxonomy/v1/quotas?filter=${'('.repeat(5000)}`),
    400,
    'FILTER_INVALID',
  ],
  ['an unknown method of a path', () => request('/taxonomy/v1/quotas', { method: 'DELETE' }), 405, 'ROUTE_NOT_FOUND'],
  ['a method of WebDAV', () => request('/taxonomy/v1/quotas', { method: 'PROPFIND' }), 405, 'ROUTE_NOT_FOUND'],
  ['no JSON', () => post('{"name":'), 400, 'FIELD_INVALID'],
  ['JSON of another kind', () => post('[]'), 400, 'FIELD_INVALID'],
  ['the word null', () => post('null'), 400, 'FIELD_INVALID'],
  ['an empty body', () => post(''), 400, 'FIELD_INVALID'],
  ['a body of 2 MiB', () => post(`{"name":"${'a'.repeat(2 * 1024 * 1024)}"}`), 400, 'FIELD_INVALID'],
  ['JSON of 90,000 levels', () => post(deep(90_000)), 400, 'FIELD_INVALID'],
  ['__proto__ as a member', () => post('{"name":"proto-1","__proto__":{"x":1}}'), 400, 'FIELD_INVALID'],
  ['__proto__ as a label', () => post('{"name":"proto-2","labels":{"__proto__":"x"}}'), 400, 'FIELD_INVALID'],
  ['constructor as a member', () => post('{"name":"proto-3","constructor":1}'), 400, 'FIELD_INVALID'],
  [
    'invalid UTF-8',
    () => post(Buffer.concat([valid, Buffer.from([0xff, 0xfe]), Buffer.from('"}')])),
    400,
    'FIELD_INVALID',
  ],
  ['a text body', () => post('{"name":"text"}', ['content-type: text/plain']), 400, 'FIELD_INVALID'],
  ['a body without a type', () => post('{"name":"untyped"}', []), 400, 'FIELD_INVALID'],
  ['a form', () => post('name=a', ['content-type: application/x-www-form-urlencoded']), 400, 'FIELD_INVALID'],
  [
    'an Idempotency-Key of 129 characters',
    () => post('{"name":"k"}', [...json, `idempotency-key: ${'k'.repeat(129)}`]),
    400,
    'FIELD_INVALID',
  ],
  [
    'a token that is not one',
    () =>
      raw(
        'GET /taxonomy/v1/quotas HTTP/1.1\r\nhost: a\r\nauthorization: Bearer \u00ff\u00fe\r\nconnection: close\r\n\r\n',
      ),
    401,
    'TOKEN_INVALID',
  ],
  [
    'two tokens',
    () => request('/taxonomy/v1/quotas', { headers: ['authorization: Bearer other'] }),
    401,
    'TOKEN_INVALID',
  ],
  ['no HTTP', () => raw('hello\r\n\r\n'), 400, 'FIELD_INVALID'],
  [
    'headers of 60 KiB',
    () => request('/taxonomy/v1/quotas', { headers: [`x-long: ${'h'.repeat(60 * 1024)}`] }),
    431,
    'FIELD_INVALID',
  ],
  [
    'a malformed length',
    () => request('/taxonomy/v1/organisations', { method: 'POST', headers: [...json, 'content-length: ten'] }),
    400,
    'FIELD_INVALID',
  ],
  [
    'an unknown Expect',
    () => request('/taxonomy/v1/quotas/a%2Fb', { headers: ['expect: banana'] }),
    404,
    'QUOTA_NOT_FOUND',
  ],
  ['a path outside every area', () => request('/nope'), 404, 'ROUTE_NOT_FOUND'],
]

describe('a hostile request', () => {
  it.each(cases)('with %s has the documented response', async (_what, send, status, reason) => {
    const answer = await send()
    expect(answer.text).toContain(`"reason":"${reason}"`)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain('"@type":"type.googleapis.com/google.rpc.ErrorInfo"')
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d|SyntaxError/)
  })

  it('with duplicate members uses the last one', async () => {
    const answer = await post('{"name":"first-name","name":"last-name"}')
    expect(answer.status).toBe(200)
    const { organisations } = await new TaxonomyClient(server.transport).listOrganisations({
      filter: 'name = "*-name"',
    })
    expect(organisations.map(({ name }) => name)).toEqual(['last-name'])
  })

  it('that is cut off leaves no changes and no defect in the log', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST /taxonomy/v1/organisations HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${server.token}\r\n`
    socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"name":"cut`)
    socket.destroySoon()
    await once(socket, 'close')
    const client = new TaxonomyClient(server.transport)
    const { organisations } = await client.listOrganisations({ filter: 'name = "cut*"' })
    expect(organisations).toEqual([])
  })

  it('was never a defect of the server', () => {
    const entries = server.output.filter(text => text.includes('"reason":"INTERNAL"'))
    expect(entries).toEqual([])
  })
})
