import type { LatencyQuantiles, ServiceEdge, ServiceGraph, ServiceNode } from '../../../output/observability/types.ts'
import type { GraphQuery } from './trace-engine.ts'

export type NodeKind = 'SERVICE' | 'DATABASE' | 'MESSAGING' | 'EXTERNAL'
export type Connection = 'CALL' | 'MESSAGING' | 'DATABASE' | 'EXTERNAL'

/** The durations of calls that one side has recorded. */
export interface CallDurations {
  /** The number of calls whose durations are known. */
  readonly count: number
  /** Returns the durations in milliseconds that parts of the calls took at most; 0 without a known duration. */
  quantiles(): LatencyQuantiles
}

/** The calls that a node has received. */
export interface NodeCalls {
  readonly count: number
  readonly errors: number
  quantiles(): LatencyQuantiles
}

/** A node of a graph. No two nodes of a kind have the same name. */
export interface GraphNode {
  readonly name: string
  readonly kind: NodeKind
  readonly calls: NodeCalls
}

/** The calls of one kind between two nodes. */
export interface GraphEdge {
  readonly source: GraphNode
  readonly target: GraphNode
  readonly connection: Connection
  readonly calls: number
  readonly errors: number
  readonly client: CallDurations
  readonly server: CallDurations
}

/**
 * Returns the answer for all nodes and edges of a range: the edges that a query selects and the nodes at their ends, in
 * the order of their names; all nodes for a query that selects all edges.
 */
export function graphAnswer(
  allNodes: readonly GraphNode[],
  allEdges: readonly GraphEdge[],
  { minCallCount, service }: Pick<GraphQuery, 'minCallCount' | 'service'>,
): ServiceGraph {
  const edges = allEdges.filter(edge => edge.calls >= minCallCount && isOf(edge, service))
  const isWhole = service === undefined && minCallCount === 0
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]))
  const nodes = allNodes.filter(node => isWhole || ends.has(node))
  return { nodes: nodes.map(nodeAnswer).toSorted(byNode), edges: edges.map(edgeAnswer).toSorted(byEdge) }
}

const isOf = ({ source, target }: GraphEdge, service: string | undefined): boolean =>
  service === undefined || [source, target].some(({ kind, name }) => kind === 'SERVICE' && name === service)

const nodeAnswer = ({ calls, kind, name }: GraphNode): ServiceNode => ({
  name,
  type: `OBSERVABILITY_NODE_TYPE_${kind}`,
  call_count: calls.count,
  error_count: calls.errors,
  ...calls.quantiles(),
})

const edgeAnswer = ({ calls, client, connection, errors, server, source, target }: GraphEdge): ServiceEdge => ({
  source: source.name,
  target: target.name,
  connection_type: `OBSERVABILITY_CONNECTION_TYPE_${connection}`,
  call_count: calls,
  error_count: errors,
  ...(client.count > 0 && { client: client.quantiles() }),
  ...(server.count > 0 && { server: server.quantiles() }),
})

const byNode = (one: ServiceNode, other: ServiceNode): number => order([one.name, one.type], [other.name, other.type])

const byEdge = (one: ServiceEdge, other: ServiceEdge): number =>
  order([one.source, one.target, one.connection_type], [other.source, other.target, other.connection_type])

/** Orders lists of texts of one length. */
function order(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, index) => text !== other[index])
  return at < 0 ? 0 : (one[at] ?? '') < (other[at] ?? '') ? -1 : 1
}
