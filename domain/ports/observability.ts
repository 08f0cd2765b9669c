/** The value of a metric at a time. */
export interface MetricSample {
  readonly name: `platform_${string}`
  /** A counter only grows, or begins again at 0; a gauge may take any value. */
  readonly type: 'COUNTER' | 'GAUGE'
  readonly labels: Readonly<Record<string, string>>
  /** The time in milliseconds since 1970. */
  readonly time: number
  readonly value: number
}

/** The labels of the stream of a log line, as observability.md 4.11 names them. */
export interface StreamLabels {
  /** The type of the resource that the line is about, for example `compute.vms`. */
  readonly service_name: string
  readonly resource_id: string
  /** The name of the stream within the resource. */
  readonly stream: string
}

/** A line of a log stream. */
export interface LogLine {
  readonly labels: StreamLabels
  /** The time in milliseconds since 1970. */
  readonly time: number
  readonly line: string
}

/** Metrics and log lines of one workspace. */
export interface Telemetry {
  readonly metrics?: readonly MetricSample[]
  readonly logs?: readonly LogLine[]
}

/** The functions of observability for other areas (conventions §14). */
export interface Observability {
  /**
   * Hands telemetry of a workspace to the engine of the setting `observability.default_engine`, and
   * resolves once the engine has taken or dropped the telemetry. Never rejects: telemetry that the engine cannot take,
   * or that belongs to a workspace without ingestion, is dropped and counted. Runs outside of transactions. An area may
   * send a log line twice, because a killed process repeats its work.
   */
  ingest(workspace: string, telemetry: Telemetry): Promise<void>
}
