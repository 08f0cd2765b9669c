import type { LogSeverity } from '../../../output/observability/types.ts'
import type { Labels } from '../metrics/samples.ts'
import type { Matcher } from '../promql/matcher.ts'

/** A log entry as it is stored. */
export interface StoredEntry {
  /** The time of the entry in nanoseconds since 1970. */
  readonly time: bigint
  /**
   * The ingest number: unique in the workspace, in the order of commits, from 1 on. Entries with equal times are in the
   * order of their numbers.
   */
  readonly number: number
  readonly line: string
  /** The structured metadata, by name. */
  readonly metadata: Labels
  readonly severity: LogSeverity
  /** 32 lower-case hex digits; empty for none. */
  readonly traceId: string
  /** 16 lower-case hex digits; empty for none. */
  readonly spanId: string
  /** When the entry came in, in milliseconds since 1970. */
  readonly ingestTime: number
}

/**
 * Entries of one stream, in the order of times and numbers. A run decodes the members of an entry when they are asked
 * for, so that a query pays for no more than it reads. Indices are from 0 to `length - 1`.
 */
export interface EntryRun {
  readonly length: number
  /** The time of an entry in nanoseconds since 1970. */
  time(index: number): bigint
  /** The ingest number of an entry. */
  number(index: number): number
  line(index: number): string
  /** The structured metadata of an entry, by name. */
  metadata(index: number): Labels
  /** All members of an entry. */
  entry(index: number): StoredEntry
}

/**
 * A part of a stream that a store reads in one piece, such as a compressed block. The parts of a stream may overlap in
 * time, and come in any order.
 */
export interface EntryPart {
  /** The labels of the stream; the same object for all parts of a stream. */
  readonly labels: Labels
  /** A time that no entry of the part precedes, in nanoseconds since 1970. */
  readonly first: bigint
  /** A time that no entry of the part follows, in nanoseconds since 1970. */
  readonly last: bigint
  /**
   * Reads the entries of the part that lie between the times of the selection. A store may leave out entries that
   * `required` rules out. A part is read once at most. The cost of a read is charged before the read.
   */
  read(): EntryRun
}

/** The streams, the times and the lines that a query reads. */
export interface EntrySelection {
  /** The conditions that the labels of a stream must fit, all of them. */
  readonly matchers: readonly Matcher[]
  /** Entries are at this time or after it, in nanoseconds since 1970. */
  readonly from: bigint
  /** Entries are before this time, in nanoseconds since 1970. */
  readonly before: bigint
  /**
   * What the evaluator asks of a line, as a hint for indexes: a line that counts contains, for each list, one text of
   * the list, in the same case. The evaluator tests lines itself, so a store may ignore the hint. Texts are not empty.
   */
  readonly required: readonly (readonly string[])[]
  /**
   * Counts entries and bytes of their lines (UTF-8) against the limits of the query. A source calls it before it reads a
   * part, with all that it has to look at; what an index rules out unseen does not count. Throws the error of the query
   * if a limit or the deadline is exceeded.
   */
  charge(entries: number, bytes: number): void
}

/** The log entries of one workspace, as an evaluator reads them. All calls are synchronous. */
export interface EntrySource {
  /** Returns the parts of all streams that fit a selection and may have an entry between its times. */
  select(selection: EntrySelection): readonly EntryPart[]
}
