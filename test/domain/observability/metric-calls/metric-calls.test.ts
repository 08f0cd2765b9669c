import { beforeAll, describe, expect, it } from 'vitest'
import type { MetricEngine } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricQueryInput, MetricRangeQueryInput } from '../../../../output/observability/types.ts'
import { jsonText } from '../../../../domain/resources/json-text.ts'
import { absentId, addMember, addTenant, roleAt } from '../../../areas/members.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { series } from '../../../server/observability/native/engines.ts'
import { outcomeOf } from '../../outcomes.ts'
import { hostilePatterns } from '../promql/hostile-patterns.ts'
import { servedMetrics, withEngine, type MetricPlace, type ServedMetrics } from './served-metrics.ts'
import { afterTests } from '../../../undo.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The full hour before the last. */
const t0 = Math.floor(Date.now() / hourMs - 1) * hourMs

const at = (seconds: number): string => new Date(t0 + seconds * 1_000).toISOString()

/** The samples of a counter that grows by 60 a minute, for an hour. */
const counter = (a: string) =>
  series(
    { __name__: 'c_total', a },
    Array.from({ length: 61 }, (_, i) => [t0 + i * minuteMs, 60 * i] as const),
  )

let served: ServedMetrics
let place: MetricPlace

beforeAll(async () => {
  served = await servedMetrics(afterTests)
  place = await served.newPlace()
  await served.write(place.workspace, counter('x'), series({ __name__: 'up', job: 'api' }, [[t0, 1]]))
})

const query = (body: MetricQueryInput, where = place) =>
  served.admin.api.observability.queryMetrics({ workspace: where.workspace, engine: where.engine, body })

const queryRange = (body: MetricRangeQueryInput) =>
  served.admin.api.observability.queryMetricsRange({ workspace: place.workspace, engine: place.engine, body })

describe.each(hostilePatterns)('the hostile pattern %#', pattern => {
  it('is refused in every call that takes a selector', async () => {
    const { observability } = served.admin.api
    const where = { workspace: place.workspace, engine: place.engine }
    const selector = `up{job=~${JSON.stringify(pattern)}}`
    const signal = 'OBSERVABILITY_SIGNAL_METRICS'
    const calls = [
      query({ query: selector }),
      query({ query: `label_replace(up, "a", "$1", "job", ${JSON.stringify(pattern)})` }),
      queryRange({ query: selector, start_time: at(0), end_time: at(60), step: '60s' }),
      observability.listMetricLabels({ ...where, match: [selector] }),
      observability.createAlertRule({ ...where, body: { name: 'hostile', query: selector } }),
      observability.createRetentionPolicy({
        ...where,
        body: { name: 'hostile', signal, selector, retention: '3600s' },
      }),
    ]
    const errors = await Promise.all(calls.map(call => call.catch((error: unknown) => error)))
    const refusal = expect.objectContaining({ reason: 'QUERY_LIMIT_EXCEEDED', metadata: { limit: 'pattern' } })
    expect(errors).toEqual(calls.map(() => refusal))
  })
})

describe('a query at one time', () => {
  it.each([
    ['c_total', '1800'],
    ['count_over_time(c_total[5m])', '5'],
    ['increase(c_total[5m])', '300'],
    ['rate(c_total[5m])', '1'],
  ])('answers %s', async (text, value) => {
    const answer = await query({ query: text, time: at(1_800) })
    expect(answer).toMatchObject({
      result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR',
      vector: [{ metric: { a: 'x' }, time: at(1_800), value }],
      matrix: [],
      warnings: [],
      stats: { series: 1 },
    })
    expect(answer.vector).toHaveLength(1)
  })

  it('is at the time of the call without a time', async () => {
    const { scalar } = await query({ query: 'time()' })
    expect(Math.abs(Number(scalar?.value) * 1_000 - Date.now())).toBeLessThan(hourMs)
  })

  it('cuts the series to its limit, and says so', async () => {
    const { vector, warnings } = await query({ query: '{__name__=~"c_total|up"}', time: at(0), limit: 1 })
    expect(vector).toHaveLength(1)
    expect(warnings).toEqual(['the result has 2 series, of which the first 1 are answered'])
  })

  it.each([
    ['c_total[', 'QUERY_SYNTAX_INVALID'],
    ['rate(c_total)', 'QUERY_TYPE_INVALID'],
    ['limitk(1, c_total)', 'QUERY_FEATURE_UNSUPPORTED'],
  ])('is refused: %s', async (text, reason) => {
    await expect(query({ query: text })).rejects.toMatchObject({
      reason,
      details: { badRequest: [{ field: 'query' }] },
    })
  })

  it.each(['0s', '0.999s', '60.001s', '61s', '99999999999999s'])('has no timeout of %s', async timeout => {
    await expect(query({ query: 'up', timeout })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'timeout', description: 'must be from 1s to 60s' }] },
    })
  })
})

describe('a query over a range', () => {
  it('answers a point for each step', async () => {
    const range = { start_time: at(600), end_time: at(1_200), step: '300s' }
    expect(await queryRange({ query: 'rate(c_total[5m])', ...range })).toMatchObject({
      result_type: 'OBSERVABILITY_RESULT_TYPE_MATRIX',
      matrix: [{ metric: { a: 'x' }, points: [600, 900, 1_200].map(time => ({ time: at(time), value: '1' })) }],
    })
  })

  it.each(['c_total[5m]', '"text"'])('does not answer %s', async text => {
    const range = { start_time: at(0), end_time: at(60), step: '60s' }
    expect(await outcomeOf(queryRange({ query: text, ...range }))).toBe('QUERY_TYPE_INVALID')
  })

  it.each([
    ['ends before it starts', { start_time: at(60), end_time: at(0), step: '60s' }, 'end_time'],
    ['has more than 11000 steps', { start_time: at(0), end_time: at(11_001), step: '1s' }, 'step'],
  ])('is refused if it %s', async (_fault, range, field) => {
    await expect(queryRange({ query: 'up', ...range })).rejects.toMatchObject({
      reason: 'QUERY_RANGE_INVALID',
      code: 4006006,
      details: { badRequest: [{ field }] },
    })
  })

  it('may have 11000 steps and a single time', async () => {
    const longest = await queryRange({ query: 'up', start_time: at(0), end_time: at(11_000), step: '1s' })
    expect(longest.matrix).toHaveLength(1)
    const { matrix } = await queryRange({ query: 'c_total', start_time: at(60), end_time: at(60), step: '1s' })
    expect(matrix).toEqual([{ metric: { __name__: 'c_total', a: 'x' }, points: [{ time: at(60), value: '60' }] }])
  })

  it.each(['0s', '0.5s', '0.999s'])('has no step of %s', async step => {
    await expect(queryRange({ query: 'up', start_time: at(0), end_time: at(1), step })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'step', description: 'must be at least 1s' }] },
    })
  })
})

describe('the lists of metrics', () => {
  it('have the metrics with their labels', async () => {
    const { metric_descriptors: all } = await served.admin.api.observability.listMetricDescriptors(place)
    expect(all).toMatchObject([
      { name: 'c_total', label_names: ['a'], series_count: 1, last_sample_time: at(3_600) },
      { name: 'up', label_names: ['job'], series_count: 1, last_sample_time: at(0) },
    ])
  })

  it('are filtered, sorted and paged as other lists', async () => {
    const { observability } = served.admin.api
    const names = async (more: object) =>
      (await observability.listMetricDescriptors({ ...place, ...more })).metric_descriptors.map(({ name }) => name)
    expect(await names({ order_by: 'name desc' })).toEqual(['up', 'c_total'])
    expect(await names({ filter: 'name = "c*"' })).toEqual(['c_total'])
    expect(await names({ filter: 'type = OBSERVABILITY_METRIC_TYPE_SUMMARY' })).toEqual([])
    const first = await observability.listMetricDescriptors({ ...place, page_size: 1 })
    expect(await names({ page_size: 1, page_token: first.next_page_token })).toEqual(['up'])
  })

  it('have the labels of the selected series, with the values of one label', async () => {
    const labels = async (more: object) =>
      (await served.admin.api.observability.listMetricLabels({ ...place, ...more })).metric_labels
    const none = { values: [], truncated: false }
    expect(await labels({})).toEqual([
      { name: '__name__', value_count: 2, ...none },
      { name: 'a', value_count: 1, ...none },
      { name: 'job', value_count: 1, ...none },
    ])
    expect(await labels({ match: ['up', '{a="y"}'], label: 'job' })).toEqual([
      { name: '__name__', value_count: 1, ...none },
      { name: 'job', value_count: 1, values: ['api'], truncated: false },
    ])
    expect((await labels({ start_time: at(60) })).map(({ name }) => name)).toEqual(['__name__', 'a'])
    expect(await labels({ end_time: at(-60) })).toEqual([])
  })

  it('refuse selectors and ranges with faults', async () => {
    const outcome = (more: object) => outcomeOf(served.admin.api.observability.listMetricLabels({ ...place, ...more }))
    expect(await outcome({ match: ['up{'] })).toBe('QUERY_SYNTAX_INVALID')
    expect(await outcome({ match: ['rate(up[5m])'] })).toBe('QUERY_TYPE_INVALID')
    expect(await outcome({ start_time: at(1), end_time: at(0) })).toBe('QUERY_RANGE_INVALID')
  })
})

describe('metrics', () => {
  it('are those of one workspace, and need an existing one', async () => {
    const other = await served.newPlace()
    expect((await query({ query: 'up', time: at(0) }, other)).vector).toEqual([])
    expect((await served.admin.api.observability.listMetricDescriptors(other)).metric_descriptors).toEqual([])
    const absent = { workspace: absentId, engine: 'native' } as const
    expect(await outcomeOf(query({ query: 'up' }, absent))).toBe('WORKSPACE_NOT_FOUND')
    for (const call of ['listMetricDescriptors', 'listMetricLabels'] as const)
      expect(await outcomeOf(served.admin.api.observability[call](absent))).toBe('WORKSPACE_NOT_FOUND')
  })

  it('are read in a suspended workspace too', async () => {
    const { organisation, ...suspended } = await served.newPlace()
    await served.write(suspended.workspace, counter('x'))
    await served.admin.api.taxonomy.suspendWorkspace({ organisation, id: suspended.workspace, body: {} })
    expect((await query({ query: 'c_total', time: at(60) }, suspended)).vector).toHaveLength(1)
    expect(await outcomeOf(served.admin.api.observability.listMetricDescriptors(suspended))).toBe('OK')
  })

  it('are no part of what a viewer of the workspace may read, but their names are', async () => {
    const { organisation, ...own } = await served.newPlace()
    const viewer = await addMember(served.platform, served.admin.api, {
      email: 'vera@tenant.example',
      organisation_id: organisation,
      grants: [roleAt('workspace-viewer', 'WORKSPACE', own.workspace)],
    })
    const { observability } = viewer.api
    expect(await outcomeOf(observability.queryMetrics({ ...own, body: { query: 'up' } }))).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(observability.listMetricLabels(own))).toBe('OK')
    expect(await outcomeOf(observability.listMetricDescriptors({ ...own, engine: 'other' }))).toBe('ENGINE_NOT_FOUND')
  })
})

describe('concurrent queries', () => {
  it('are refused above the quota of their workspace, and count until they end or their callers leave', async () => {
    const waiting: { end: () => void; signal: AbortSignal }[] = []
    const held: Partial<MetricEngine> = {
      query: (_workspace, _query, signal) =>
        new Promise((resolve, reject) => {
          const result = { vector: [], matrix: [], warnings: [], stats: { series: 0, samples: 0, duration_ms: 0 } }
          const end = () => resolve(jsonText({ result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR' as const, ...result }))
          signal.addEventListener('abort', () => reject(signal.reason))
          waiting.push({ end, signal })
        }),
    }
    // The test calls no other function of the engine.
    const platform = await testPlatform({ areas: withEngine(held as MetricEngine) })
    const admin = await platform.admin()
    const own = { workspace: (await addTenant(admin.api, 'acme')).workspace, engine: 'native' }
    const other = { workspace: (await addTenant(admin.api, 'other')).workspace, engine: 'native' }
    const ask = (at: typeof own) => admin.api.observability.queryMetrics({ ...at, body: { query: 'up' } })
    const usage = async () => {
      const filter = `scope_id = "${own.workspace}" AND quota_definition_id = "observability.concurrentQueries"`
      return (await admin.api.observability.listQuotaLimits({ filter })).quota_limits[0]?.usage
    }
    const leaving = new AbortController()
    const left = platform
      .from('192.0.2.7')(
        `http://platform.test/observability/v1/workspaces/${own.workspace}/engines/native/metrics:query`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
          body: '{"query":"up"}',
          signal: leaving.signal,
        },
      )
      .catch((error: unknown) => error)
    const begun = Array.from({ length: 7 }, () => ask(own))
    await expect.poll(() => waiting.length).toBe(8)
    expect(await usage()).toBe(8)
    await expect(ask(own)).rejects.toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      code: 4000006,
      metadata: { quota: 'observability.concurrentQueries', limit: '8', usage: '8', requested: '1' },
    })
    const elsewhere = ask(other)
    await expect.poll(() => waiting.length).toBe(9)
    leaving.abort()
    await left
    await expect.poll(usage).toBe(7)
    const eighth = ask(own)
    await expect.poll(() => waiting.length).toBe(10)
    for (const { end } of waiting) end()
    await Promise.all([...begun, elsewhere, eighth])
    expect(await usage()).toBe(0)
  })
})
