import { describe, expect, it } from 'vitest'
import type { LogQuery } from '../../../../domain/observability/logql/run-query.ts'
import { LokiApi } from '../../../../server/observability/stack/logs/loki-api.ts'
import { LokiLogs } from '../../../../server/observability/stack/logs/loki-logs.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { apiMember, workspace, type ApiAnswer } from './api-member.ts'

const start = 1_764_500_000_000_000_000n

const query: LogQuery = {
  query: '{service_name="api"} |= "error"',
  start,
  end: start + 60_000_000_000n,
  direction: 'BACKWARD',
  limit: 2,
  timeoutMs: 60_000,
}

/** Entries as Loki answers them with categories: the nanoseconds after `start`, and the line. */
type Given = readonly [nanos: number, line: string, categories?: object]

const streamsOf = (stream: object, entries: readonly Given[]) => ({
  status: 'success',
  data: {
    resultType: 'streams',
    encodingFlags: ['categorize-labels'],
    result: [{ stream, values: entries.map(([nanos, ...rest]) => [String(start + BigInt(nanos)), ...rest]) }],
    stats: { summary: { totalBytesProcessed: 120, totalLinesProcessed: 5 } },
  },
})

const own = { service_name: 'api', workspace_id: workspace }

/** Answers a query over some entries as Loki does: those in the range, in the direction, up to the limit. */
const loki =
  (entries: readonly Given[]) =>
  ({ parameters }: { readonly parameters: URLSearchParams }): ApiAnswer => {
    const [from, to, limit] = ['start', 'end', 'limit'].map(name => BigInt(parameters.get(name) ?? 0))
    const isForward = parameters.get('direction') === 'forward'
    const inRange = entries.filter(
      ([nanos]) => start + BigInt(nanos) >= (from ?? 0n) && start + BigInt(nanos) < (to ?? 0n),
    )
    const ordered = isForward ? inRange : inRange.toReversed()
    return { body: streamsOf(own, ordered.slice(0, Number(limit))) }
  }

const malformedTime = {
  status: 'success',
  data: { resultType: 'streams', result: [{ stream: own, values: [['soon', 'secret']] }] },
}

const signal = new AbortController().signal

/** The warning in each answer of Loki with its new engine. */
const newEngine = 'Query was executed using the new experimental query engine and dataobj storage.'

describe('a query of logs in Loki', () => {
  it('has the workspace in each selector, and its answer has labels, metadata and ids apart', async () => {
    const structuredMetadata = { trace_id: '5b8efff798038103d269b633813fc60c', severity_number: '17', pod: 'a-1' }
    const entries: readonly Given[] = [[5, 'error x', { structuredMetadata, parsed: { level: 'error' } }]]
    const member = await apiMember('logs_url', loki(entries))
    const { cost, next, result } = await new LokiLogs(new LokiApi(member.client)).query(workspace, query, signal)
    expect(result.type).toBe('STREAMS')
    expect(JSON.parse(result.text)).toEqual([
      {
        labels: { level: 'error', service_name: 'api' },
        entries: [
          {
            time: '2025-11-30T10:53:20.000000005Z',
            line: 'error x',
            metadata: { pod: 'a-1' },
            severity: 'OBSERVABILITY_LOG_SEVERITY_ERROR',
            trace_id: '5b8efff798038103d269b633813fc60c',
            span_id: '',
            ingest_time: '2025-11-30T10:53:20.000Z',
          },
        ],
      },
    ])
    expect([cost.bytesScanned, cost.entriesScanned, next]).toEqual([120, 5, undefined])
    expect(member.requests.map(({ path }) => path)).toEqual(['/loki/api/v1/query_range'])
    expect(Object.fromEntries(member.requests[0]?.parameters ?? [])).toEqual({
      query: `{workspace_id="${workspace}",service_name="api"} |= "error"`,
      start: String(query.start),
      end: String(query.end),
      limit: '2',
      direction: 'backward',
    })
    expect(member.requests[0]?.headers['x-loki-response-encoding-flags']).toBe('categorize-labels')
  })

  it.each(['FORWARD', 'BACKWARD'] as const)(
    'has pages %s without gaps and repetitions, also at equal times',
    async direction => {
      const times = [1, 2, 2, 2, 2, 2, 3, 4, 4, 9]
      const entries = times.map((nanos, i): Given => [nanos, `line ${i}`])
      const { client } = await apiMember('logs_url', loki(entries))
      const lines: string[] = []
      let after: LogQuery['after']
      do {
        const asked: LogQuery = { ...query, direction, ...(after && { after }) }
        const { next, result } = await new LokiLogs(new LokiApi(client)).query(workspace, asked, signal)
        for (const { entries: shown } of JSON.parse(result.text)) for (const { line } of shown) lines.push(line)
        after = next
      } while (after !== undefined)
      const expected = entries.map(([, line]) => line)
      expect(lines.toSorted()).toEqual(expected.toSorted())
      expect(new Set(lines).size).toBe(times.length)
    },
  )

  it.each([
    [undefined, 'query', 'vector', 'VECTOR', { metric: { a: 'b', workspace_id: workspace }, value: [1, '3'] }],
    [1000, 'query_range', 'matrix', 'MATRIX', { metric: { a: 'b', workspace_id: workspace }, values: [[1, '3']] }],
  ] as const)('of metrics with the step %s goes to %s', async (stepMs, path, resultType, type, element) => {
    const body = { status: 'success', data: { resultType, result: [element] } }
    const member = await apiMember('logs_url', () => ({ body }))
    const asked = { ...query, query: 'sum by (a) (rate({x="y"}[1m]))', ...(stepMs !== undefined && { stepMs }) }
    const { result } = await new LokiLogs(new LokiApi(member.client)).query(workspace, asked, signal)
    expect(result.type).toBe(type)
    expect(JSON.parse(result.text)).toMatchObject([{ metric: { a: 'b' } }])
    expect(result.text).not.toContain('workspace_id')
    expect(member.requests[0]?.path).toBe(`/loki/api/v1/${path}`)
    expect(member.requests[0]?.parameters.get('query')).toBe(
      `sum by (a) (rate({workspace_id="${workspace}",x="y"}[1m]))`,
    )
  })

  it('without streams has the result of the native engine, one element without labels', async () => {
    const body = { status: 'success', data: { resultType: 'scalar', result: [1, '2'] } }
    const { client, requests } = await apiMember('logs_url', () => ({ body }))
    const { result } = await new LokiLogs(new LokiApi(client)).query(workspace, { ...query, query: '1 + 1' }, signal)
    expect(result.type).toBe('VECTOR')
    expect(JSON.parse(result.text)).toEqual([{ metric: {}, time: '1970-01-01T00:00:01.000Z', value: '2' }])
    expect(requests[0]?.parameters.get('query')).toBe('1 + 1')
  })

  it.each([
    '{workspace_id="x"}',
    '{a="b"} | workspace_id="x"',
    '{a="b"} | label_format x=workspace_id',
    '{a="b"} | drop workspace_id',
    'sum by (workspace_id) (rate({a="b"}[1m]))',
    'rate({a="b"}[1m]) / on (workspace_id) rate({a="b"}[1m])',
    '{a="b"} | json workspace_id="x"',
    '{a="b"} | logfmt workspace_id="x"',
    '{a="b"} | label_format workspace_id="x"',
    '{a="b"} | keep workspace_id',
    'sum_over_time({a="b"} | unwrap workspace_id [1m])',
    'sum without (workspace_id) (rate({a="b"}[1m]))',
    'label_replace(rate({a="b"}[1m]), "workspace_id", "x", "a", "(.*)")',
    'label_replace(rate({a="b"}[1m]), "x", "$1", `workspace_id`, "(.*)")',
  ])('may not use the label of the workspace: %s', async text => {
    const member = await apiMember('logs_url', loki([]))
    await expect(
      new LokiLogs(new LokiApi(member.client)).query(workspace, { ...query, query: text }, signal),
    ).rejects.toThrow("'reserved_label' is not supported")
    expect(member.requests).toEqual([])
  })

  it.each<readonly [string, ApiAnswer, string]>([
    ['plain text about the query', { status: 400, body: 'parse error at 10.0.0.1' }, 'QUERY_TYPE_INVALID'],
    ['no JSON', { body: 'x' }, 'ENGINE_UNAVAILABLE'],
    ['a vector', { body: { status: 'success', data: { resultType: 'vector', result: [] } } }, 'ENGINE_UNAVAILABLE'],
    ['another workspace', { body: streamsOf({ workspace_id: 'x' }, [[1, 'secret']]) }, 'ENGINE_UNAVAILABLE'],
    ['times that are none', { body: malformedTime }, 'ENGINE_UNAVAILABLE'],
    ['the error of its gateway', { status: 502, body: 'secret' }, 'ENGINE_UNAVAILABLE'],
    ['warnings that are no list', { body: { ...streamsOf(own, []), warnings: 'secret' } }, 'ENGINE_UNAVAILABLE'],
    ['warnings that are no texts', { body: { ...streamsOf(own, []), warnings: [1] } }, 'ENGINE_UNAVAILABLE'],
  ])('that Loki answers with %s is an error without text of Loki', async (_what, answer, reason) => {
    const { client } = await apiMember('logs_url', () => answer)
    const error: unknown = await new LokiLogs(new LokiApi(client))
      .query(workspace, query, signal)
      .catch((e: unknown) => e)
    if (!(error instanceof ApiError)) throw error
    expect(error.reason).toBe(reason)
    expect(error.message).not.toMatch(/secret|10\.0/)
  })

  it.each([
    [[{ metric: { a: 'b', workspace_id: workspace }, value: [1, '3'] }], 9, [{ labels: { a: 'b' }, value: 3 }], true],
    [[], 9, [], true],
    [[], 0, [], false],
  ])('of an alert rule has the elements %j over %i lines', async (result, lines, elements, hasData) => {
    const stats = { summary: { totalLinesProcessed: lines } }
    const body = { status: 'success', data: { resultType: 'vector', result, stats } }
    const member = await apiMember('logs_url', () => ({ body }))
    const rule = 'count_over_time({x="y"}[1m]) > 2'
    expect(await new LokiLogs(new LokiApi(member.client)).alertVector(workspace, rule, 1000, signal)).toEqual({
      elements,
      hasData,
    })
    expect(Object.fromEntries(member.requests[0]?.parameters ?? [])).toEqual({
      query: `count_over_time({workspace_id="${workspace}",x="y"}[1m]) > 2`,
      time: '1000000000',
    })
  })

  it.each([
    [['no answer of 10.0.0.1'], true],
    [['maximum number of series (500) reached for a single query; returning partial results'], true],
    [[newEngine], false],
    [[newEngine, 'secret'], true],
    [[], false],
    [null, false],
  ])('that Loki answers with the warnings %j may be incomplete: %j', async (warnings, isPartial) => {
    const entries = await apiMember('logs_url', () => ({ body: { ...streamsOf(own, [[1, 'x']]), warnings } }))
    const answer = await new LokiLogs(new LokiApi(entries.client)).query(workspace, query, signal)
    const expected = ['the engine has answered with warnings; the result may be incomplete']
    expect(answer.warnings).toEqual(isPartial ? expected : [])
    const data = { resultType: 'vector', result: [{ metric: { a: 'b' }, value: [1, '3'] }] }
    const metrics = await apiMember('logs_url', () => ({ body: { status: 'success', data, warnings } }))
    const rule = 'count_over_time({x="y"}[1m]) > 2'
    const vector = new LokiLogs(new LokiApi(metrics.client)).alertVector(workspace, rule, 1000, signal)
    if (isPartial)
      await expect(vector).rejects.toMatchObject({
        reason: 'ENGINE_UNAVAILABLE',
        message: 'logs_url of the engine far has answered with warnings; its data may be incomplete',
      })
    else expect((await vector).elements).toEqual([{ labels: { a: 'b' }, value: 3 }])
  })

  it('goes to the tenant of the workspace with its own label unchanged', async () => {
    const member = await apiMember('logs_url', loki([[1, 'x']]), { hasTenants: true })
    const { result } = await new LokiLogs(new LokiApi(member.client)).query(workspace, query, signal)
    expect(result.text).toContain('workspace_id')
    expect(member.requests[0]?.parameters.get('query')).toBe('{service_name="api"} |= "error"')
    expect(member.requests[0]?.headers['x-scope-orgid']).toBe(workspace)
  })
})
