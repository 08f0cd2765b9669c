import type { TelemetryRetention } from '../../../../../domain/observability/telemetry-retention.ts'
import type { FileFault } from '../../files/telemetry-file.ts'
import type { SignalPlaces } from '../../files/places.ts'
import { DayReaders } from '../../reading/day-readers.ts'
import { IndexReader } from '../../reading/index-reader.ts'
import type { KnownSeries, SeriesCatalog } from '../../reading/series-catalog.ts'
import { LogDayReader } from './log-day-reader.ts'

/** The nanoseconds of a millisecond. */
export const nanos = 1_000_000n

/** The files of the logs of a workspace, as a thread of queries reads them. All calls throw `FileFault`. */
export class LogReader {
  readonly #index: IndexReader
  readonly #days: DayReaders<LogDayReader>

  private constructor(places: SignalPlaces, index: IndexReader, report: (fault: FileFault) => void) {
    this.#index = index
    this.#days = new DayReaders(places, file => LogDayReader.open(file), report)
  }

  /** Opens the files of a workspace; undefined if it has none. `report` gets the faults of files of days. */
  static open(places: SignalPlaces, report: (fault: FileFault) => void): LogReader | undefined {
    const index = IndexReader.open(places, 'logIndex')
    return index && new LogReader(places, index, report)
  }

  /** The streams. */
  get catalog(): SeriesCatalog {
    return this.#index.catalog
  }

  /** Whether the files still exist. */
  get isCurrent(): boolean {
    return this.#index.isCurrent
  }

  /**
   * Takes the retention of the workspace, by default that of the last purge, and reads the streams that the writer has
   * added since the last call.
   */
  refresh(retention?: TelemetryRetention): void {
    this.#index.refresh(retention)
  }

  /** Returns the time before which entries of a stream are no longer shown, in nanoseconds since 1970. */
  keptFrom({ labels }: KnownSeries, now: number): bigint {
    const { retention } = this.#index
    const from = Math.floor(now - retention.of(labels))
    return Number.isFinite(from) ? BigInt(from) * nanos : 0n
  }

  /** Returns the files of days between two days; a file that cannot be used is reported and left out. */
  days(first: number, last: number): readonly LogDayReader[] {
    return this.#days.between(first, last)
  }

  /** Ends the snapshots of all files. */
  endSnapshots(): void {
    this.#days.endSnapshots()
  }

  close(): void {
    this.#days.close()
    this.#index.close()
  }
}
