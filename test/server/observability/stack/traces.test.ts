import { describe, expect, it } from 'vitest'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { StackTraces } from '../../../../server/observability/stack/traces/stack-traces.ts'
import { Tempo } from '../../../../server/observability/stack/traces/tempo.ts'
import { encoded, withByteIds } from '../../../domain/observability/ingest/encoded-messages.ts'
import { apiMember, workspace, type ApiAnswer, type ApiRequest } from './api-member.ts'
import { errorOf, idOf, query, resourceSpans, signal, startMicros } from './stored-traces.ts'

/** Returns a trace in protobuf, whose ids are bytes. */
const protobufOf = (...resources: readonly ReturnType<typeof resourceSpans>[]): Uint8Array =>
  encoded('ExportTraceServiceRequest', withByteIds({ resourceSpans: resources }))

/** Answers as Tempo with some traces, by their numbers; a search finds all of them. */
const tempo =
  (traces: Readonly<Record<number, Uint8Array>>) =>
  ({ path }: ApiRequest): ApiAnswer => {
    if (path === '/api/search') return { body: { traces: Object.keys(traces).map(n => ({ traceID: n })), metrics: {} } }
    const found = traces[Number(path.replace('/api/traces/', ''))]
    return found === undefined ? { status: 404, body: 'trace not found' } : { body: found }
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
    const { reason } = await errorOf(new StackTraces(new Tempo(client)).trace(workspace, idOf(7), signal))
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
      const { metadata, reason } = await errorOf(labelled.found)
      expect([reason, metadata?.['feature']]).toEqual(['QUERY_FEATURE_UNSUPPORTED', 'reserved_label'])
      expect(labelled.requests).toEqual([])
      expect((await (await search(true)).found).traces).toEqual([])
    },
  )

  it('are searched before the earliest one of a full answer, whether or not any of them fits', async () => {
    const all = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [i + 1, protobufOf(resourceSpans(i + 1, 30 + i, workspace, `GET /${i}`))]),
    )
    const { client, requests } = await apiMember('traces_url', tempo(all))
    const source = new StackTraces(new Tempo(client))
    const asked = { ...query, query: '{ name = "absent" }' }
    const first = await source.search(workspace, asked, signal)
    expect(first.traces).toEqual([])
    expect(first.next).toEqual([startMicros + 30_000_000 - 1, 0])
    const rest = await source.search(workspace, { ...asked, ...(first.next && { after: first.next }) }, signal)
    expect(rest.traces).toEqual([])
    expect(
      requests.filter(({ path }) => path === '/api/search').map(({ parameters }) => parameters.get('end')),
    ).toEqual([61, 30].map(seconds => String(startMicros / 1e6 + seconds)))
  })

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
    expect((await errorOf(search)).reason).toBe('QUERY_TIMEOUT')
  })

  it.each<readonly [string, ApiAnswer]>([
    ['no protobuf', { body: 'secret' }],
    ['an error', { status: 500, body: 'secret' }],
    ['another status', { status: 204, body: '' }],
  ])('are unavailable if Tempo answers a trace with %s', async (_what, answer) => {
    const { client } = await apiMember('traces_url', () => answer)
    const { message, reason } = await errorOf(new StackTraces(new Tempo(client)).trace(workspace, idOf(7), signal))
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
    const { message, reason } = await errorOf(new StackTraces(new Tempo(client)).search(workspace, query, signal))
    expect([reason, requests.length]).toEqual([expected, 1])
    expect(message).not.toContain('secret')
  })
})
