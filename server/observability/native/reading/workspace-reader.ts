import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { MetricRetention } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { MetricMetadata } from '../../../../domain/observability/metrics/samples.ts'
import { checked, FileFault, openForReading, rowOf, rowsOf } from '../files/telemetry-file.ts'
import type { MetricPlaces } from '../files/places.ts'
import { DayReader } from './day-reader.ts'
import { SeriesCatalog } from './series-catalog.ts'
import { SeriesRetention } from '../retention/series-retention.ts'

/** The largest number of files of days that a workspace has open. */
const mostDays = 40

/** The files of the metrics of a workspace, as a thread of queries reads them. All calls throw `FileFault`. */
export class WorkspaceReader {
  readonly #places: MetricPlaces
  readonly #report: (fault: FileFault) => void
  readonly #index: DatabaseSync
  readonly #days = new Map<number, DayReader>()
  #catalog = new SeriesCatalog()
  #generation: string | undefined
  #retention: { readonly text: string; readonly value: SeriesRetention } | undefined

  private constructor(places: MetricPlaces, index: DatabaseSync, report: (fault: FileFault) => void) {
    this.#places = places
    this.#index = index
    this.#report = report
  }

  /** Opens the files of a workspace; undefined if it has none. `report` gets the faults of files of days. */
  static open(places: MetricPlaces, report: (fault: FileFault) => void): WorkspaceReader | undefined {
    const index = openForReading(places.index, 'index')
    return index && new WorkspaceReader(places, index, report)
  }

  get catalog(): SeriesCatalog {
    return this.#catalog
  }

  /** The retention of the last `refresh`. */
  get retention(): SeriesRetention {
    if (this.#retention === undefined) throw new Error('the reader of a workspace was not refreshed')
    return this.#retention.value
  }

  /** Whether the files still exist. */
  get isCurrent(): boolean {
    return existsSync(this.#places.index)
  }

  /** Takes the retention of the workspace, and reads the series that the writer has added since the last call. */
  refresh(retention: MetricRetention): void {
    const text = JSON.stringify(retention)
    if (text !== this.#retention?.text) this.#retention = { text, value: new SeriesRetention(retention) }
    checked(this.#places.index, () => {
      this.#index.exec('BEGIN')
      try {
        const generation = this.#about('generation')
        if (generation !== this.#generation) this.#catalog = new SeriesCatalog()
        this.#generation = generation
        const added = this.#index.prepare('SELECT id, labels FROM series WHERE id > ? ORDER BY id')
        for (const [id, key] of rowsOf<[number, string]>(added, this.#catalog.lastId)) this.#catalog.add(id, key)
      } finally {
        this.#index.exec('COMMIT')
      }
    })
  }

  /** Returns the first and the last time of each series in the index; samples in parts may be newer or older. */
  times(): Map<number, [first: number, last: number]> {
    const statement = this.#index.prepare('SELECT id, first, last FROM series')
    const rows = checked(this.#places.index, () => rowsOf<[number, number, number]>(statement))
    return new Map(rows.map(([id, first, last]) => [id, [first, last]]))
  }

  metadata(): ReadonlyMap<string, MetricMetadata> {
    const statement = this.#index.prepare('SELECT name, type, unit, description FROM metadata')
    const rows = checked(this.#places.index, () => rowsOf<[string, MetricMetadata['type'], string, string]>(statement))
    return new Map(rows.map(([name, type, unit, description]) => [name, { name, type, unit, description }]))
  }

  /** Returns the files of days between two days; a file that cannot be used is reported and left out. */
  days(first: number, last: number): readonly DayReader[] {
    return this.#places
      .days()
      .filter(day => day >= first && day <= last)
      .flatMap(day => this.#day(day) ?? [])
  }

  /** Ends the snapshots of all files. */
  endSnapshots(): void {
    for (const reader of this.#days.values()) reader.endSnapshot()
    for (const [day, reader] of this.#days) {
      if (this.#days.size <= mostDays && reader.isCurrent) continue
      reader.close()
      this.#days.delete(day)
    }
  }

  close(): void {
    for (const reader of this.#days.values()) reader.close()
    this.#days.clear()
    this.#index.close()
  }

  #day(day: number): DayReader | undefined {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    try {
      const reader = DayReader.open(this.#places.day(day))
      if (reader) this.#days.set(day, reader)
      return reader
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      this.#report(error)
      return undefined
    }
  }

  #about(name: string): string | undefined {
    return rowOf<[string]>(this.#index.prepare('SELECT value FROM about WHERE name = ?'), name)?.[0]
  }
}
