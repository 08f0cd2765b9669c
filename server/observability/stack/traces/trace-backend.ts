import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'

/** The longest time of a request to a backend, in milliseconds. */
export const timeoutMs = 30_000

/** The traces that may fit a search. */
export interface Candidates {
  readonly traces: readonly LoadedTrace[]
  /** Whether the store may have more traces than it has answered. */
  readonly isFull: boolean
}

/** A store of traces. Rejects with ENGINE_UNAVAILABLE. */
export interface TraceBackend {
  /** Returns the spans of a trace that belong to the workspace; undefined without such spans. */
  trace(workspace: string, traceId: string, signal: AbortSignal): Promise<LoadedTrace | undefined>
  /** Returns traces that contain those that fit a search and start before `end`, in microseconds since 1970. */
  candidates(workspace: string, query: TraceQuery, end: number, signal: AbortSignal): Promise<Candidates>
}
