import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import type {
  GraphQuery,
  PushedSpans,
  SpanBatch,
  SpanLimits,
  TraceQuery,
} from '../../../../domain/observability/traces/trace-engine.ts'
import type { EndCall } from '../calls/messages.ts'

/** A write of spans; `now` is the time of the call. */
export type SpanWrite = { readonly workspace: string; readonly limits: SpanLimits; readonly now: number } & (
  { readonly kind: 'push'; readonly pushed: PushedSpans } | { readonly kind: 'write'; readonly batch: SpanBatch }
)

/** The work of the thread that writes traces. */
export type TraceWriteCall =
  | SpanWrite
  | { readonly kind: 'purge'; readonly workspace: string; readonly retention: TelemetryRetention; readonly now: number }
  | { readonly kind: 'drop'; readonly workspace: string }
  | EndCall

/**
 * The work of a thread that reads traces; `now` is the time of the call. Without a retention, that of the last purge
 * holds.
 */
export type TraceReadCall = TraceQuestion & { readonly retention: TelemetryRetention | undefined }

/** What a call asks for. */
export type TraceQuestion = { readonly workspace: string; readonly now: number } & (
  | { readonly kind: 'trace'; readonly traceId: string }
  | { readonly kind: 'search'; readonly query: TraceQuery }
  | { readonly kind: 'graph'; readonly query: GraphQuery }
)
