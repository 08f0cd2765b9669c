import { gzipSync } from 'node:zlib'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { OtlpSender } from '../../../../server/observability/stack/forwarding/forwards.ts'
import { MemberClient } from '../../../../server/observability/stack/member-client.ts'
import { PrometheusMetrics } from '../../../../server/observability/stack/metrics/prometheus-metrics.ts'
import { StackCounts } from '../../../../server/observability/stack/stack-counts.ts'
import { testLabelling } from './test-labelling.ts'
import { hostileHost } from '../outbound/hostile-host.ts'

const [workspace, other] = ['01a2210c-c3ad-71cd-b4c5-a4a681bcdff3', '01a2210c-c3ad-71cd-b4c5-a4a681bcdff4'] as const

const secret = 'db-3.internal.example'

const answer = (body: string, status = '200 OK', headers = '') =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const success = (data: unknown, more: object = {}) => answer(JSON.stringify({ status: 'success', data, ...more }))

const empty = { resultType: 'vector', result: [] }

const incomplete = 'the engine has answered with warnings; the result may be incomplete'
const aboutQuery = 'the engine has a warning about the query; the result may differ from what the query asks for'

const vectorOf = (metric: unknown, value: unknown = [1, '1']) =>
  success({ resultType: 'vector', result: [{ metric, value }] })

/** Returns the metrics of a member that serves each connection as `serve` says. */
async function metricsOf(serve: (socket: Socket) => void, hasTenants = false) {
  const host = await hostileHost(serve)
  const counts = new StackCounts()
  const member = {
    engine: 'far',
    setting: 'metrics_url',
    url: `http://127.0.0.1:${host.port}/base/`,
    hasTenants,
  } as const
  const metrics = new PrometheusMetrics(new MemberClient(member, counts))
  return { host, counts, metrics }
}

const asked = { query: 'up', time: 1000, timeoutMs: 60_000, limit: 10 }

/** Returns the error of a query of a member. */
async function errorOf(serve: (socket: Socket) => void, timeoutMs = 60_000): Promise<ApiError> {
  const { metrics } = await metricsOf(serve)
  const error: unknown = await metrics
    .query(workspace, { ...asked, timeoutMs }, new AbortController().signal)
    .catch((e: unknown) => e)
  if (error instanceof ApiError) return error
  throw error
}

const says = (text: string | Buffer) => (socket: Socket) => void socket.end(text)

describe('a member of a stack', () => {
  it.each<readonly [string, (socket: Socket) => void]>([
    ['closes the connection', socket => void socket.destroy()],
    ['answers no HTTP', says(`SSH-2.0 ${secret}\r\n`)],
    ['answers no JSON', says(answer(`<html>${secret}</html>`))],
    ['answers half of its body', says(`HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"status":"success"`)],
    ['answers another object', says(answer(JSON.stringify({ host: secret })))],
    ['answers a list', says(answer('[]'))],
    ['answers null', says(answer('null'))],
    ['answers deep JSON', says(answer('['.repeat(100_000)))],
    ['answers no valid UTF-8', says(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.of(0xff, 0xfe)]))],
    ['redirects', says(answer('{}', '302 Found', `location: http://${secret}/\r\n`))],
    ['redirects for ever', says(answer('{}', '308 Permanent Redirect', `location: /api/v1/query\r\n`))],
    ['refuses the platform', says(answer(secret, '401 Unauthorized'))],
    ['forbids the platform', says(answer(secret, '403 Forbidden'))],
    ['fails', says(answer(secret, '500 Internal Server Error'))],
    ['is overloaded', says(answer(secret, '429 Too Many Requests'))],
    ['has no such path', says(answer(secret, '404 Not Found'))],
    [
      'is unavailable',
      says(answer(JSON.stringify({ status: 'error', errorType: 'unavailable', error: secret }), '503 Busy')),
    ],
    ['answers a wrong type', says(success({ resultType: 'streams', result: [] }))],
    ['answers elements without labels', says(vectorOf(undefined))],
    ['answers labels that are no texts', says(vectorOf({ a: 1 }))],
    ['answers values that are no numbers', says(vectorOf({}, [1, secret]))],
    ['answers an empty value', says(vectorOf({}, [1, '']))],
    ['answers times that are none', says(vectorOf({}, [1e300, '1']))],
    ['answers times before the year 0', says(vectorOf({}, [-1e12, '1']))],
    ['answers times after the year 9999', says(vectorOf({}, [1e12, '1']))],
    ['answers a series of another workspace', says(vectorOf({ workspace_id: other, secret }))],
    ['answers warnings that are no list', says(success(empty, { warnings: secret }))],
    ['answers warnings that are no texts', says(success(empty, { warnings: [{ secret }] }))],
    ['answers no truth value of partial data', says(success(empty, { isPartial: 'true' }))],
  ])('that %s makes the engine unavailable, and nothing of it is told', async (_fault, serve) => {
    const { message, reason, rpc } = await errorOf(serve)
    expect([reason, rpc]).toEqual(['ENGINE_UNAVAILABLE', 'UNAVAILABLE'])
    expect(message).toMatch(/^metrics_url of the engine far /)
    expect(message).not.toMatch(/internal|127\.0\.0\.1|:\d{4,5}|html/)
  })

  it('that sends its answer too slowly makes the engine unavailable', async () => {
    const { message, reason } = await errorOf(socket => void socket.write('HTTP/1.1 200 OK\r\n\r\n{'), 1000)
    expect([reason, message]).toEqual([
      'ENGINE_UNAVAILABLE',
      'metrics_url of the engine far does not answer: the whole response did not arrive within 3 s',
    ])
  })

  it.each<readonly [string, (socket: Socket) => void]>([
    ['an endless body', socket => endless(socket)],
    [
      'a small body that becomes large',
      says(
        Buffer.concat([
          Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n'),
          gzipSync(Buffer.alloc(64 * 2 ** 20)),
        ]),
      ),
    ],
  ])('that answers with %s is left after 10 MiB', async (_name, serve) => {
    const { metadata, reason } = await errorOf(serve)
    expect([reason, metadata]).toEqual(['QUERY_LIMIT_EXCEEDED', { limit: 'bytes' }])
  })

  it('that answers a sender of telemetry without an end makes the engine unavailable', async () => {
    const { host } = await metricsOf(endless)
    const member = {
      engine: 'far',
      setting: 'otlp_url',
      url: `http://127.0.0.1:${host.port}`,
      hasTenants: false,
    } as const
    const body = Buffer.from('{"resourceMetrics":[]}')
    const sent = { body, coding: 'identity', format: 'otlp-json', staticLabels: {} } as const
    const error: unknown = await new OtlpSender(new MemberClient(member, new StackCounts()), testLabelling())
      .push(workspace, 'METRICS', sent)
      .catch((e: unknown) => e)
    expect(error).toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
  })

  it.each([
    ['400 Bad Request', 'bad_data', 'QUERY_TYPE_INVALID'],
    ['422 Unprocessable Entity', 'execution', 'QUERY_EXECUTION_FAILED'],
    ['503 Service Unavailable', 'timeout', 'QUERY_TIMEOUT'],
    ['503 Service Unavailable', 'canceled', 'QUERY_TIMEOUT'],
  ])('that refuses a query with %s and %s gives its own reason without its text', async (status, errorType, reason) => {
    const error = await errorOf(says(answer(JSON.stringify({ status: 'error', errorType, error: secret }), status)))
    expect(error.reason).toBe(reason)
    expect(JSON.stringify([error.message, error.details])).not.toContain('internal')
  })

  it.each([
    ['vector', { metric: {}, histogram: [1, { count: '1', sum: '1', buckets: [] }] }],
    ['matrix', { metric: {}, values: [[1, '1']], histograms: [[2, { count: '1', sum: '1' }]] }],
  ])('that answers native histograms in a %s is no fault of the member', async (resultType, element) => {
    const { metadata, reason } = await errorOf(says(success({ resultType, result: [element] })))
    expect([reason, metadata?.['feature']]).toEqual(['QUERY_FEATURE_UNSUPPORTED', 'native histograms'])
  })

  it.each<readonly [object, readonly string[]]>([
    [{ warnings: [`no answer of ${secret}`] }, [incomplete]],
    [{ warnings: ['PromQL info: x', 'PromQL warning: y (1:1)', secret] }, [incomplete, aboutQuery]],
    [{ warnings: [`${secret} said: PromQL info: x`] }, [incomplete]],
    [{ warnings: ['10 more warning annotations omitted'] }, [incomplete]],
    [{ isPartial: true }, [incomplete]],
    [{ warnings: ['PromQL info: metric might not be a counter: "up" (1:6)'] }, []],
    [{ warnings: ['PromQL warning: quantile value should be between 0 and 1, got 10 (1:10)'] }, [aboutQuery]],
    [{ warnings: null, isPartial: false }, []],
    [{ warnings: [], isPartial: false, infos: ['x'] }, []],
  ])('that answers with %j gives the warnings %j', async (more, expected) => {
    const data = { resultType: 'vector', result: [{ metric: {}, value: [1, '1'] }] }
    const { metrics } = await metricsOf(says(success(data, more)))
    const { text } = await metrics.query(workspace, asked, new AbortController().signal)
    expect(JSON.parse(text).warnings).toEqual(expected)
    expect(text).not.toContain('internal')
  })

  it('is asked below its path, for the workspace alone', async () => {
    const { counts, host, metrics } = await metricsOf(
      says(vectorOf({ workspace_id: workspace, job: 'api' }, [1, '1e3'])),
    )
    const { text } = await metrics.query(workspace, asked, new AbortController().signal)
    expect(JSON.parse(text)).toMatchObject({
      vector: [{ metric: { job: 'api' }, time: '1970-01-01T00:00:01.000Z', value: '1000' }],
    })
    expect(host.received()).toMatch(/^POST \/base\/api\/v1\/query HTTP/)
    expect(host.received().toLowerCase()).not.toContain('x-scope-orgid')
    expect(decodeURIComponent(host.received())).toContain(`query={workspace_id="${workspace}",__name__="up"}`)
    expect(counts.metrics()[0]?.read()).toEqual([
      { labels: { engine: 'far', member: 'metrics', outcome: 'answered' }, value: 1 },
      { labels: { engine: 'far', member: 'metrics', outcome: 'failed' }, value: 0 },
    ])
  })

  it('with tenants learns the workspace from a header', async () => {
    const { host, metrics } = await metricsOf(says(vectorOf({ workspace_id: other })), true)
    const { text } = await metrics.query(workspace, asked, new AbortController().signal)
    expect(JSON.parse(text)).toMatchObject({ vector: [{ metric: { workspace_id: other } }] })
    expect(host.received().toLowerCase()).toContain(`x-scope-orgid: ${workspace}`)
    expect(decodeURIComponent(host.received())).toContain('query={__name__="up"}&')
  })

  it('is left when the caller leaves', async () => {
    const { counts, metrics } = await metricsOf(() => {})
    const caller = new AbortController()
    const query = metrics.query(workspace, asked, caller.signal)
    caller.abort(new Error('left'))
    await expect(query).rejects.toThrow('left')
    expect(counts.metrics()[0]?.read()).toEqual([])
  })

  it('tells an alert rule whether a selector has matched a series', async () => {
    const bodies = [success(empty), vectorOf({}), success(empty)]
    let calls = 0
    const { metrics } = await metricsOf(socket => {
      socket.end(bodies[calls % 3] ?? '')
      calls += 1
    })
    const ask = () => metrics.alertVector(workspace, 'up == 0', 1000, new AbortController().signal)
    expect(await ask()).toEqual({ elements: [], hasData: true })
    expect(await ask()).toEqual({ elements: [], hasData: false })
  })
})

/** Writes JSON that never ends. */
function endless(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const more = (): void => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536, ' '))) continue
    socket.once('drain', more)
  }
  more()
}
