import { describe, expect, it, vi } from 'vitest'
import type { GraphQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { MemberClient } from '../../../../server/observability/stack/member-client.ts'
import { PrometheusGraphs } from '../../../../server/observability/stack/metrics/prometheus-graphs.ts'
import { StackCounts } from '../../../../server/observability/stack/stack-counts.ts'
import { hostileHost } from '../outbound/hostile-host.ts'
import {
  apiMember,
  workspace,
  type ApiAnswer,
  type ApiRequest,
  type MemberOptions,
  type ServeApi,
} from './api-member.ts'

const nowMs = 1_764_500_600_000
const clock = { now: () => nowMs }
const signal = new AbortController().signal

/** The ten minutes until now. */
const query: GraphQuery = {
  start: (nowMs - 600_000) * 1000,
  end: nowMs * 1000 + 999,
  minCallCount: 0,
  timeoutMs: 30_000,
}

const success = (result: unknown, more: object = {}): ApiAnswer => ({
  body: { status: 'success', data: { resultType: 'vector', result }, ...more },
})

const edge = (metric: object, value: unknown = '5') => ({
  metric: { client: 'web', server: 'api', workspace_id: workspace, ...metric },
  value: [nowMs / 1000, value],
})

const formOf = ({ body }: ApiRequest) => Object.fromEntries(new URLSearchParams(body.toString()))

/** The metric that a query asks for. */
const metricIn = (request: ApiRequest): string =>
  /traces_service_graph_request_(client|failed|server|total)/.exec(String(formOf(request)['query']))?.[1] ?? ''

const graphsOf = async (serve: ServeApi, options: MemberOptions = {}) => {
  const { client, requests } = await apiMember('metrics_url', serve, options)
  const graphs = new PrometheusGraphs(client, clock)
  return { requests, graph: (more: Partial<GraphQuery> = {}) => graphs.graph(workspace, { ...query, ...more }, signal) }
}

const errorOf = async (call: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await call.catch((e: unknown) => e)
  if (error instanceof ApiError) return error
  throw error
}

describe('service graphs in a store of metrics', () => {
  it('come from four queries at the end of the range, which are sent together', async () => {
    const whole = Promise.withResolvers<undefined>()
    const { graph, requests } = await graphsOf(async request => {
      if (requests.length === 4) whole.resolve(undefined)
      await whole.promise
      const metric = metricIn(request)
      if (metric === 'total') return success([edge({}, '41.6')])
      if (metric === 'failed') return success([edge({}, '2.1')])
      const bound = metric === 'client' ? '0.2' : '0.1'
      return success([edge({ le: bound }, '42'), edge({ le: '+Inf' }, '42')])
    })
    expect(await graph()).toEqual({
      nodes: [
        { name: 'api', ...type('SERVICE'), call_count: 42, error_count: 2, p50_ms: 50, p95_ms: 95, p99_ms: 99 },
        { name: 'web', ...type('SERVICE'), call_count: 0, error_count: 0, p50_ms: 0, p95_ms: 0, p99_ms: 0 },
      ],
      edges: [
        {
          source: 'web',
          target: 'api',
          connection_type: 'OBSERVABILITY_CONNECTION_TYPE_CALL',
          call_count: 42,
          error_count: 2,
          client: { p50_ms: 100, p95_ms: 190, p99_ms: 198 },
          server: { p50_ms: 50, p95_ms: 95, p99_ms: 99 },
        },
      ],
    })
    expect(requests.map(metricIn).toSorted()).toEqual(['client', 'failed', 'server', 'total'])
    for (const request of requests) {
      const { query: text, time, timeout } = formOf(request)
      expect([request.path, time, timeout]).toEqual(['/api/v1/query', String(nowMs / 1000), '30'])
      expect(text).toContain(`workspace_id="${workspace}"`)
      expect(text).toContain('[600000ms]')
      expect(request.headers).not.toHaveProperty('x-scope-orgid')
    }
  })

  it('with tenants learn the workspace from a header', async () => {
    const { graph, requests } = await graphsOf(() => success([edge({ workspace_id: 'other' })]), { hasTenants: true })
    expect((await graph()).edges).toHaveLength(1)
    for (const request of requests) {
      expect(request.headers['x-scope-orgid']).toBe(workspace)
      expect(formOf(request)['query']).not.toContain('workspace_id')
    }
  })

  const minute = 60_000_000
  const y2000 = Date.UTC(2000, 0, 1) * 1000
  it.each<readonly [string, Partial<GraphQuery>, number, string]>([
    ['a millisecond, if it has none', { start: query.end - 999 }, nowMs, '[1ms]'],
    ['now, if it ends later', { end: query.end + minute * 1e9 }, nowMs, '[600000ms]'],
    [
      'a time after 2000, if it starts before',
      { start: -minute * 1e9, end: y2000 + minute + 999 },
      y2000 / 1000 + 60_000,
      '[60000ms]',
    ],
  ])('are those of a range up to %s', async (_what, more, time, length) => {
    const { graph, requests } = await graphsOf(() => success([]))
    await graph(more)
    expect(requests.map(request => formOf(request)['time'])).toEqual(Array(4).fill(String(time / 1000)))
    expect(formOf(requests[0] as ApiRequest)['query']).toContain(length)
  })

  it.each<readonly [string, Partial<GraphQuery>]>([
    ['the future', { start: query.end + minute, end: query.end + 2 * minute }],
    ['a time before 2000', { start: -minute, end: y2000 - 1 }],
  ])('are empty in %s, and the store is not asked', async (_what, more) => {
    const { graph, requests } = await graphsOf(() => success([edge({})]))
    expect(await graph(more)).toEqual({ nodes: [], edges: [] })
    expect(requests).toEqual([])
  })

  it.each<readonly [string, ApiAnswer]>([
    ['another type of result', { body: { status: 'success', data: { resultType: 'scalar', result: [1, '1'] } } }],
    ['a matrix', { body: { status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values: [] }] } } }],
    ['no list', success({ secret: 1 })],
    ['no data', { body: { status: 'success' } }],
    ['no JSON', { body: 'secret' }],
    ['elements that are no objects', success(['secret'])],
    ['elements without labels', success([{ value: [1, '1'] }])],
    ['labels that are no texts', success([edge({ client: 1 })])],
    ['values that are no numbers', success([edge({}, 'secret')])],
    ['no value', success([{ metric: edge({}).metric }])],
    ['an edge of another workspace', success([edge({ workspace_id: 'secret' })])],
    ['an edge of no workspace', success([{ metric: { client: 'secret', server: 'api' }, value: [1, '1'] }])],
    [
      'an edge into another workspace',
      success([edge({ workspace_id: '', client_workspace_id: workspace, server_workspace_id: 'secret' })]),
    ],
    ['warnings', success([edge({})], { warnings: ['secret'] })],
    ['a part of the data', success([edge({})], { isPartial: true })],
    ['a refusal of the query', { status: 400, body: { status: 'error', errorType: 'bad_data', error: 'secret' } }],
    ['an error', { status: 500, body: 'secret' }],
  ])('are unavailable if one of the answers is %s', async (_what, answer) => {
    for (const bad of ['total', 'failed', 'client', 'server']) {
      const { graph } = await graphsOf(request => (metricIn(request) === bad ? answer : success([])))
      const { message, reason } = await errorOf(graph())
      expect([bad, reason]).toEqual([bad, 'ENGINE_UNAVAILABLE'])
      expect(message).toMatch(/^metrics_url of the engine far /)
      expect(message).not.toMatch(/secret|127\.0\.0\.1/)
    }
  })

  it.each<readonly [string, ApiAnswer, string]>([
    ['that the query took too long', { status: 503, body: { status: 'error', errorType: 'timeout' } }, 'QUERY_TIMEOUT'],
    [
      'that there is too much',
      { status: 422, body: { status: 'error', errorType: 'execution' } },
      'QUERY_LIMIT_EXCEEDED',
    ],
    ['with 10,001 series', success(Array(10_001).fill(edge({}))), 'QUERY_LIMIT_EXCEEDED'],
  ])('are refused if the store answers %s', async (_what, answer, expected) => {
    const { graph } = await graphsOf(request => (metricIn(request) === 'server' ? answer : success([])))
    expect((await errorOf(graph())).reason).toBe(expected)
  })

  it('may have 10,000 series', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => edge({ server: `s${i}` }, '1'))
    const { graph } = await graphsOf(request => success(metricIn(request) === 'total' ? many : []))
    expect((await graph()).edges).toHaveLength(10_000)
  })

  it('do without native histograms, which are no numbers of calls', async () => {
    const { metric } = edge({})
    const { graph } = await graphsOf(() => success([{ metric, histogram: [1, { count: '1', sum: '1' }] }, edge({})]))
    expect((await graph()).edges.map(({ call_count }) => call_count)).toEqual([5])
  })

  it.each(['the caller leaves', 'one of the answers fails'])('ask no more when %s', async what => {
    const state = { open: 0, closed: 0 }
    const caller = new AbortController()
    const host = await hostileHost(socket => {
      state.open += 1
      socket.on('close', () => (state.closed += 1))
      if (state.open < 4) return
      if (what === 'the caller leaves') caller.abort(new Error('left'))
      else socket.end('HTTP/1.1 500 Failed\r\ncontent-length: 0\r\n\r\n')
    })
    const url = `http://127.0.0.1:${host.port}`
    const member = { engine: 'far', setting: 'metrics_url', url, hasTenants: false } as const
    const graphs = new PrometheusGraphs(new MemberClient(member, new StackCounts()), clock)
    await expect(graphs.graph(workspace, query, caller.signal)).rejects.toThrow(
      what === 'the caller leaves' ? 'left' : 'answers with status 500',
    )
    await vi.waitFor(() => expect(state).toEqual({ open: 4, closed: 4 }))
  })
})

const type = (kind: string) => ({ type: `OBSERVABILITY_NODE_TYPE_${kind}` })
