import { LRUCache } from 'lru-cache'
import { maxSpans, traceAnswer } from '../../../../domain/observability/traces/trace-answer.ts'
import { GraphBuilder } from '../../../../domain/observability/traces/service-graph.ts'
import { SpanBudget } from '../../../../domain/observability/traces/span-budget.ts'
import type { GraphQuery } from '../../../../domain/observability/traces/trace-engine.ts'
import { traceNotFound } from '../../../../output/observability/errors.ts'
import type { ServiceGraph } from '../../../../output/observability/types.ts'
import { SignalPlaces } from '../files/places.ts'
import type { ReadParts } from '../calls/answer-calls.ts'
import { searchTraces } from './search-traces.ts'
import type { TraceReadCall } from './trace-messages.ts'
import { TraceReader } from './trace-reader.ts'

/** The largest number of workspaces whose files a thread keeps open. */
const mostWorkspaces = 20

/** The longest time that the reading of one trace takes, in milliseconds. */
const traceTimeoutMs = 30_000

/** The calls of a thread that reads traces. */
export class TraceCalls {
  readonly #parts: ReadParts
  readonly #readers = new LRUCache<string, TraceReader>({ max: mostWorkspaces, dispose: reader => reader.close() })

  constructor(parts: ReadParts) {
    this.#parts = parts
  }

  /** Returns the result of a call. Throws errors of the area, and `FileFault` for an index that cannot be used. */
  run(call: TraceReadCall): unknown {
    const reader = this.#readerOf(call.workspace)
    reader?.refresh(call.retention)
    switch (call.kind) {
      case 'trace':
        return this.#trace(reader, call.traceId, call.now)
      case 'search':
        return searchTraces(reader, call.query, call.now, this.#budget(call.query.timeoutMs))
      case 'graph':
        return this.#graph(reader, call.query, call.now)
    }
  }

  /** Returns the text of a trace. */
  #trace(reader: TraceReader | undefined, traceId: string, now: number): string {
    const found = reader?.find(traceId, now)
    const trace = found && reader?.load(found, this.#budget(traceTimeoutMs), maxSpans + 1)
    if (reader === undefined || found === undefined || trace === undefined)
      throw traceNotFound(`trace ${traceId} does not exist, or is not kept any more`, {
        resource: { type: 'observability.traces', name: traceId },
      })
    const answer = traceAnswer(trace, { ...reader.counts(found), has: spanId => reader.has(found, spanId) })
    return JSON.stringify(answer)
  }

  #graph(reader: TraceReader | undefined, query: GraphQuery, now: number): ServiceGraph {
    const budget = this.#budget(query.timeoutMs)
    const graph = new GraphBuilder()
    for (const found of reader?.between(query, now) ?? []) {
      const trace = reader?.load(found, budget)
      if (trace !== undefined) graph.add(trace)
    }
    return graph.finish(query)
  }

  #budget(timeoutMs: number): SpanBudget {
    return new SpanBudget(timeoutMs, this.#parts.isAborted)
  }

  /** Returns the reader of a workspace; undefined if the workspace has no traces. */
  #readerOf(workspace: string): TraceReader | undefined {
    const known = this.#readers.get(workspace)
    if (known?.isCurrent === true) return known
    this.#readers.delete(workspace)
    const reader = TraceReader.open(new SignalPlaces(this.#parts.root, workspace, 'traces'), this.#parts.report)
    if (reader !== undefined) this.#readers.set(workspace, reader)
    return reader
  }
}
