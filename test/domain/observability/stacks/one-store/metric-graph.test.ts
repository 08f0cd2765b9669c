import { describe, expect, it } from 'vitest'
import type { VectorElement } from '../../../../../domain/observability/metrics/metric-engine.ts'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import type { GraphParts } from '../../../../../domain/observability/stacks/graphs/graph-queries.ts'
import { graphOfMetrics } from '../../../../../domain/observability/stacks/graphs/metric-graph.ts'

/** An edge of a test: its labels, its calls and failures, and its histograms by bounds. */
interface TestEdge {
  readonly labels: Labels
  readonly calls: number
  readonly failed?: number
  readonly client?: Readonly<Record<string, number>>
  readonly server?: Readonly<Record<string, number>>
}

const buckets = (labels: Labels, counts: Readonly<Record<string, number>> = {}): readonly VectorElement[] =>
  Object.entries(counts).map(([le, value]) => ({ labels: { ...labels, le }, value }))

/** Returns the answers of a store that has some edges. */
const answersOf = (...edges: readonly TestEdge[]): GraphParts<readonly VectorElement[]> => ({
  calls: edges.map(({ calls, labels }) => ({ labels, value: calls })),
  failed: edges.flatMap(({ failed, labels }) => (failed === undefined ? [] : [{ labels, value: failed }])),
  client: edges.flatMap(({ client, labels }) => buckets(labels, client)),
  server: edges.flatMap(({ labels, server }) => buckets(labels, server)),
})

const all = { minCallCount: 0 }
const graphOf = (...edges: readonly TestEdge[]) => graphOfMetrics(answersOf(...edges), all)

const labels = (client: string, server: string, type = '', more: Labels = {}): Labels => ({
  client,
  server,
  ...(type !== '' && { connection_type: type }),
  ...more,
})

/** Ten calls: five took at most 100 ms, all of them at most 200 ms. */
const quick = { '0.1': 5, '0.2': 10, '+Inf': 10 }
const slow = { '0.1': 0, '0.2': 0, '0.4': 10, '+Inf': 10 }

const quickMs = { p50_ms: 100, p95_ms: 190, p99_ms: 198 }
const slowMs = { p50_ms: 300, p95_ms: 390, p99_ms: 398 }
const noMs = { p50_ms: 0, p95_ms: 0, p99_ms: 0 }

describe('the service graph of metrics', () => {
  it.each<readonly [string, Labels, readonly string[], object]>([
    [
      'a call',
      labels('web', 'api'),
      ['CALL', 'web SERVICE 0', 'api SERVICE 10'],
      { node: slowMs, client: quickMs, server: slowMs },
    ],
    [
      'a call with an unknown type of connection',
      labels('web', 'api', 'carrier_pigeon'),
      ['CALL', 'web SERVICE 0', 'api SERVICE 10'],
      { node: slowMs, client: quickMs, server: slowMs },
    ],
    [
      'messages',
      labels('web', 'api', 'messaging_system'),
      ['MESSAGING', 'web SERVICE 0', 'api SERVICE 10'],
      { node: slowMs, client: quickMs, server: slowMs },
    ],
    [
      'a database, whose server records nothing',
      labels('web', 'api', 'database'),
      ['DATABASE', 'web SERVICE 0', 'api DATABASE 10'],
      { node: quickMs, client: quickMs },
    ],
    [
      'a callee that records nothing',
      labels('web', 'api', 'virtual_node'),
      ['EXTERNAL', 'web SERVICE 0', 'api EXTERNAL 10'],
      { node: quickMs, client: quickMs },
    ],
    [
      'an unknown caller',
      labels('user', 'api', 'virtual_node'),
      ['EXTERNAL', 'user EXTERNAL 0', 'api SERVICE 10'],
      { node: slowMs, server: slowMs },
    ],
    [
      'a caller that a label says to record nothing',
      labels('browser', 'api', 'virtual_node', { virtual_node: 'client' }),
      ['EXTERNAL', 'browser EXTERNAL 0', 'api SERVICE 10'],
      { node: slowMs, server: slowMs },
    ],
    [
      'a service that is called as the unknown caller',
      labels('user', 'api', 'virtual_node', { virtual_node: 'server' }),
      ['EXTERNAL', 'user SERVICE 0', 'api EXTERNAL 10'],
      { node: quickMs, client: quickMs },
    ],
  ])('has %s', (_what, given, [connection, source, target], { node, ...sides }: { node?: object }) => {
    const { edges, nodes } = graphOf({ labels: given, calls: 10, failed: 3, client: quick, server: slow })
    const [from, to] = [given['client'], given['server']]
    const type = `OBSERVABILITY_CONNECTION_TYPE_${connection}`
    expect(edges).toEqual([
      { source: from, target: to, connection_type: type, call_count: 10, error_count: 3, ...sides },
    ])
    const found = nodes.map(({ call_count, name, type: kind }) => `${name} ${kind.slice(24)} ${call_count}`)
    expect(found.toSorted()).toEqual([source, target].toSorted())
    expect(nodes.find(({ name }) => name === to)).toMatchObject({ error_count: 3, ...node })
    expect(nodes.find(({ name }) => name === from)).toMatchObject({ error_count: 0, ...noMs })
  })

  it('adds the calls and the histograms of all edges to a node', () => {
    const { nodes } = graphOf(
      { labels: labels('web', 'api'), calls: 10, failed: 1, server: quick },
      { labels: labels('mobile', 'api'), calls: 10, failed: 2, server: slow },
      { labels: labels('api', 'api'), calls: 20, server: { '0.4': 20, '+Inf': 20 } },
      { labels: labels('user', 'api', 'virtual_node'), calls: 1 },
    )
    // Of 40 known durations, 5 are at most 100 ms, 10 at most 200 ms, and all of them at most 400 ms.
    expect(nodes.find(({ name }) => name === 'api')).toMatchObject({
      call_count: 41,
      error_count: 3,
      p50_ms: 266.667,
      p95_ms: 386.667,
      p99_ms: 397.333,
    })
  })

  it('has no edge from a service to itself, but one for its messages', () => {
    const { edges, nodes } = graphOf(
      { labels: labels('api', 'api'), calls: 2 },
      { labels: labels('api', 'api', 'messaging_system'), calls: 3 },
    )
    expect(edges.map(({ call_count, connection_type }) => [connection_type.slice(30), call_count])).toEqual([
      ['MESSAGING', 3],
    ])
    expect(nodes.map(({ call_count }) => call_count)).toEqual([5])
  })

  it('has the sum of the series of an edge, in whole calls', () => {
    const { edges } = graphOf(
      { labels: labels('web', 'api'), calls: 3.4, failed: 1.2, client: { '0.1': 1, '+Inf': 1 } },
      { labels: labels('web', 'api', '', { cluster: 'north' }), calls: 3.3, client: { '0.10': 1, '+Inf': 1 } },
      { labels: labels('web', 'api', 'database'), calls: 7, failed: 9 },
    )
    expect(edges.map(({ call_count, error_count }) => [call_count, error_count])).toEqual([
      [7, 1],
      [7, 7],
    ])
    expect(edges[0]?.client).toEqual({ p50_ms: 50, p95_ms: 95, p99_ms: 99 })
  })

  it.each<readonly [string, TestEdge]>([
    ['no call in the range', { labels: labels('web', 'api'), calls: 0 }],
    ['less than half a call', { labels: labels('web', 'api'), calls: 0.4 }],
    ['no number', { labels: labels('web', 'api'), calls: NaN }],
    ['a negative number', { labels: labels('web', 'api'), calls: -5 }],
    ['no client', { labels: { server: 'api' }, calls: 5 }],
    ['no server', { labels: { client: 'web' }, calls: 5 }],
    ['an empty client', { labels: labels('', 'api', 'virtual_node'), calls: 5 }],
  ])('leaves series with %s out', (_what, edge) => {
    expect(graphOf(edge)).toEqual({ nodes: [], edges: [] })
  })

  it('leaves failures and durations of edges without calls out', () => {
    const answers = answersOf({ labels: labels('web', 'api'), calls: 5, failed: 5, client: quick, server: quick })
    expect(graphOfMetrics({ ...answers, calls: [] }, all)).toEqual({ nodes: [], edges: [] })
  })

  it.each<readonly [string, Readonly<Record<string, number>>]>([
    ['no bucket', {}],
    ['no bucket for all durations', { '0.1': 5, '0.2': 10 }],
    ['a bucket for all durations only', { '+Inf': 10 }],
    ['no calls', { '0.1': 0, '+Inf': 0 }],
    ['bounds that are no durations', { x: 5, '': 5, '-1': 5, '-Inf': 5, NaN: 5, '+Inf': 10 }],
    ['counts that are no numbers', { '0.1': NaN, '+Inf': NaN }],
  ])('has no durations of a histogram with %s', (_what, histogram) => {
    const { edges, nodes } = graphOf({ labels: labels('web', 'api'), calls: 5, client: histogram, server: histogram })
    expect(edges).toEqual([expect.not.objectContaining({ client: expect.anything(), server: expect.anything() })])
    expect(Object.keys(edges[0] ?? {})).not.toContain('client')
    expect(nodes.map(({ p99_ms }) => p99_ms)).toEqual([0, 0])
  })

  it('has numbers that JSON can tell, whatever senders have written', () => {
    const huge = { '1e308': 1e308, '+Inf': Infinity }
    const graph = graphOf(
      { labels: labels('web', 'api'), calls: Infinity, failed: 1e300, client: huge, server: huge },
      { labels: labels('mobile', 'api'), calls: 1e300, server: huge },
    )
    expect(JSON.parse(JSON.stringify(graph))).toEqual(graph)
    const counts = [...graph.nodes, ...graph.edges].flatMap(({ call_count, error_count }) => [call_count, error_count])
    expect(counts.every(Number.isSafeInteger)).toBe(true)
  })

  it('has the edges that a query selects, and the nodes at their ends, in the order of their names', () => {
    const answers = answersOf(
      { labels: labels('web', 'api'), calls: 9 },
      { labels: labels('api', 'orders', 'database'), calls: 10 },
      { labels: labels('user', 'web', 'virtual_node'), calls: 11 },
      { labels: labels('user', 'billing'), calls: 12 },
      { labels: labels('api', 'billing'), calls: 8 },
    )
    const of = (query: { service?: string; minCallCount: number }) => {
      const { edges, nodes } = graphOfMetrics(answers, query)
      return [edges.map(({ source, target }) => `${source} > ${target}`), nodes.map(({ name }) => name)]
    }
    expect(of(all)).toEqual([
      ['api > billing', 'api > orders', 'user > billing', 'user > web', 'web > api'],
      ['api', 'billing', 'orders', 'user', 'user', 'web'],
    ])
    expect(of({ minCallCount: 10 })).toEqual([
      ['api > orders', 'user > billing', 'user > web'],
      ['api', 'billing', 'orders', 'user', 'user', 'web'],
    ])
    expect(of({ minCallCount: 0, service: 'web' })).toEqual([
      ['user > web', 'web > api'],
      ['api', 'user', 'web'],
    ])
    // Neither a database nor a caller outside is a service.
    expect(of({ minCallCount: 0, service: 'orders' })).toEqual([[], []])
    expect(of({ minCallCount: 0, service: 'user' })).toEqual([['user > billing'], ['billing', 'user']])
  })
})
