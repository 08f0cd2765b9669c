import type { ServiceGraph, Trace, TraceSummary } from '../../../output/observability/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { OtlpFormat, SentBody } from '../sent-body.ts'
import type { WriteResult } from '../metrics/metric-engine.ts'
import type { Rejections } from '../metrics/samples.ts'
import type { TelemetryStore } from '../retention/telemetry-stores.ts'

/** A span of a batch, as a store keeps it. */
export interface SentSpan {
  /** The ids in lower-case hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  /** The start in microseconds since 1970, rounded down. */
  readonly start: number
  /** Whether the span has no parent. */
  readonly isRoot: boolean
  /** Whether the status of the span is ERROR. */
  readonly isError: boolean
  /** The position of its resource in the batch. */
  readonly resource: number
  /** The members of the span, as `spanText` returns them. */
  readonly text: string
}

/** The spans of one request of a sender. */
export interface SpanBatch {
  /** The resources: the name of the service, and the text as `resourceText` returns it. */
  readonly resources: readonly { readonly service: string; readonly text: string }[]
  readonly spans: readonly SentSpan[]
  /** The spans that the reader of the request has refused already, by reason. */
  readonly rejections: Rejections
  /** A sentence about the first refused span; empty if none is refused. */
  readonly message: string
}

/** A request of a sender of traces. */
export interface PushedSpans extends SentBody<OtlpFormat> {
  /** Attributes that count before those of the resources in the request. */
  readonly staticAttributes: Readonly<Record<string, string>>
}

/** A range of times in microseconds since 1970, both included. */
export interface TraceRange {
  readonly start: number
  readonly end: number
}

/** The position of a trace in a search: its start in microseconds since 1970, and its number in the store. */
export type TracePosition = readonly [start: number, number: number]

/** A search over the traces that start in a range. All conditions must hold. */
export interface TraceQuery extends TraceRange {
  /** TraceQL; empty for any trace. */
  readonly query: string
  /** The service of a span of the trace; empty for any. */
  readonly service: string
  /** The name of a span of the trace; empty for any. */
  readonly spanName: string
  /** The least and the greatest duration of the trace in nanoseconds. */
  readonly minDuration?: bigint
  readonly maxDuration?: bigint
  /** Attributes of a span or of its resource. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly limit: number
  /** The position of the last trace of the page before. */
  readonly after?: TracePosition
  readonly timeoutMs: number
}

/** A page of found traces, the newest start first. */
export interface FoundTraces {
  readonly traces: readonly TraceSummary[]
  /** The position of the last trace of the page; absent on the last page. */
  readonly next?: TracePosition
}

/** A question for the service graph of a range. */
export interface GraphQuery extends TraceRange {
  /** The service whose edges are wanted; absent for all. */
  readonly service?: string
  /** The least number of calls of an edge. */
  readonly minCallCount: number
  readonly timeoutMs: number
}

/** The limits for the spans that a workspace pushes. */
export interface SpanLimits {
  /** The age in milliseconds from which spans are refused. */
  readonly retentionMs: number
}

/**
 * Reads the traces of workspaces. Rejects with an error of the area: faults of queries with QUERY_…, an engine that does
 * not answer now with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface TraceSource {
  /** Returns a trace with its first 10,000 spans. Rejects with TRACE_NOT_FOUND. */
  trace(workspace: string, traceId: string, signal: AbortSignal): Promise<JsonText<Trace>>
  search(workspace: string, query: TraceQuery, signal: AbortSignal): Promise<FoundTraces>
}

/** Tells which services of workspaces call one another. Rejects as `TraceSource`. */
export interface ServiceGraphs {
  graph(workspace: string, query: GraphQuery, signal: AbortSignal): Promise<ServiceGraph>
}

/**
 * The traces of all workspaces. All functions reject with an error of the area: faults of queries with QUERY_…, an engine
 * that another server serves with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface TraceEngine extends ServiceGraphs, TelemetryStore, TraceSource {
  /**
   * Reads a pushed body and writes its spans; resolves once the spans are on the disk. A span replaces the span with its
   * ids. Rejects with PAYLOAD_INVALID or PAYLOAD_TOO_LARGE, with nothing written.
   */
  push(workspace: string, pushed: PushedSpans, limits: SpanLimits): Promise<WriteResult>
  /** Writes spans; resolves once the spans are on the disk. */
  write(workspace: string, batch: SpanBatch, limits: SpanLimits): Promise<WriteResult>
  /** Returns the number of spans that were accepted in the last minute. */
  spansLastMinute(workspace: string): number
  /** Returns the workspaces that have got spans on this server since its start. */
  written(): readonly string[]
}
