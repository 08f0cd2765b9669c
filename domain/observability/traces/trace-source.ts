import type { Trace } from '../../../output/observability/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { FoundTraces, TraceQuery } from './trace-engine.ts'

/**
 * Reads the traces of workspaces. Rejects with an error of the area: faults of queries with QUERY_…, an engine that does
 * not answer now with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface TraceSource {
  /** Returns a trace with its first 10,000 spans. Rejects with TRACE_NOT_FOUND. */
  trace(workspace: string, traceId: string, signal: AbortSignal): Promise<JsonText<Trace>>
  search(workspace: string, query: TraceQuery, signal: AbortSignal): Promise<FoundTraces>
}
