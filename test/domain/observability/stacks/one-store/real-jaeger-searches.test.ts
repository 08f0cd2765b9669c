import { beforeAll, describe, expect, it } from 'vitest'
import type { TraceSearchInput } from '../../../../../output/observability/types.ts'
import { lacks } from '../../../../server/registry/layers/judges/lacks.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { attributesOf, sentSpan, spanId, traceId, traceRequest, type TestSpan } from '../../traces/sent-spans.ts'
import { jaegerPlane, type JaegerPlane } from '../jaeger-plane.ts'

const now = Date.now() - 600_000

const count = 45

const time = (ms: number): string => new Date(now + ms).toISOString()

/** Returns the spans of a trace that starts `number` seconds after `now`: a root, and a later span of a worker. */
const spansOf = (number: number): readonly TestSpan[] => [
  {
    trace: traceId(number + 1),
    id: spanId(1),
    name: number % 5 === 0 ? 'GET /' : 'POST /',
    start: now + number * 1000,
    ms: 100 + number,
    status: number % 4 === 0 ? 2 : 0,
    attributes: {
      shop: number % 3,
      name: `n${number % 3}`,
      even: number % 2 === 0,
      part: number + 0.5,
      error: number < 9,
    },
  },
  // The worker starts when later traces have started, and ends after the root.
  {
    trace: traceId(number + 1),
    id: spanId(2),
    parent: spanId(1),
    service: 'worker',
    name: 'work',
    start: now + number * 1000 + 5500,
    ms: 10,
  },
]

describe.skipIf(lacks('of searches of traces by Jaeger', 'jaeger'))('a search of traces in Jaeger', () => {
  let far: JaegerPlane

  beforeAll(async () => {
    far = await jaegerPlane(afterTests)
    // The order in which Jaeger gets the traces is not the order of their starts.
    const mixed = Array.from({ length: count }, (_, i) => (i * 7) % count)
    await far.mine.send(traceRequest(mixed.slice(0, 20).flatMap(spansOf)))
    await far.mine.send(traceRequest(mixed.slice(20).flatMap(spansOf)))
    const list = { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '7' }] } }
    const span = sentSpan({ trace: traceId(300), id: spanId(1), start: now + 500 })
    await far.mine.send({
      resourceSpans: [
        {
          resource: { attributes: attributesOf({ 'service.name': 'lists' }) },
          scopeSpans: [{ spans: [{ ...span, attributes: [{ key: 'list', value: list }] }] }],
        },
      ],
    })
    // More traces of the other workspace than one answer of Jaeger has, around those of this workspace.
    const others = Array.from({ length: 400 }, (_, i) => ({
      trace: traceId(1000 + i),
      id: spanId(1),
      name: 'secret',
      start: now + 20_000 + i / 10,
    }))
    await far.theirs.send(traceRequest(others))
  })

  it.each<readonly [TraceSearchInput, number]>([
    [{ service: 'api' }, count],
    [{ service: 'worker' }, count],
    [{ service: 'worker', span_name: 'GET /' }, 0],
    [{ service: 'worker', span_name: 'work' }, count],
    [{ service: 'api', span_name: 'GET /' }, 9],
    [{ service: 'api', attributes: { shop: 1 } }, 15],
    [{ service: 'api', attributes: { shop: '1' } }, 0],
    [{ service: 'api', attributes: { name: 'n2', even: false } }, 7],
    [{ service: 'api', attributes: { even: 'true' } }, 0],
    [{ service: 'api', attributes: { part: 7.5 } }, 1],
    [{ service: 'api', attributes: { error: true } }, 9],
    [{ service: 'api', attributes: { error: false } }, count - 9],
    [{ service: 'api', attributes: { region: 'north', 'service.name': 'api' } }, count],
    [{ service: 'api', attributes: { region: 'south' } }, 0],
    [{ service: 'api', attributes: { workspace_id: 'x' } }, 0],
    [{ service: 'lists', attributes: { list: 'a' } }, 1],
    [{ service: 'lists', attributes: { list: 7 } }, 1],
    [{ service: 'lists', attributes: { list: '7' } }, 0],
    // The trace takes 5.51 s, but none of its spans does.
    [{ service: 'api', min_duration: '5.5s', max_duration: '5.51s' }, count],
    [{ service: 'api', min_duration: '5.511s' }, 0],
    [{ service: 'api', max_duration: '1s' }, 0],
    [{ service: 'api', start_time: time(10_000), end_time: time(20_000) }, 11],
    // Traces count by their start, and not by that of the span of the worker.
    [{ service: 'worker', start_time: time(10_000), end_time: time(20_000) }, 11],
    [{ service: 'worker', start_time: time(10_001), end_time: time(19_999) }, 9],
    [{ service: 'api', start_time: time(60_000), end_time: time(70_000) }, 0],
    [{ service: 'api', start_time: '1800-01-01T00:00:00Z', end_time: '9999-12-31T23:59:59Z' }, count],
    [{ service: 'api', start_time: '1800-01-01T00:00:00Z', end_time: '1900-01-01T00:00:00Z' }, 0],
    [{ service: 'absent' }, 0],
  ])('finds the traces of the native engine, the newest first, by %j', async (body, expected) => {
    const [found, wanted] = [await far.mine.pages('far', body), await far.mine.pages('native', body)]
    expect(found.flat()).toEqual(wanted.flat())
    expect(found.flat()).toHaveLength(expected)
  })

  it.each([1, 7, 20, 44, 45, 100])('has pages of %i traces as the native engine has', async limit => {
    for (const service of ['api', 'worker']) {
      const pages = await far.mine.pages('far', { service, limit })
      expect(pages).toEqual(await far.mine.pages('native', { service, limit }))
    }
  })

  it('has summaries as the native engine has', async () => {
    const body = { service: 'api', attributes: { shop: 1 }, limit: 100 }
    expect(await far.mine.search('far', body)).toEqual(await far.mine.search('native', body))
  })

  it('finds all traces of the other workspace for its callers, and none of this one', async () => {
    const found = await far.theirs.pages('far', { service: 'api', limit: 100 })
    expect(found.flat()).toEqual(Array.from({ length: 400 }, (_, i) => traceId(1000 + i)).toReversed())
    expect(await far.theirs.pages('far', { service: 'worker' })).toEqual([[]])
  })

  it('finds each of the traces that start at one time', async () => {
    const ids = Array.from({ length: 10 }, (_, i) => traceId(2000 + i))
    await far.mine.send(traceRequest(ids.map(trace => ({ trace, id: spanId(1), service: 'equal', start: now }))))
    const pages = await far.mine.pages('far', { service: 'equal', limit: 3 })
    expect(pages.map(page => page.length)).toEqual([3, 3, 3, 1])
    expect(pages.flat().toSorted()).toEqual(ids)
  })

  it.each<readonly [TraceSearchInput, string]>([
    [{ query: '{ }' }, 'ENGINE_CAPABILITY_UNSUPPORTED'],
    [{ service: 'api', query: '{ name = "GET /" }' }, 'ENGINE_CAPABILITY_UNSUPPORTED'],
    [{}, 'ENGINE_CAPABILITY_UNSUPPORTED'],
    [{ attributes: { shop: 1 } }, 'ENGINE_CAPABILITY_UNSUPPORTED'],
    [{ query: '{ name = ' }, 'QUERY_SYNTAX_INVALID'],
    [{ service: 'api', start_time: time(1), end_time: time(0) }, 'QUERY_RANGE_INVALID'],
  ])('is refused for %j', async (body, reason) => {
    expect(await outcomeOf(far.mine.search('far', body))).toBe(reason)
  })
})
