import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'

/** The longest time of a request to a backend, in milliseconds. */
export const timeoutMs = 30_000

/** A part of the traces that may fit a search. */
export interface Candidates {
  readonly traces: readonly LoadedTrace[]
  /**
   * The time from which on this part and the parts before it have all traces that fit, in microseconds since 1970: at
   * most the start of the range once the store has no more traces.
   */
  readonly from: number
}

/** A store of traces. Rejects with ENGINE_UNAVAILABLE. */
export interface TraceBackend {
  /** Returns the spans of a trace that belong to the workspace; undefined without such spans. */
  trace(workspace: string, traceId: string, signal: AbortSignal): Promise<LoadedTrace | undefined>
  /**
   * Returns the traces that may fit a search and start before `end`, in microseconds since 1970, in parts whose times
   * descend. A trace may be in several parts. The caller ends the search by asking for no more parts.
   */
  candidates(workspace: string, query: TraceQuery, end: number, signal: AbortSignal): AsyncIterable<Candidates>
}
