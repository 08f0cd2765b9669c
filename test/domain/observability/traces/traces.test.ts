import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { spanId, traceId } from './sent-spans.ts'
import { servedTraces, type ServedTraces } from './served-traces.ts'

let served: ServedTraces
let now: number

beforeAll(async () => {
  served = await servedTraces(afterTests)
  now = Date.now() - 60_000
})

const idOf = ({ trace_id }: { readonly trace_id: string }): string => trace_id

describe('a span of a failed call', () => {
  const id = '5b8efff798038103d269b633813fc60c'

  beforeAll(() =>
    served.send({
      trace: id.toUpperCase(),
      id: 'EEE19B7EC3C1B174',
      name: 'GET /orders',
      service: 'failing',
      start: now + 0.123,
      ms: 250,
      status: 2,
      attributes: { 'http.response.status_code': 500, big: Number.MAX_SAFE_INTEGER },
    }),
  )

  it('is answered with its trace', async () => {
    const trace = await served.get(id)
    expect(trace).toEqual({
      trace_id: id,
      root_service: 'failing',
      root_name: 'GET /orders',
      start_time: `${new Date(now).toISOString().slice(0, -1)}123000Z`,
      duration: 250_000,
      span_count: 1,
      error_count: 1,
      services: ['failing'],
      partial: false,
      truncated: false,
      spans: [
        {
          span_id: 'eee19b7ec3c1b174',
          parent_span_id: '',
          name: 'GET /orders',
          kind: 'OBSERVABILITY_SPAN_KIND_SERVER',
          service_name: 'failing',
          start_time: `${new Date(now).toISOString().slice(0, -1)}123000Z`,
          end_time: `${new Date(now + 250).toISOString().slice(0, -1)}123000Z`,
          duration: 250_000,
          status: { code: 'OBSERVABILITY_SPAN_STATUS_ERROR', message: '' },
          attributes: { 'http.response.status_code': 500, big: Number.MAX_SAFE_INTEGER },
          events: [],
          links: [],
          scope: { name: 'test', version: '1' },
          resource_attributes: { 'service.name': 'failing' },
        },
      ],
    })
    expect(await served.get(id.toUpperCase())).toEqual(trace)
  })

  it.each([
    ['{ resource.service.name = "failing" && status = error && duration > 200ms }', 1],
    ['{ resource.service.name = "failing" && status = error && duration > 300ms }', 0],
  ])('is found by its duration: %s', async (query, count) => {
    const found = await served.search({ query })
    expect(found.map(idOf)).toEqual(Array(count).fill(id))
    expect(found.flatMap(({ matched_spans }) => matched_spans.map(span => span.span_id))).toEqual(
      Array(count).fill('eee19b7ec3c1b174'),
    )
  })
})

it('a search finds the traces for which all conditions hold, by pages, the newest start first', async () => {
  const ids = Array.from({ length: 7 }, (_, i) => traceId(1000 + i))
  for (const [i, trace] of ids.entries())
    await served.send(
      {
        trace,
        id: spanId(1),
        service: 'paged',
        start: now + i * 10,
        ms: 100 + i,
        attributes: { 'shop.id': i % 2, region: 'eu' },
      },
      { trace, id: spanId(2), parent: spanId(1), name: 'work', service: 'worker', start: now + i * 10 + 1, ms: 5 },
    )
  const newest = ids.toReversed()
  const of = async (body: Parameters<ServedTraces['search']>[0]) => (await served.search(body)).map(idOf)
  expect(await of({ service: 'paged' })).toEqual(newest)
  expect(await of({ service: 'paged', span_name: 'work' })).toEqual([])
  expect(await of({ service: 'worker', span_name: 'work', limit: 2 })).toEqual(newest.slice(0, 2))
  expect(await of({ attributes: { 'shop.id': 1, region: 'eu' } })).toEqual([5, 3, 1].map(i => ids[i]))
  expect(await of({ attributes: { 'service.name': 'paged', 'shop.id': 0 } })).toEqual([6, 4, 2, 0].map(i => ids[i]))
  expect(await of({ attributes: { 'shop.id': '1' } })).toEqual([])
  expect(await of({ service: 'paged', min_duration: '0.103s', max_duration: '0.105s' })).toEqual(
    [5, 4, 3].map(i => ids[i]),
  )
  expect(await of({ service: 'paged', query: '{ name = "work" } && { .region = "eu" }' })).toEqual(newest)
  expect(await of({ service: 'paged', end_time: new Date(now - 3_600_000).toISOString() })).toEqual([])
  const { observability } = served.plane.api
  const pages: string[][] = []
  let page_token = ''
  do {
    const page = await observability.searchTraces({
      ...served.place,
      body: { service: 'paged', limit: 3, page_token },
    })
    pages.push(page.traces.map(idOf))
    page_token = page.next_page_token
    if (page_token !== '')
      await expect(
        observability.searchTraces({ ...served.place, body: { service: 'worker', limit: 3, page_token } }),
      ).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' })
  } while (page_token !== '')
  expect(pages).toEqual([newest.slice(0, 3), newest.slice(3, 6), newest.slice(6)])
})

it('spans that arrive late join their trace, and a span that is sent again replaces the first one', async () => {
  const trace = traceId(2000)
  await served.send({ trace, id: spanId(2), parent: spanId(1), service: 'late', start: now + 5 })
  expect(await served.get(trace)).toMatchObject({ span_count: 1, partial: true, root_service: '', root_name: '' })
  expect((await served.search({ service: 'late' })).map(({ partial }) => partial)).toEqual([true])
  await served.send({ trace, id: spanId(1), service: 'early', start: now, ms: 100 })
  await served.send({ trace, id: spanId(2), parent: spanId(1), service: 'late', start: now + 5, status: 2 })
  expect(await served.get(trace)).toMatchObject({
    span_count: 2,
    error_count: 1,
    partial: false,
    root_service: 'early',
    services: ['early', 'late'],
    duration: 100_000,
    spans: [{ span_id: spanId(1) }, { span_id: spanId(2), parent_span_id: spanId(1) }],
  })
})

it('the spans of a trace on several days are one trace, also after a sender has corrected a day', async () => {
  const trace = traceId(3000)
  const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000
  await served.send(
    { trace, id: spanId(1), start: midnight - 1000, ms: 5000 },
    { trace, id: spanId(2), parent: spanId(1), start: midnight + 1 },
    { trace, id: spanId(3), parent: spanId(1), start: midnight - 86_400_000 - 1000 },
  )
  expect(await served.get(trace)).toMatchObject({ span_count: 3 })
  await served.send({ trace, id: spanId(3), parent: spanId(1), start: midnight + 2 })
  const { spans } = await served.get(trace)
  expect(spans.map(({ span_id }) => span_id)).toEqual([1, 2, 3].map(spanId))
  // One request has both times of a span; the last one counts.
  await served.send(
    { trace, id: spanId(2), parent: spanId(1), start: midnight - 2 },
    { trace, id: spanId(2), parent: spanId(1), start: midnight + 3 },
  )
  const { spans: after } = await served.get(trace)
  expect(after.map(({ span_id }) => span_id)).toEqual([1, 3, 2].map(spanId))
})

it('faults of calls are answered by their reasons', async () => {
  await expect(served.get('1234')).rejects.toMatchObject({ reason: 'TRACE_ID_INVALID' })
  await expect(served.get(traceId(9_999_999))).rejects.toMatchObject({ reason: 'TRACE_NOT_FOUND' })
  const end_time = new Date(now - 1).toISOString()
  const start_time = new Date(now).toISOString()
  await expect(served.search({ start_time, end_time })).rejects.toMatchObject({ reason: 'QUERY_RANGE_INVALID' })
  await expect(served.search({ query: '{ .a = ' })).rejects.toMatchObject({
    reason: 'QUERY_SYNTAX_INVALID',
    metadata: { language: 'TRACEQL', position: '7' },
  })
  await expect(served.search({ query: '{ name = 5 }' })).rejects.toMatchObject({ reason: 'QUERY_TYPE_INVALID' })
  await expect(served.search({ query: '{ } | rate()' })).rejects.toMatchObject({
    reason: 'QUERY_FEATURE_UNSUPPORTED',
    metadata: { feature: 'rate', position: '6' },
  })
  const { observability } = served.plane.api
  await expect(observability.getServiceGraph({ ...served.place, start_time, end_time })).rejects.toMatchObject({
    reason: 'QUERY_RANGE_INVALID',
  })
})
