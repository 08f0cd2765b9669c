import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { loadedTrace, type LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { SpanBudget } from '../../../../domain/observability/traces/span-budget.ts'
import type { TraceSpan } from '../../../../domain/observability/traces/span.ts'
import type { TracePosition, TraceRange } from '../../../../domain/observability/traces/trace-engine.ts'
import type { SignalPlaces } from '../files/places.ts'
import { checked, FileFault, iterateRows, openForReading, rowOf } from '../files/telemetry-file.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { labelsOfTrace } from './purge-traces.ts'
import { SpanReader } from './span-reader.ts'
import { idBytes, idOfBytes } from './trace-tables.ts'

/** The largest number of files of days that a workspace has open. */
const mostDays = 40

/** A trace that the index has and that is not expired. */
export interface FoundTrace {
  readonly traceId: string
  readonly number: number
  /** The start of the earliest span in microseconds since 1970. */
  readonly start: number
  /** The first and the last UTC day on which a span starts. */
  readonly first: number
  readonly last: number
}

type Row = readonly [
  number: number,
  trace: Uint8Array,
  start: number,
  first: number,
  last: number,
  service: string | null,
]

const columns = 'number, trace, start, first, last, service'

/** The traces of a workspace, as a thread of queries reads them. All calls throw `FileFault`. */
export class TraceReader {
  readonly #places: SignalPlaces
  readonly #report: (fault: FileFault) => void
  readonly #index: DatabaseSync
  readonly #find: StatementSync
  readonly #days = new LRUCache<number, SpanReader>({ max: mostDays, dispose: reader => reader.close() })
  #retention: { readonly text: string; readonly value: SeriesRetention } | undefined

  private constructor(places: SignalPlaces, index: DatabaseSync, report: (fault: FileFault) => void) {
    this.#places = places
    this.#report = report
    this.#index = index
    this.#find = index.prepare(`SELECT ${columns} FROM traces WHERE trace = ?`)
  }

  /** Opens the files of a workspace; undefined if it has none. `report` gets the faults of files of days. */
  static open(places: SignalPlaces, report: (fault: FileFault) => void): TraceReader | undefined {
    const index = openForReading(places.index, 'traces')
    return index && new TraceReader(places, index, report)
  }

  /** Whether the files still exist. */
  get isCurrent(): boolean {
    return existsSync(this.#places.index)
  }

  /** Returns a trace unless it is absent or expired at `now`, in milliseconds since 1970. */
  find(traceId: string, now: number): FoundTrace | undefined {
    const row = checked(this.#places.index, () => rowOf<Row>(this.#find, idBytes(traceId)))
    return row && this.#kept(row, now)
  }

  /** Iterates over the traces that start in a range and are not expired, the newest start first. */
  *between({ end, start }: TraceRange, now: number, after?: TracePosition): Generator<FoundTrace, undefined> {
    const [before, number] = after ?? [end + 1, 0]
    const statement = this.#index.prepare(
      `SELECT ${columns} FROM traces WHERE start >= ? AND start <= ? AND (start, number) < (?, ?)
        ORDER BY start DESC, number DESC`,
    )
    for (const row of iterateRows<Row>(this.#places.index, statement, start, end, before, number)) {
      const trace = this.#kept(row, now)
      if (trace !== undefined) yield trace
    }
  }

  /** Reads the spans of a trace, at most `limit` of each day; undefined if they are not written yet, or deleted. */
  load(trace: FoundTrace, budget: SpanBudget, limit = -1): LoadedTrace | undefined {
    const spans = new Map<string, TraceSpan>()
    for (const day of this.#daysOf(trace))
      for (const span of day.spans(trace.number, trace.traceId, limit)) {
        budget.spend()
        spans.set(span.spanId, span)
      }
    return loadedTrace([...spans.values()])
  }

  /** Returns the numbers of the spans and of the errors of a trace. */
  counts(trace: FoundTrace): { readonly spans: number; readonly errors: number } {
    let [spans, errors] = [0, 0]
    for (const day of this.#daysOf(trace)) {
      const [of, failed] = day.counts(trace.number)
      spans += of
      errors += failed
    }
    return { spans, errors }
  }

  /** Whether a trace has a span. */
  has(trace: FoundTrace, spanId: string): boolean {
    return this.#daysOf(trace).some(day => day.has(trace.number, spanId))
  }

  close(): void {
    this.#days.clear()
    this.#index.close()
  }

  #kept([number, trace, start, first, last, service]: Row, now: number): FoundTrace | undefined {
    const keptMs = this.#keptMs(service)
    if (start < (now - keptMs) * 1000) return undefined
    return { traceId: idOfBytes(trace), number, start, first, last }
  }

  /** Returns the retention of the traces of a service in milliseconds. */
  #keptMs(service: string | null): number {
    return this.#retention?.value.of(labelsOfTrace(service)) ?? Infinity
  }

  /** Takes the retention of the workspace, by default that of the last purge; before the first purge there is none. */
  refresh(retention?: TelemetryRetention): void {
    const text = retention === undefined ? this.#storedRetention() : JSON.stringify(retention)
    if (text === undefined || text === this.#retention?.text) return
    const given: TelemetryRetention = JSON.parse(text)
    this.#retention = { text, value: new SeriesRetention(given) }
  }

  /** Returns the retention of the last purge as JSON. */
  #storedRetention(): string | undefined {
    const statement = this.#index.prepare(`SELECT value FROM about WHERE name = 'retention'`)
    return checked(this.#places.index, () => rowOf<[string]>(statement))?.[0]
  }

  /** Returns the files of the days of a trace; a file that cannot be used is reported and left out. */
  #daysOf({ first, last }: FoundTrace): readonly SpanReader[] {
    const days = first === last ? [first] : this.#places.days().filter(day => day >= first && day <= last)
    return days.flatMap(day => this.#day(day) ?? [])
  }

  #day(day: number): SpanReader | undefined {
    const known = this.#days.get(day)
    if (known?.isCurrent === true) return known
    this.#days.delete(day)
    try {
      const reader = SpanReader.open(this.#places.day(day))
      if (reader !== undefined) this.#days.set(day, reader)
      return reader
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      this.#report(error)
      return undefined
    }
  }
}
