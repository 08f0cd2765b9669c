import { beforeAll, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { spanId, traceId, type TestSpan } from './sent-spans.ts'
import { servedTraces, type ServedTraces } from './served-traces.ts'

/** The numbers of kinds in OTLP. */
const kinds = { server: 2, client: 3, producer: 4, consumer: 5 } as const

let served: ServedTraces

beforeAll(async () => {
  served = await servedTraces(afterTests)
  const start = Date.now() - 60_000
  const spans: TestSpan[] = []
  for (let call = 1; call <= 20; call += 1) {
    const trace = traceId(call)
    const span = (id: number, parent: number, service: string, kind: keyof typeof kinds, more: Partial<TestSpan>) =>
      spans.push({
        trace,
        id: spanId(id),
        ...(parent > 0 && { parent: spanId(parent) }),
        service,
        kind: kinds[kind],
        start: start + call,
        ...more,
      })
    span(1, 0, 'web', 'server', { ms: 2 * call })
    span(2, 1, 'web', 'client', { ms: call + 1 })
    span(3, 2, 'api', 'server', { ms: call, status: call === 20 ? 2 : 0 })
    // A call of a service to itself is no edge.
    span(4, 3, 'api', 'client', { ms: 1 })
    span(5, 4, 'api', 'server', { ms: 1 })
    if (call <= 10) span(6, 3, 'api', 'client', { attributes: { 'db.system': 'postgresql', 'db.namespace': 'orders' } })
    if (call <= 5) span(7, 3, 'api', 'client', { attributes: { 'server.address': 'mail.example' }, status: 2 })
    if (call <= 4) span(8, 3, 'api', 'producer', { attributes: { 'messaging.destination.name': 'jobs' } })
    if (call <= 2) span(9, 8, 'worker', 'consumer', {})
    if (call === 3)
      spans.push({
        trace: traceId(1000),
        id: spanId(1),
        service: 'worker',
        kind: kinds.consumer,
        start: start + call,
        links: [{ traceId: trace, spanId: spanId(8) }],
      })
  }
  await served.send(...spans)
})

it('the service graph has the calls, messages and errors with exact quantiles', async () => {
  const { edges, nodes } = await served.graph()
  const of = ({ source, target }: { readonly source: string; readonly target: string }) => `${source} > ${target}`
  expect(edges.map(edge => [of(edge), edge.connection_type.slice(30), edge.call_count, edge.error_count])).toEqual([
    ['api > jobs', 'MESSAGING', 1, 0],
    ['api > mail.example', 'EXTERNAL', 5, 5],
    ['api > orders', 'DATABASE', 10, 0],
    ['api > worker', 'MESSAGING', 3, 0],
    ['web > api', 'CALL', 20, 1],
  ])
  // Of 20 calls of 1 to 20 ms, ten took at most 10 ms, nineteen at most 19 ms.
  expect(edges.at(-1)).toMatchObject({
    client: { p50_ms: 11, p95_ms: 20, p99_ms: 21 },
    server: { p50_ms: 10, p95_ms: 19, p99_ms: 20 },
  })
  expect(edges[1]).not.toHaveProperty('server')
  expect(nodes.map(({ call_count, name, type }) => [name, type.slice(24), call_count])).toEqual([
    ['api', 'SERVICE', 40],
    ['jobs', 'MESSAGING', 1],
    ['mail.example', 'EXTERNAL', 5],
    ['orders', 'DATABASE', 10],
    ['web', 'SERVICE', 20],
    ['worker', 'SERVICE', 3],
  ])
  expect(nodes[4]).toMatchObject({ p50_ms: 20, p95_ms: 38, p99_ms: 40, error_count: 0 })
})

it('the graph of a service, or of frequent calls, has the edges and the nodes at their ends', async () => {
  const names = async (query: Parameters<ServedTraces['graph']>[0]) =>
    (await served.graph(query)).nodes.map(({ name }) => name)
  expect(await names({ service: 'web' })).toEqual(['api', 'web'])
  expect(await names({ service: 'worker' })).toEqual(['api', 'worker'])
  expect(await names({ min_call_count: 10 })).toEqual(['api', 'orders', 'web'])
  expect(await names({ service: 'absent' })).toEqual([])
})
