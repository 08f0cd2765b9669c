import type { LogQuery, LogQueryResult } from '../logql/run-query.ts'
import type { AlertVector } from '../metrics/metric-engine.ts'

/**
 * Evaluates queries over the logs of workspaces. Rejects with an error of the area: faults of queries with SELECTOR_EMPTY
 * and QUERY_…, an engine that does not answer now with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface LogReader {
  query(workspace: string, query: LogQuery, signal: AbortSignal): Promise<LogQueryResult>
  /** Evaluates the metric query of an alert rule at a time in milliseconds since 1970. */
  alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector>
  /** Throws the error of a query of an alert rule that this reader refuses; absent: it refuses no query of the subset. */
  admit?(workspace: string, query: string): void
}
