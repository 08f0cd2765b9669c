import type { VectorElement } from '../../metrics/metric-engine.ts'
import type { Labels } from '../../metrics/samples.ts'
import { boundOf } from '../../promql/evaluation/histogram-quantile.ts'
import type { Connection, NodeKind } from '../../traces/graph-answer.ts'
import { CallBuckets } from './call-buckets.ts'
import type { GraphParts } from './graph-queries.ts'

/** What the series of an edge stand for. A side that is no service has recorded nothing. */
interface EdgeShape {
  readonly connection: Connection
  readonly source: NodeKind
  readonly target: NodeKind
}

const call: EdgeShape = { connection: 'CALL', source: 'SERVICE', target: 'SERVICE' }
const fromOutside: EdgeShape = { connection: 'EXTERNAL', source: 'EXTERNAL', target: 'SERVICE' }
const toOutside: EdgeShape = { connection: 'EXTERNAL', source: 'SERVICE', target: 'EXTERNAL' }

/** The shapes of edges by the label `connection_type`; every other edge is a call, for which the label is empty. */
const shapes: ReadonlyMap<string, EdgeShape> = new Map([
  ['messaging_system', { connection: 'MESSAGING', source: 'SERVICE', target: 'SERVICE' }],
  ['database', { connection: 'DATABASE', source: 'SERVICE', target: 'DATABASE' }],
])

/** The name that generators give a caller of which they know nothing. */
const unknownCaller = 'user'

/** The sums of all series of an edge, as the store answers them. */
export class EdgeSums {
  readonly shape: EdgeShape
  readonly client: string
  readonly server: string
  readonly clientDurations = new CallBuckets()
  readonly serverDurations = new CallBuckets()
  calls = 0
  failed = 0

  constructor({ client = '', connection_type: type = '', server = '', virtual_node: virtual = '' }: Labels) {
    this.client = client
    this.server = server
    this.shape = type === 'virtual_node' ? outside(client, virtual) : (shapes.get(type) ?? call)
  }

  /** A text that is equal for equal edges and for no others. */
  get key(): string {
    return JSON.stringify([this.shape.connection, this.shape.source, this.client, this.server])
  }
}

/** Returns the shape of an edge with a side that records no spans, which the label `virtual_node` may name. */
function outside(client: string, virtual: string): EdgeShape {
  if (virtual === 'client') return fromOutside
  return virtual !== 'server' && client === unknownCaller ? fromOutside : toOutside
}

/** Returns the edges in the answers to `graphQueries`; a series without a client or a server is no edge. */
export function edgeSums({ calls, client, failed, server }: GraphParts<readonly VectorElement[]>): Iterable<EdgeSums> {
  const found = new Map<string, EdgeSums>()
  const each = (elements: readonly VectorElement[], add: (edge: EdgeSums, value: number, bound: number) => void) => {
    for (const { labels, value } of elements) {
      const made = new EdgeSums(labels)
      if (made.client === '' || made.server === '') continue
      const edge = found.get(made.key) ?? made
      found.set(made.key, edge)
      add(edge, counted(value), boundOf(labels['le'] ?? '') ?? NaN)
    }
  }
  each(calls, (edge, value) => {
    edge.calls += value
  })
  each(failed, (edge, value) => {
    edge.failed += value
  })
  each(client, (edge, value, bound) => edge.clientDurations.add(bound, value))
  each(server, (edge, value, bound) => edge.serverDurations.add(bound, value))
  return found.values()
}

/** Returns the value of a counter: 0 for values that no counter has, and at most what JSON can tell exactly. */
const counted = (value: number): number => (value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0)
