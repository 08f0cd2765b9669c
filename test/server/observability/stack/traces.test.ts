import { describe, expect, it } from 'vitest'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { Jaeger } from '../../../../server/observability/stack/traces/jaeger.ts'
import { StackTraces } from '../../../../server/observability/stack/traces/stack-traces.ts'
import { Tempo } from '../../../../server/observability/stack/traces/tempo.ts'
import { encoded } from '../../../domain/observability/ingest/encoded-messages.ts'
import { apiMember, workspace, type ApiAnswer, type ApiRequest } from './api-member.ts'

const startMicros = 1_764_500_000_000_000
const range = { start: startMicros, end: startMicros + 60_000_000 }
const signal = new AbortController().signal

const query: TraceQuery = {
  ...range,
  query: '{ resource.service.name = "api" && duration > 100ms }',
  service: '',
  spanName: '',
  attributes: {},
  limit: 2,
  timeoutMs: 60_000,
}

const idOf = (n: number): string => String(n).padStart(32, '0')

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** Returns the resource of a trace with one span of 250 ms, which starts `seconds` after the range. */
const resourceSpans = (n: number, seconds: number, owner = workspace, name = `GET /${n}`) => ({
  resource: { attributes: [text('service.name', 'api'), text('workspace_id', owner)] },
  scopeSpans: [
    {
      spans: [
        {
          traceId: idOf(n),
          spanId: `1234567890abcde${owner === workspace ? 'f' : '0'}`,
          name,
          startTimeUnixNano: `${startMicros / 1e6 + seconds}000000000`,
          endTimeUnixNano: `${startMicros / 1e6 + seconds}250000000`,
          attributes: [text('http.route', '/')],
        },
      ],
    },
  ],
})

/** Returns a trace in protobuf, whose ids are bytes. */
const protobufOf = (...resources: readonly ReturnType<typeof resourceSpans>[]): Uint8Array => {
  const inBytes = resources.map(each => ({
    ...each,
    scopeSpans: each.scopeSpans.map(({ spans }) => ({
      spans: spans.map(span => ({
        ...span,
        traceId: Buffer.from(span.traceId, 'hex'),
        spanId: Buffer.from(span.spanId, 'hex'),
      })),
    })),
  }))
  return encoded('ExportTraceServiceRequest', { resourceSpans: inBytes })
}

/** Answers as Tempo with some traces, by their numbers; a search finds all of them. */
const tempo =
  (traces: Readonly<Record<number, Uint8Array>>) =>
  ({ path }: ApiRequest): ApiAnswer => {
    if (path === '/api/search') return { body: { traces: Object.keys(traces).map(n => ({ traceID: n })), metrics: {} } }
    const found = traces[Number(path.replace('/api/traces/', ''))]
    return found === undefined ? { status: 404, body: 'trace not found' } : { body: found }
  }

const outcome = async (call: Promise<unknown>) => {
  const error: unknown = await call.catch((e: unknown) => e)
  if (!(error instanceof ApiError)) throw error
  return error
}

describe('traces in Tempo', () => {
  it('have the spans of the workspace alone', async () => {
    const mixed = protobufOf(resourceSpans(7, 1), resourceSpans(7, 2, 'other', 'secret'))
    const { client, requests } = await apiMember('traces_url', tempo({ 7: mixed }))
    const answer = await new StackTraces(new Tempo(client)).trace(workspace, idOf(7), signal)
    expect(JSON.parse(answer.text)).toMatchObject({
      trace_id: idOf(7),
      root_service: 'api',
      span_count: 1,
      duration: 250_000,
      spans: [{ name: 'GET /7', service_name: 'api', resource_attributes: { 'service.name': 'api' } }],
    })
    expect(answer.text).not.toMatch(/secret|workspace_id/)
    expect(requests[0]?.headers.accept).toBe('application/protobuf')
  })

  it.each([
    ['an absent trace', {}],
    ['a trace of another workspace', { 7: protobufOf(resourceSpans(7, 1, 'other')) }],
    ['another trace', { 7: protobufOf(resourceSpans(8, 1)) }],
  ])('are not found for %s', async (_what, traces) => {
    const { client } = await apiMember('traces_url', tempo(traces))
    const { reason } = await outcome(new StackTraces(new Tempo(client)).trace(workspace, idOf(7), signal))
    expect(reason).toBe('TRACE_NOT_FOUND')
  })

  it('are searched in the workspace, and compared by the platform', async () => {
    const traces = {
      1: protobufOf(resourceSpans(1, 1)),
      2: protobufOf(resourceSpans(2, 5)),
      3: protobufOf(resourceSpans(3, 3)),
      4: protobufOf(resourceSpans(4, 4, 'other')),
      5: protobufOf(resourceSpans(5, 600)),
    }
    const { client, requests } = await apiMember('traces_url', tempo(traces))
    const source = new StackTraces(new Tempo(client))
    const first = await source.search(workspace, query, signal)
    expect(first.traces.map(({ root_name }) => root_name)).toEqual(['GET /2', 'GET /3'])
    expect(first.traces[0]?.matched_spans).toHaveLength(1)
    const rest = await source.search(workspace, { ...query, ...(first.next && { after: first.next }) }, signal)
    expect(rest.traces.map(({ root_name }) => root_name)).toEqual(['GET /1'])
    expect(rest.next).toBeUndefined()
    expect(requests[0]?.parameters.get('q')).toBe(
      `({ (resource.service.name = "api" && duration > 100ms) && resource.workspace_id = "${workspace}" })`,
    )
    expect(requests[0]?.parameters.get('start')).toBe(String(startMicros / 1e6))
  })

  it.each<readonly [string, Partial<TraceQuery>, string]>([
    ['nothing', { query: '' }, `{ resource.workspace_id = "W" }`],
    [
      'members',
      { query: '', service: 'a"b', spanName: 'x', minDuration: 5n, attributes: { 'a.b': 'c', n: 1, 'x y': true } },
      `{ resource.service.name = "a\\"b" && name = "x" && traceDuration >= 5ns && .a.b = "c" && .n = 1 && ."x y" = true && resource.workspace_id = "W" }`,
    ],
    [
      'sets of spans',
      { query: '{ .a = `}` } && { } >> {status = error} | count() > 1' },
      `({ (.a = "}") && resource.workspace_id = "W" } && { resource.workspace_id = "W" } >> { (status = error) && resource.workspace_id = "W" } | count() > 1)`,
    ],
    [
      'conditions around comments',
      { query: '{ /* { */ .a = 1 /* } || { */ } && { /* } */ }' },
      `({ (.a = 1) && resource.workspace_id = "W" } && { resource.workspace_id = "W" })`,
    ],
    [
      'a span attribute that is called as the label of the workspace',
      { query: '{ span.workspace_id = "x" || .workspace_id = "x" }' },
      `({ (span.workspace_id = "x" || .workspace_id = "x") && resource.workspace_id = "W" })`,
    ],
    [
      'a query and members',
      { query: '{ name = "x" }', service: 'api' },
      `{ resource.service.name = "api" && resource.workspace_id = "W" } && ({ (name = "x") && resource.workspace_id = "W" })`,
    ],
  ])('are searched by %s', async (_what, given, expected) => {
    const { client, requests } = await apiMember('traces_url', tempo({}))
    await new StackTraces(new Tempo(client)).search(workspace, { ...query, ...given }, signal)
    const q = requests[0]?.parameters.get('q')?.replaceAll(/\s+/g, ' ').replaceAll(' )', ')')
    expect(q).toBe(expected.replaceAll('"W"', `"${workspace}"`))
  })

  it.each(['resource.workspace_id', 'resource."workspace_id"'])(
    'are not searched by the label of the workspace as %s',
    async attribute => {
      const search = async (hasTenants: boolean) => {
        const { client, requests } = await apiMember('traces_url', tempo({}), { hasTenants })
        const asked = { ...query, query: `{ .a = 1 || ${attribute} != "x" }` }
        const found = new StackTraces(new Tempo(client)).search(workspace, asked, signal)
        return { requests, found }
      }
      const labelled = await search(false)
      const { metadata, reason } = await outcome(labelled.found)
      expect([reason, metadata?.['feature']]).toEqual(['QUERY_FEATURE_UNSUPPORTED', 'reserved_label'])
      expect(labelled.requests).toEqual([])
      expect((await (await search(true)).found).traces).toEqual([])
    },
  )

  it('are read up to the limit, if Tempo answers a search with more than it was asked for', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => ({ traceID: String(i + 1) }))
    const { client, requests } = await apiMember('traces_url', ({ path }) =>
      path === '/api/search' ? { body: { traces: ids } } : { status: 404, body: '' },
    )
    await new StackTraces(new Tempo(client)).search(workspace, query, signal)
    const limit = Number(requests[0]?.parameters.get('limit'))
    expect(requests).toHaveLength(1 + limit)
  })

  it('are searched in the time of a query', async () => {
    const { client } = await apiMember('traces_url', () => ({ body: { traces: [{ traceID: '1' }] } }), {
      delayMs: 60_000,
    })
    const search = new StackTraces(new Tempo(client)).search(workspace, { ...query, timeoutMs: 50 }, signal)
    expect((await outcome(search)).reason).toBe('QUERY_TIMEOUT')
  })

  it.each<readonly [string, ApiAnswer]>([
    ['no protobuf', { body: 'secret' }],
    ['an error', { status: 500, body: 'secret' }],
    ['another status', { status: 204, body: '' }],
  ])('are unavailable if Tempo answers a trace with %s', async (_what, answer) => {
    const { client } = await apiMember('traces_url', () => answer)
    const { message, reason } = await outcome(new StackTraces(new Tempo(client)).trace(workspace, idOf(7), signal))
    expect(reason).toBe('ENGINE_UNAVAILABLE')
    expect(message).not.toContain('secret')
  })

  it.each<readonly [string, ApiAnswer, string]>([
    ['no JSON', { body: 'secret' }, 'ENGINE_UNAVAILABLE'],
    ['ids that are paths', { body: { traces: [{ traceID: '../../secret' }] } }, 'ENGINE_UNAVAILABLE'],
    ['a list of something else', { body: { traces: 'secret' } }, 'ENGINE_UNAVAILABLE'],
    ['a refusal of the query', { status: 400, body: 'secret' }, 'QUERY_TYPE_INVALID'],
  ])('are not found if Tempo answers a search with %s', async (_what, answer, expected) => {
    const { client, requests } = await apiMember('traces_url', () => answer)
    const { message, reason } = await outcome(new StackTraces(new Tempo(client)).search(workspace, query, signal))
    expect([reason, requests.length]).toEqual([expected, 1])
    expect(message).not.toContain('secret')
  })
})

describe('traces in Jaeger', () => {
  const jaeger =
    (...resources: readonly ReturnType<typeof resourceSpans>[]) =>
    (): ApiAnswer => ({ body: { result: { resourceSpans: resources } } })

  const byService: TraceQuery = { ...query, query: '', service: 'api', attributes: { 'http.route': '/' } }

  it('have the spans of the workspace alone', async () => {
    const { client, requests } = await apiMember('traces_url', jaeger(resourceSpans(7, 1)), { base: '/api/v3/' })
    const answer = await new StackTraces(new Jaeger(client)).trace(workspace, idOf(7), signal)
    expect(JSON.parse(answer.text)).toMatchObject({ trace_id: idOf(7), span_count: 1 })
    expect(requests[0]?.path).toBe(`/api/v3/traces/${idOf(7)}`)
    const other = await apiMember('traces_url', jaeger(resourceSpans(7, 1, 'other')))
    const { reason } = await outcome(new StackTraces(new Jaeger(other.client)).trace(workspace, idOf(7), signal))
    expect(reason).toBe('TRACE_NOT_FOUND')
  })

  it('are searched by service and attributes', async () => {
    const { client, requests } = await apiMember(
      'traces_url',
      jaeger(resourceSpans(1, 1), resourceSpans(2, 2, 'other'), resourceSpans(3, 3)),
    )
    const { traces } = await new StackTraces(new Jaeger(client)).search(workspace, byService, signal)
    expect(traces.map(({ root_name }) => root_name)).toEqual(['GET /3', 'GET /1'])
    expect(Object.fromEntries(requests[0]?.parameters ?? [])).toEqual({
      'query.service_name': 'api',
      'query.start_time_min': new Date(startMicros / 1000).toISOString(),
      'query.start_time_max': new Date(range.end / 1000).toISOString(),
      'query.attributes': JSON.stringify({ 'http.route': '/', workspace_id: workspace }),
      'query.search_depth': '3',
    })
  })

  it.each<readonly [string, TraceQuery]>([
    ['TraceQL', { ...byService, query: '{}' }],
    ['all services', { ...byService, service: '' }],
  ])('are not searched by %s', async (_what, asked) => {
    const { client } = await apiMember('traces_url', jaeger())
    const { reason } = await outcome(new StackTraces(new Jaeger(client)).search(workspace, asked, signal))
    expect(reason).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
  })

  it.each([
    ['no object', '[]'],
    ['no result', '{}'],
    ['no JSON', 'x'],
    ['other spans', '{"result":{"resourceSpans":1}}'],
  ])('are unavailable if Jaeger answers with %s', async (_what, body) => {
    const { client } = await apiMember('traces_url', () => ({ body }))
    const { reason } = await outcome(new StackTraces(new Jaeger(client)).trace(workspace, idOf(7), signal))
    expect(reason).toBe('ENGINE_UNAVAILABLE')
  })
})
