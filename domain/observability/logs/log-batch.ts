import type { Labels, Rejections } from '../metrics/samples.ts'
import type { StoredEntry } from '../logql/entry-source.ts'

/** A log entry of a sender; `time` is undefined if the sender has sent no time. */
export interface NewEntry extends Pick<StoredEntry, 'line' | 'metadata' | 'severity' | 'spanId' | 'traceId'> {
  /** The time in nanoseconds since 1970. */
  readonly time: bigint | undefined
}

/** New entries of one stream, in the order in which they were sent. */
export interface StreamEntries {
  readonly labels: Labels
  readonly entries: readonly NewEntry[]
}

/** The log entries of one request of a sender. */
export interface LogBatch {
  readonly streams: readonly StreamEntries[]
  /** The entries that the reader of the request has refused already. */
  readonly rejections: Rejections
  /** A sentence about the first refused entry; empty if none is refused. */
  readonly message: string
}
