import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import type { MetricMetadata } from '../../../../domain/observability/metrics/samples.ts'
import { checked, rowsOf, type FileFault } from '../files/telemetry-file.ts'
import type { MetricPlaces } from '../files/places.ts'
import { DayReader } from './day-reader.ts'
import { DayReaders } from './day-readers.ts'
import { IndexReader } from './index-reader.ts'
import type { SeriesCatalog } from './series-catalog.ts'
import type { SeriesRetention } from '../retention/series-retention.ts'

/** The files of the metrics of a workspace, as a thread of queries reads them. All calls throw `FileFault`. */
export class WorkspaceReader {
  readonly #places: MetricPlaces
  readonly #index: IndexReader
  readonly #days: DayReaders<DayReader>

  private constructor(places: MetricPlaces, index: IndexReader, report: (fault: FileFault) => void) {
    this.#places = places
    this.#index = index
    this.#days = new DayReaders(places, file => DayReader.open(file), report)
  }

  /** Opens the files of a workspace; undefined if it has none. `report` gets the faults of files of days. */
  static open(places: MetricPlaces, report: (fault: FileFault) => void): WorkspaceReader | undefined {
    const index = IndexReader.open(places, 'index')
    return index && new WorkspaceReader(places, index, report)
  }

  get catalog(): SeriesCatalog {
    return this.#index.catalog
  }

  /** The retention of the last `refresh`. */
  get retention(): SeriesRetention {
    return this.#index.retention
  }

  /** Whether the files still exist. */
  get isCurrent(): boolean {
    return this.#index.isCurrent
  }

  /** Takes the retention of the workspace, and reads the series that the writer has added since the last call. */
  refresh(retention: TelemetryRetention): void {
    this.#index.refresh(retention)
  }

  /** Returns the first and the last time of each series in the index; samples in parts may be newer or older. */
  times(): Map<number, [first: number, last: number]> {
    const statement = this.#index.database.prepare('SELECT id, first, last FROM series')
    const rows = checked(this.#places.index, () => rowsOf<[number, number, number]>(statement))
    return new Map(rows.map(([id, first, last]) => [id, [first, last]]))
  }

  metadata(): ReadonlyMap<string, MetricMetadata> {
    const statement = this.#index.database.prepare('SELECT name, type, unit, description FROM metadata')
    const rows = checked(this.#places.index, () => rowsOf<[string, MetricMetadata['type'], string, string]>(statement))
    return new Map(rows.map(([name, type, unit, description]) => [name, { name, type, unit, description }]))
  }

  /** Returns the files of days between two days; a file that cannot be used is reported and left out. */
  days(first: number, last: number): readonly DayReader[] {
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
