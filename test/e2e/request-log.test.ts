import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRecord } from '../../runtime/validation.ts'
import { rawExchange } from '../server/http/harness.ts'
import { secretCalls, type SecretCall } from './secret-bodies.ts'
import { dataFolder, startServer, type Served } from './served.ts'

const folder = dataFolder()
let server: Served
beforeAll(async () => {
  server = await startServer(folder.path)
})
afterAll(async () => {
  await server.end('SIGTERM')
  folder.remove()
})

const secret = 'sesame-0pen-y0u'
const calls = secretCalls(secret)

/** Returns the JSON lines of the log that contain a text. */
function linesWith(text: string): readonly Record<string, unknown>[] {
  const found = server.output
    .join('')
    .split('\n')
    .filter(line => line.startsWith('{') && line.includes(text))
  return found.map((line): unknown => JSON.parse(line)).filter(isRecord)
}

function call(path: string, init: RequestInit = {}, token = server.token): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(server.url + path, {
    ...init,
    headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
  })
}

const bodies: readonly (readonly [kind: string, make: (call: SecretCall) => string])[] = [
  ['as it should be', ({ body }) => JSON.stringify(body)],
  ['with an unknown member', ({ body }) => JSON.stringify({ ...Object(body), [secret]: secret })],
  [
    'with secrets where objects stand',
    ({ body }) => JSON.stringify({ ...Object(body), labels: secret, name: [secret] }),
  ],
  ['that is not JSON', ({ body }) => `${JSON.stringify(body)}${secret}`],
  ['that is cut', ({ body }) => JSON.stringify(body).slice(0, -2)],
]

/** Returns the log line of a response; the server may write the line after the response. */
async function lineOf({ headers }: Response): Promise<Record<string, unknown>> {
  const id = `"requestId":"${headers.get('x-request-id') ?? ''}"`
  await expect.poll(() => linesWith(id).length, { interval: 5 }).toBe(1)
  return linesWith(id)[0] ?? {}
}

describe('the log', () => {
  it('is tested with secret bodies of several areas', () => {
    expect(new Set(calls.map(({ area }) => area)).size).toBeGreaterThanOrEqual(4)
    expect(calls.length).toBeGreaterThan(20)
  })

  it('has a line for each request, and no secret of a valid or invalid body', async () => {
    const statuses = new Set<number>()
    for (const [, make] of bodies) {
      for (const secretCall of calls) {
        const { area, method, operationId, path } = secretCall
        const answer = await call(path, { method, body: make(secretCall) })
        await answer.arrayBuffer()
        statuses.add(answer.status)
        const line = await lineOf(answer)
        expect(line).toMatchObject({ area, method, operationId, status: answer.status, msg: 'request' })
        expect(line).toMatchObject({ code: expect.any(String), ms: expect.any(Number) })
      }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([400, 404]))
    expect(server.output.join('')).not.toContain(secret)
  }, 60_000)

  it('names the caller', async () => {
    const answer = await call('/taxonomy/v1/quotas')
    const { principalId, traceId, code } = await lineOf(answer)
    expect([principalId, code]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'OK'])
    expect(answer.headers.get('traceparent')).toContain(traceId)
  })

  it.each<[string, () => Promise<Response>]>([
    ['an invalid token', () => call('/taxonomy/v1/quotas', {}, secret)],
    ['a token in the query', () => call(`/taxonomy/v1/quotas?access_token=${secret}`)],
    ['an unknown path', () => call(`/${secret}/v1`)],
    ['an unknown path of an area', () => call(`/vault/v1/${secret}/x/y/z`)],
    ['an id', () => call(`/taxonomy/v1/quotas/${secret}`)],
    ['a filter', () => call(`/taxonomy/v1/quotas?filter=${secret}`)],
    ['a page token', () => call(`/taxonomy/v1/quotas?page_token=${secret}`)],
    ['a cookie', () => call('/taxonomy/v1/quotas', { headers: { cookie: `session=${secret}` } })],
    ['a header', () => call('/taxonomy/v1/quotas', { headers: { 'x-api-key': secret, traceparent: secret } })],
    [
      'a key',
      () => call('/taxonomy/v1/organisations', { method: 'POST', body: '{', headers: { 'idempotency-key': secret } }),
    ],
  ])('has a line, but not the text sent as %s', async (_name, send) => {
    const answer = await send()
    await answer.arrayBuffer()
    await lineOf(answer)
    expect(server.output.join('')).not.toContain(secret)
  })

  it('has a line, with the id of the response, for a request that could not be parsed', async () => {
    const answer = await rawExchange(server.url, `GET /${secret} HTTP/7\r\nauthorization: Bearer ${secret}\r\n\r\n`)
    const [, id = ''] = /^x-request-id: (.+)\r$/m.exec(answer) ?? []
    await expect.poll(() => linesWith(id)).toMatchObject([{ status: 400, cause: 'malformed', msg: 'request refused' }])
    expect(server.output.join('')).not.toContain(secret)
  })

  it('agrees with the metrics, which contain no secret either', async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    expect(text).not.toContain(secret)
    expect(text).not.toContain(server.token)
    const counted = [...text.matchAll(/^ninefold_http_requests_total\{area="(?!ninefold").*\} (\d+)$/gm)]
    const sum = counted.reduce((total, [, count]) => total + Number(count), 0)
    const logged = linesWith('"msg":"request"').filter(({ area }) => area !== 'ninefold')
    expect(sum).toBe(logged.length)
    expect(server.output.join('')).not.toContain(server.token)
  })
})
