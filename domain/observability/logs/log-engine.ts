import type { LogEntry } from '../../../output/observability/types.ts'
import type { OtlpFormat, SentBody } from '../sent-body.ts'
import type { Labels, Rejections } from '../metrics/samples.ts'
import type { TelemetryStore } from '../retention/telemetry-stores.ts'
import type { LogBatch } from './log-batch.ts'
import type { LogReader } from './log-reader.ts'
import type { LogStreams } from './log-streams.ts'

/** A request of a sender of logs. */
export interface PushedLogs extends SentBody<OtlpFormat> {
  readonly rules: LogRules
}

/** The rules by which the requests of an ingestion config become streams. */
export interface LogRules {
  /** The name of the ingestion config. */
  readonly config: string
  readonly staticLabels: Labels
  readonly promotedAttributes: readonly string[]
}

/** The limits for the logs that a workspace pushes. */
export interface LogLimits {
  /** The largest number of streams that are kept; -1 for none. */
  readonly logStreams: number
  /** The age in milliseconds from which entries are refused. */
  readonly retentionMs: number
}

/** The outcome of a write: the numbers of durable and of refused entries. */
export interface LogWriteResult {
  readonly accepted: number
  /** The bytes of the lines of all entries, refused ones too. */
  readonly bytes: number
  readonly rejections: Rejections
  /** A sentence about the first refused entry; empty if none is refused. */
  readonly message: string
  /** The last ingest number of the workspace. */
  readonly lastNumber: number
}

/** The times between which a stream must have an entry, in nanoseconds since 1970, the first one included. */
export interface LogTimes {
  readonly from: bigint
  readonly before: bigint
}

/** A read of entries in the order of their ingest numbers. */
export interface TailRead {
  readonly query: string
  /** Entries with greater numbers are read. */
  readonly after: number
  /** The largest number that is read. */
  readonly last: number
  /** The largest number of entries in the answer. */
  readonly limit: number
}

/** The outcome of a read of entries in the order of their ingest numbers. */
export interface TailPage {
  readonly entries: readonly LogEntry[]
  /** The number up to which all entries were looked at; the next read goes on after this number. */
  readonly position: number
  /** The numbers up to the position whose entries the retention has ended. */
  readonly skipped: number
}

/** The usage of a workspace, for its quota limits. */
export interface LogUsage {
  readonly streams: number
  /** The bytes of the lines that arrived in the last minute. */
  readonly bytesLastMinute: number
}

/**
 * The logs of all workspaces. Queries are LogQL. All functions reject with an error of the area: faults of queries with
 * SELECTOR_EMPTY and QUERY_…, an engine that another server serves with ENGINE_UNAVAILABLE. An aborted signal ends the
 * work.
 */
export interface LogEngine extends LogReader, LogStreams, TelemetryStore {
  /** Reads entries in the order of their ingest numbers. A read looks at a bounded part of what lies behind. */
  tail(workspace: string, read: TailRead, signal: AbortSignal): Promise<TailPage>
  /** Returns the ingest number of the last committed entry; 0 without entries. */
  lastNumber(workspace: string): Promise<number>
  /** Returns the greatest number before the entries that came in at `since` or later, in milliseconds since 1970. */
  numberBefore(workspace: string, since: number, signal: AbortSignal): Promise<number>
  /** Resolves once an entry with a number greater than `after` is committed, or the signal is aborted. */
  newEntries(workspace: string, after: number, signal: AbortSignal): Promise<void>
  /**
   * Reads a pushed body and writes its entries; resolves once the entries are on the disk. Rejects with PAYLOAD_INVALID
   * or PAYLOAD_TOO_LARGE, with nothing written.
   */
  push(workspace: string, pushed: PushedLogs, limits: LogLimits): Promise<LogWriteResult>
  /** Writes entries; resolves once the entries are on the disk. */
  write(workspace: string, batch: LogBatch, limits: LogLimits): Promise<LogWriteResult>
  usage(workspace: string): Promise<LogUsage>
  /** Returns the workspaces that have got lines on this server since its start. */
  written(): readonly string[]
}
