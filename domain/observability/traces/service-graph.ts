import type { ServiceGraph } from '../../../output/observability/types.ts'
import type { LoadedTrace } from './loaded-trace.ts'
import { graphAnswer, type Connection, type GraphEdge, type GraphNode, type NodeKind } from './graph-answer.ts'
import { Calls } from './graph-calls.ts'
import { attributeOf } from './span-conditions.ts'
import type { TraceSpan } from './span.ts'
import type { GraphQuery } from './trace-engine.ts'

interface Node extends GraphNode {
  readonly calls: Calls
}

interface Edge extends GraphEdge {
  readonly client: Calls
  readonly server: Calls
  calls: number
  errors: number
}

/** A producer of a message whose consumer is not found yet. */
interface OpenProducer {
  readonly span: TraceSpan
  isConsumed: boolean
}

/** Collects the calls between services that traces show (observability.md 4.4). */
export class GraphBuilder {
  readonly #nodes = new Map<string, Node>()
  readonly #edges = new Map<string, Edge>()
  /** The producers by the ids of their trace and span, and the consumers with links. */
  readonly #producers = new Map<string, OpenProducer>()
  readonly #linked: TraceSpan[] = []

  /** Adds a whole trace. */
  add({ spans }: LoadedTrace): void {
    const byId = new Map(spans.map(span => [span.spanId, span]))
    const parents = new Set(spans.map(({ parentId }) => parentId))
    for (const span of spans) {
      const service = this.#node('SERVICE', span.resource.service)
      if (span.kind === 'SERVER' || span.kind === 'CONSUMER') service.calls.add(span)
      if (span.kind === 'PRODUCER') this.#producers.set(keyOf(span), { span, isConsumed: false })
      if (span.kind === 'CLIENT' && !parents.has(span.spanId)) this.#callOutside(span, service)
      if (span.kind === 'CONSUMER' && span.links.length > 0) this.#linked.push(span)
    }
    for (const span of spans) {
      const parent = byId.get(span.parentId)
      if (parent?.kind === 'CLIENT' && span.kind === 'SERVER' && parent.resource.service !== span.resource.service)
        this.#connect('CALL', parent, span)
      if (parent?.kind === 'PRODUCER' && span.kind === 'CONSUMER') this.#consume(parent, span)
    }
  }

  /** Returns the graph of all traces that were added. */
  finish(query: Pick<GraphQuery, 'minCallCount' | 'service'>): ServiceGraph {
    for (const consumer of this.#linked)
      for (const key of new Set(consumer.links.map(keyOf))) {
        const producer = this.#producers.get(key)?.span
        if (producer !== undefined && !isChild(consumer, producer)) this.#consume(producer, consumer)
      }
    for (const { isConsumed, span } of this.#producers.values()) if (!isConsumed) this.#send(span)
    this.#producers.clear()
    return graphAnswer([...this.#nodes.values()], [...this.#edges.values()], query)
  }

  /** Counts the call of a client whose callee recorded nothing. */
  #callOutside(span: TraceSpan, source: Node): void {
    const system = textOf(span, 'db.system.name') || textOf(span, 'db.system')
    const peer = textOf(span, 'peer.service') || textOf(span, 'server.address')
    if (system !== '') this.#end('DATABASE', source, textOf(span, 'db.namespace') || system, span)
    else if (peer !== '') this.#end('EXTERNAL', source, peer, span)
  }

  /** Counts a message that no consumer has recorded. */
  #send(span: TraceSpan): void {
    const name = textOf(span, 'messaging.destination.name') || textOf(span, 'messaging.system')
    if (name !== '') this.#end('MESSAGING', this.#node('SERVICE', span.resource.service), name, span)
  }

  #end(kind: 'DATABASE' | 'EXTERNAL' | 'MESSAGING', source: Node, name: string, span: TraceSpan): void {
    const target = this.#node(kind, name)
    const edge = this.#edge(kind, source, target)
    target.calls.add(span)
    edge.client.add(span)
    edge.calls += 1
    if (span.status === 'ERROR') edge.errors += 1
  }

  #consume(producer: TraceSpan, consumer: TraceSpan): void {
    const open = this.#producers.get(keyOf(producer))
    if (open !== undefined) open.isConsumed = true
    this.#connect('MESSAGING', producer, consumer)
  }

  #connect(connection: Connection, from: TraceSpan, to: TraceSpan): void {
    const [source, target] = [from, to].map(({ resource }) => this.#node('SERVICE', resource.service))
    if (source === undefined || target === undefined) return
    const edge = this.#edge(connection, source, target)
    edge.client.add(from)
    edge.server.add(to)
    edge.calls += 1
    if (from.status === 'ERROR' || to.status === 'ERROR') edge.errors += 1
  }

  #node(kind: NodeKind, name: string): Node {
    const key = `${kind} ${name}`
    const node = this.#nodes.get(key) ?? { name, kind, calls: new Calls() }
    this.#nodes.set(key, node)
    return node
  }

  #edge(connection: Connection, source: Node, target: Node): Edge {
    const key = JSON.stringify([connection, source.name, target.kind, target.name])
    const made = { source, target, connection, client: new Calls(), server: new Calls(), calls: 0, errors: 0 }
    const edge = this.#edges.get(key) ?? made
    this.#edges.set(key, edge)
    return edge
  }
}

const keyOf = ({ spanId, traceId }: Pick<TraceSpan, 'spanId' | 'traceId'>): string => `${traceId}${spanId}`

const isChild = (span: TraceSpan, parent: TraceSpan): boolean =>
  span.traceId === parent.traceId && span.parentId === parent.spanId

const textOf = ({ attributes }: TraceSpan, key: string): string => String(attributeOf(attributes, key) ?? '')
