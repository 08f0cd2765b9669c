import { describe, expect, it } from 'vitest'
import type { FoundTraces, TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { Jaeger } from '../../../../server/observability/stack/traces/jaeger.ts'
import { StackTraces } from '../../../../server/observability/stack/traces/stack-traces.ts'
import { apiMember, workspace, type ApiAnswer, type ApiRequest, type MemberOptions } from './api-member.ts'
import { errorOf, idOf, query, range, resourceSpans, signal } from './stored-traces.ts'

type StoredTrace = ReturnType<typeof resourceSpans>

const byService: TraceQuery = { ...query, query: '', service: 'api', attributes: { 'http.route': '/' } }

const noTraces: ApiAnswer = { status: 404, body: { error: { httpCode: 404, message: 'No traces found' } } }

/** Answers with the same traces to all requests. */
const always =
  (...resources: readonly unknown[]) =>
  (): ApiAnswer => ({ body: { result: { resourceSpans: resources } } })

/** Answers a search as Jaeger: the first traces with a span in the window, in the order of the store. */
const jaeger =
  (stored: readonly StoredTrace[]) =>
  ({ parameters }: ApiRequest): ApiAnswer => {
    const [from, to] = ['min', 'max'].map(bound => nanosOf(parameters.get(`query.start_time_${bound}`) ?? ''))
    const found = stored
      .filter(trace => startOf(trace) >= (from ?? 0n) && startOf(trace) <= (to ?? 0n))
      .slice(0, Number(parameters.get('query.num_traces')))
    return found.length === 0 ? noTraces : { body: { result: { resourceSpans: found } } }
  }

const startOf = ({ scopeSpans }: StoredTrace): bigint => BigInt(scopeSpans[0]?.spans[0]?.startTimeUnixNano ?? '')

/** Returns the nanoseconds since 1970 of a time with nine digits of fractions. */
const nanosOf = (time: string): bigint =>
  BigInt(Date.parse(time.replace(/\.\d+Z$/, 'Z'))) * 1_000_000n + BigInt(/\.(\d{9})Z$/.exec(time)?.[1] ?? '')

async function tracesOf(serve: (request: ApiRequest) => ApiAnswer, options: MemberOptions = {}) {
  const { client, requests } = await apiMember('traces_url', serve, { base: '/api/v3/', ...options })
  return { requests, traces: new StackTraces(new Jaeger(client)) }
}

const namesOf = ({ traces }: FoundTraces) => traces.map(({ root_name }) => root_name)

describe('a trace in Jaeger', () => {
  it('has the spans of the workspace alone, as they are stored', async () => {
    const { requests, traces } = await tracesOf(always(resourceSpans(7, 1), resourceSpans(7, 2, 'other', 'secret')))
    const { text } = await traces.trace(workspace, idOf(7), signal)
    expect(JSON.parse(text)).toMatchObject({ trace_id: idOf(7), span_count: 1 })
    expect(text).not.toMatch(/secret|workspace_id/)
    expect(requests[0]?.path).toBe(`/api/v3/traces/${idOf(7)}`)
    expect(Object.fromEntries(requests[0]?.parameters ?? [])).toEqual({ raw_traces: 'true' })
  })

  it.each<readonly [string, string]>([
    ['of another form', '"kind":"odd","attributes":1'],
    ['of many levels', `"attributes":${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['that is not UTF-8', '"name":"\u00ff"'],
  ])('is read beside a span of another workspace %s', async (_what, members) => {
    const { resource } = resourceSpans(7, 1, 'other')
    const other = `{"resource":${JSON.stringify(resource)},"scopeSpans":[{"spans":[{"traceId":"${idOf(7)}",${members}}]}]}`
    const body = `{"result":{"resourceSpans":[${other},${JSON.stringify(resourceSpans(7, 1))}]}}`
    const { traces } = await tracesOf(() => ({ body: Buffer.from(body, 'latin1') }))
    const { text } = await traces.trace(workspace, idOf(7), signal)
    expect(JSON.parse(text)).toMatchObject({ span_count: 1 })
  })

  it.each<readonly [string, (request: ApiRequest) => ApiAnswer]>([
    ['of another workspace', always(resourceSpans(7, 1, 'other'))],
    ['with another id', always(resourceSpans(8, 1))],
    ['with two workspaces', always(withLabels(workspace, 'other'))],
    ['without a workspace', always(withLabels())],
    ['that Jaeger lacks', () => noTraces],
  ])('is not found %s', async (_what, serve) => {
    const { traces } = await tracesOf(serve)
    expect((await errorOf(traces.trace(workspace, idOf(7), signal))).reason).toBe('TRACE_NOT_FOUND')
  })

  it.each<readonly [string, ApiAnswer]>([
    ['no object', { body: '[]' }],
    ['no result', { body: '{}' }],
    ['no JSON', { body: 'secret' }],
    ['JSON of many levels', { body: `{"result":${'['.repeat(200)}${']'.repeat(200)}}` }],
    ['other resources', { body: '{"result":{"resourceSpans":1}}' }],
    ['other scopes', { body: '{"result":{"resourceSpans":[{"scopeSpans":[7]}]}}' }],
    ['other spans', { body: '{"result":{"resourceSpans":[{"scopeSpans":[{"spans":"secret"}]}]}}' }],
    ['spans without ids', { body: '{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}}' }],
    [
      'own spans of another form',
      always({ ...withLabels(workspace), scopeSpans: [{ spans: [{ traceId: idOf(7), name: 5 }] }] })(),
    ],
    ['a path that is not found', { status: 404, body: 'secret' }],
    ['another error', { status: 404, body: { error: { httpCode: 500 } } }],
    ['status 500', { status: 500, body: 'secret' }],
    ['status 400', { status: 400, body: noTraces.body }],
  ])('is unavailable if Jaeger answers with %s', async (_what, answer) => {
    const { traces } = await tracesOf(() => answer)
    const { message, reason } = await errorOf(traces.trace(workspace, idOf(7), signal))
    expect(reason).toBe('ENGINE_UNAVAILABLE')
    expect(message).not.toContain('secret')
  })
})

describe('a search in Jaeger', () => {
  it('asks for spans of a service in a range, and compares the traces itself', async () => {
    const stored = [resourceSpans(1, 1), resourceSpans(2, 2, 'other'), resourceSpans(3, 3)]
    const { requests, traces } = await tracesOf(jaeger(stored))
    const asked = { ...byService, spanName: 'GET /3', minDuration: 1n, maxDuration: 10n ** 9n }
    expect(namesOf(await traces.search(workspace, byService, signal))).toEqual(['GET /3', 'GET /1'])
    expect(namesOf(await traces.search(workspace, asked, signal))).toEqual(['GET /3'])
    const end = range.end + 1
    const searched = (from: number, to: number) => ({
      'query.service_name': 'api',
      'query.start_time_min': timeOf(from),
      'query.start_time_max': timeOf(to),
      'query.attributes': JSON.stringify({ workspace_id: workspace }),
      'query.search_depth': '102',
      'query.num_traces': '102',
      'query.raw_traces': 'true',
    })
    // First the spans that start after the range, in traces that start in the range.
    const both = [searched(end, end + 600_000_000), searched(range.start, end)]
    expect(requests.map(({ parameters }) => Object.fromEntries(parameters))).toEqual([
      ...both,
      ...both.map(each => ({ ...each, 'query.operation_name': 'GET /3' })),
    ])
  })

  it('asks for no label if Jaeger has tenants', async () => {
    const { requests, traces } = await tracesOf(always(resourceSpans(1, 1, 'any')), { hasTenants: true })
    const found = await traces.search(workspace, byService, signal)
    expect(found.traces[0]?.matched_spans[0]?.resource_attributes['workspace_id']).toBe('any')
    expect(requests[0]?.parameters.has('query.attributes')).toBe(false)
    expect(requests[0]?.headers['x-scope-orgid']).toBe(workspace)
  })

  it('finds the newest traces first among more traces than an answer has, in whatever order', async () => {
    const others = Array.from({ length: 300 }, (_, i) => resourceSpans(1000 + i, i % 60, 'other', 'secret'))
    const own = [3, 40, 7, 40, 59, 0, 22].map((seconds, i) => resourceSpans(i + 1, seconds))
    const { requests, traces } = await tracesOf(jaeger([...others, ...own]))
    const names: string[][] = []
    let next: FoundTraces['next']
    do {
      const page = await traces.search(workspace, { ...byService, ...(next && { after: next }) }, signal)
      names.push([...namesOf(page)])
      next = page.next
    } while (next)
    expect(names).toEqual([['GET /5', 'GET /2'], ['GET /4', 'GET /7'], ['GET /3', 'GET /1'], ['GET /6']])
    expect(requests.length).toBeLessThan(100)
  })

  it('ends, and comes further with each page, though Jaeger answers too many traces for any window', async () => {
    const all = Array.from({ length: 102 }, (_, i) => resourceSpans(i, 30, 'other'))
    const { requests, traces } = await tracesOf(always(...all))
    const first = await traces.search(workspace, byService, signal)
    expect(first.traces).toEqual([])
    expect(first.next?.[0]).toBeLessThan(range.end)
    expect(requests.length).toBeLessThan(120)
    const then = await traces.search(workspace, { ...byService, ...(first.next && { after: first.next }) }, signal)
    expect(then.next?.[0]).toBeLessThan(first.next?.[0] ?? 0)
  })

  it('ends in the time of a query', async () => {
    const { traces } = await tracesOf(() => noTraces, { delayMs: 60_000 })
    expect((await errorOf(traces.search(workspace, { ...byService, timeoutMs: 50 }, signal))).reason).toBe(
      'QUERY_TIMEOUT',
    )
  })

  it.each<readonly [string, TraceQuery]>([
    ['TraceQL', { ...byService, query: '{}' }],
    ['all services', { ...byService, service: '' }],
  ])('is refused by %s', async (_what, asked) => {
    const { requests, traces } = await tracesOf(always())
    const { reason } = await errorOf(traces.search(workspace, asked, signal))
    expect([reason, requests]).toEqual(['ENGINE_CAPABILITY_UNSUPPORTED', []])
  })

  it.each<readonly [string, ApiAnswer, string]>([
    ['no JSON', { body: 'secret' }, 'ENGINE_UNAVAILABLE'],
    ['a path that is not found', { status: 404, body: 'secret' }, 'ENGINE_UNAVAILABLE'],
    ['an error', { status: 500, body: 'secret' }, 'ENGINE_UNAVAILABLE'],
    ['a refusal', { status: 400, body: 'secret' }, 'QUERY_TYPE_INVALID'],
  ])('fails if Jaeger answers with %s', async (_what, answer, expected) => {
    const { traces } = await tracesOf(() => answer)
    const { message, reason } = await errorOf(traces.search(workspace, byService, signal))
    expect(reason).toBe(expected)
    expect(message).not.toContain('secret')
  })
})

/** Returns a trace whose resource has a label for each of some workspaces. */
function withLabels(...owners: readonly string[]) {
  const attributes = owners.map(stringValue => ({ key: 'workspace_id', value: { stringValue } }))
  return { ...resourceSpans(7, 1), resource: { attributes } }
}

const timeOf = (micros: number): string =>
  `${new Date(micros / 1000).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}000Z`
