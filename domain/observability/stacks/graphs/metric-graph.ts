import type { LatencyQuantiles, ServiceGraph } from '../../../../output/observability/types.ts'
import type { VectorElement } from '../../metrics/metric-engine.ts'
import {
  graphAnswer,
  type GraphEdge,
  type GraphNode,
  type NodeCalls,
  type NodeKind,
} from '../../traces/graph-answer.ts'
import type { GraphQuery } from '../../traces/trace-engine.ts'
import { CallBuckets } from './call-buckets.ts'
import { edgeSums, type EdgeSums } from './edge-sums.ts'
import type { GraphParts } from './graph-queries.ts'

/** The calls that a node has received. */
class ReceivedCalls implements NodeCalls {
  readonly #durations: CallBuckets[] = []
  count = 0
  errors = 0

  add(calls: number, errors: number, durations: CallBuckets): void {
    this.count = whole(this.count + calls)
    this.errors = whole(this.errors + errors)
    this.#durations.push(durations)
  }

  quantiles(): LatencyQuantiles {
    return CallBuckets.merged(this.#durations).quantiles()
  }
}

interface Node extends GraphNode {
  readonly calls: ReceivedCalls
}

/**
 * Returns the service graph in the answers to `graphQueries`. Counts are rounded, because stores extrapolate them, and an
 * edge without a call is left out. Calls of a service to itself count for the service and are no edge, as in the graph of
 * the native engine.
 */
export function graphOfMetrics(
  answers: GraphParts<readonly VectorElement[]>,
  query: Pick<GraphQuery, 'minCallCount' | 'service'>,
): ServiceGraph {
  const nodes = new Map<string, Node>()
  const nodeOf = (kind: NodeKind, name: string): Node => {
    const key = `${kind} ${name}`
    const node = nodes.get(key) ?? { name, kind, calls: new ReceivedCalls() }
    nodes.set(key, node)
    return node
  }
  const edges: GraphEdge[] = []
  for (const sums of edgeSums(answers)) {
    if (whole(sums.calls) === 0) continue
    const { client, server, shape } = sums
    const edge = edgeOf(sums, nodeOf(shape.source, client), nodeOf(shape.target, server))
    if (edge.connection !== 'CALL' || edge.source !== edge.target) edges.push(edge)
  }
  return graphAnswer([...nodes.values()], edges, query)
}

/** Returns an edge, whose calls are added to its target. */
function edgeOf({ calls: sum, clientDurations, failed, serverDurations, shape }: EdgeSums, source: Node, target: Node) {
  const calls = whole(sum)
  const errors = Math.min(whole(failed), calls)
  const [client, server] = [
    shape.source === 'SERVICE' ? clientDurations : new CallBuckets(),
    shape.target === 'SERVICE' ? serverDurations : new CallBuckets(),
  ]
  target.calls.add(calls, errors, shape.target === 'SERVICE' ? server : client)
  return { source, target, connection: shape.connection, calls, errors, client, server }
}

/** Returns the number of calls that a sum stands for; JSON can tell it exactly. */
const whole = (sum: number): number => Math.min(Math.round(sum), Number.MAX_SAFE_INTEGER)
