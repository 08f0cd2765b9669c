import type { LogBatch } from '../../../../domain/observability/logs/log-batch.ts'
import type { LogLimits, LogTimes, PushedLogs, TailRead } from '../../../../domain/observability/logs/log-engine.ts'
import type { GivenEntries, LinesRead } from '../../../../domain/observability/sinks/sink-lines.ts'
import type { LogQuery } from '../../../../domain/observability/logql/run-query.ts'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'

/** The work of the thread that writes logs; `now` is the time of the call. */
export type LogWriteCall = { readonly workspace: string; readonly now: number } & (
  | { readonly kind: 'push'; readonly pushed: PushedLogs; readonly limits: LogLimits }
  | { readonly kind: 'write'; readonly batch: LogBatch; readonly limits: LogLimits }
  | { readonly kind: 'purge'; readonly retention: TelemetryRetention }
  | { readonly kind: 'drop' }
  | { readonly kind: 'facts' }
)

/** What the thread that writes knows about a workspace. */
export interface LogFacts {
  readonly streams: number
  /** The ingest number of the last entry. */
  readonly lastNumber: number
}

/**
 * The work of a thread that reads logs; `now` is the time of the call. Without a retention, that of the last purge holds.
 */
export type LogReadCall = {
  readonly workspace: string
  readonly now: number
  readonly retention: TelemetryRetention | undefined
} & (
  | { readonly kind: 'query'; readonly query: LogQuery }
  | { readonly kind: 'alert'; readonly query: string; readonly time: number; readonly timeoutMs: number }
  | { readonly kind: 'streams'; readonly times: LogTimes }
  | { readonly kind: 'tail'; readonly read: TailRead }
  | { readonly kind: 'start'; readonly since: number }
  | { readonly kind: 'lines'; readonly read: LinesRead }
  | { readonly kind: 'chosen'; readonly given: GivenEntries; readonly read: LinesRead }
)
