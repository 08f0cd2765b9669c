import type { MetricDescriptor, MetricLabel, MetricQueryResponse } from '../../../output/observability/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import type { SentBody } from '../sent-body.ts'
import type { RetainedBytes, TelemetryRetention } from '../telemetry-retention.ts'
import type { MetricBatch } from './metric-batch.ts'
import type { Labels, Rejections } from './samples.ts'

/** A query at one time. */
export interface InstantQuery {
  readonly query: string
  /** The time of the query in milliseconds since 1970. */
  readonly time: number
  /** The longest time that the query may run, in milliseconds. */
  readonly timeoutMs: number
  /** The largest number of series in the answer; further series are left out with a warning. */
  readonly limit: number
}

/** A query at each step of a range of times; times and steps in milliseconds. */
export interface RangeQuery {
  readonly query: string
  readonly start: number
  readonly end: number
  readonly step: number
  readonly timeoutMs: number
}

/** An element of an instant vector. */
export interface VectorElement {
  readonly labels: Labels
  readonly value: number
}

/** The result of an expression of an alert rule at one time. */
export interface AlertVector {
  readonly elements: readonly VectorElement[]
  /** Whether a selector of the expression has matched a series. */
  readonly hasData: boolean
}

/** A request of a sender of metrics. */
export interface PushedBody extends SentBody {
  /** The rules of the ingestion config that takes the request. */
  readonly rules: PushRules
}

/** The rules by which the requests of an ingestion config become series. */
export interface PushRules {
  readonly staticLabels: Labels
  readonly promotedAttributes: readonly string[]
  readonly deltaToCumulative: boolean
  /** The id of the ingestion config; sums of deltas are kept for each config. */
  readonly config: string
}

/** The limits for the samples that a workspace pushes. */
export interface WriteLimits {
  /** The largest number of series with a sample in the last hour; -1 for none. */
  readonly activeSeries: number
  /** The age in milliseconds from which samples are refused. */
  readonly retentionMs: number
}

/** The outcome of a write: the numbers of durable and of refused samples. */
export interface WriteResult {
  readonly accepted: number
  readonly rejections: Rejections
  /** A sentence about the first refused sample, with the name of its metric; empty if none is refused. */
  readonly message: string
}

/** The selection of a list of descriptors or labels. */
export interface MetricSelection {
  /** Series selectors in PromQL; a series counts if one of them matches. None: all series. */
  readonly match: readonly string[]
  /** The times in milliseconds since 1970 between which a series must have a sample. */
  readonly start?: number
  readonly end?: number
  /** The label whose values are asked for. */
  readonly label?: string
}

/** The usage of a workspace, for its quota limits. */
export interface MetricUsage {
  readonly activeSeries: number
  /** The samples that were accepted in the last minute. */
  readonly samplesLastMinute: number
}

/**
 * Reads the time series of workspaces. Queries are PromQL. All functions reject with an error of the area: faults of
 * queries with QUERY_…, an engine that does not answer now with ENGINE_UNAVAILABLE. An aborted signal ends the work.
 */
export interface MetricReader {
  query(workspace: string, query: InstantQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>>
  queryRange(workspace: string, query: RangeQuery, signal: AbortSignal): Promise<JsonText<MetricQueryResponse>>
  /** Evaluates the expression of an alert rule. */
  alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector>
  /** Throws the error of a query of an alert rule that this reader refuses; absent: it refuses no query of the subset. */
  admit?(workspace: string, query: string): void
  /** Returns all metrics of a workspace, in the order of their names. */
  descriptors(workspace: string, signal: AbortSignal): Promise<readonly MetricDescriptor[]>
  /** Returns all names of labels in the order of names, with the values of the selected label alone. */
  labels(workspace: string, selection: MetricSelection, signal: AbortSignal): Promise<readonly MetricLabel[]>
}

/** The time series of all workspaces. Queries are evaluated as Prometheus 3 evaluates them. */
export interface MetricEngine extends MetricReader {
  /**
   * Reads a pushed body and writes its samples; resolves once the samples are on the disk. Rejects with PAYLOAD_INVALID
   * or PAYLOAD_TOO_LARGE, with nothing written.
   */
  push(workspace: string, pushed: PushedBody, limits: WriteLimits): Promise<WriteResult>
  /** Writes samples; resolves once the samples are on the disk. */
  write(workspace: string, batch: MetricBatch, limits: WriteLimits): Promise<WriteResult>
  /** Removes samples that are older than the retention of their series. */
  purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes>
  /** Removes all telemetry of a workspace. */
  drop(workspace: string): Promise<void>
  usage(workspace: string): Promise<MetricUsage>
  /** Returns the workspaces that have got samples on this server since its start. */
  written(): readonly string[]
}
