import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { TelemetryRetention } from '../../../../domain/observability/telemetry-retention.ts'
import { checked, openForReading, rowOf, rowsOf } from '../files/telemetry-file.ts'
import type { SignalPlaces } from '../files/places.ts'
import { SeriesRetention } from '../retention/series-retention.ts'
import { SeriesCatalog } from './series-catalog.ts'

/** The retention before the first purge: none. */
const noRetention: TelemetryRetention = { defaultMs: Infinity, selected: [] }

/** The tables of series and streams, with the kinds of their indexes. */
const tables = { index: 'series', logIndex: 'streams' } as const

/** The index of a signal of a workspace, as a thread of queries reads it. All calls throw `FileFault`. */
export class IndexReader {
  readonly database: DatabaseSync
  readonly #file: string
  readonly #table: string
  #catalog = new SeriesCatalog()
  #generation: string | undefined
  #retention = { text: '', value: new SeriesRetention(noRetention) }

  private constructor(file: string, table: string, database: DatabaseSync) {
    this.#file = file
    this.#table = table
    this.database = database
  }

  /** Opens the index of a workspace; undefined if it has none. */
  static open({ index }: SignalPlaces, kind: keyof typeof tables): IndexReader | undefined {
    const database = openForReading(index, kind)
    return database && new IndexReader(index, tables[kind], database)
  }

  /** The series or streams. */
  get catalog(): SeriesCatalog {
    return this.#catalog
  }

  get retention(): SeriesRetention {
    return this.#retention.value
  }

  /** Whether the file still exists. */
  get isCurrent(): boolean {
    return existsSync(this.#file)
  }

  /**
   * Takes the retention of the workspace, by default that of the last purge, and reads the series or streams that the
   * writer has added since the last call.
   */
  refresh(retention?: TelemetryRetention): void {
    if (retention) this.#setRetention(retention)
    checked(this.#file, () => {
      this.database.exec('BEGIN')
      try {
        const generation = this.#about('generation')
        if (generation !== this.#generation) this.#catalog = new SeriesCatalog()
        this.#generation = generation
        const stored = retention === undefined ? this.#about('retention') : undefined
        if (stored !== undefined) this.#setRetention(JSON.parse(stored))
        const added = this.database.prepare(`SELECT id, labels FROM ${this.#table} WHERE id > ? ORDER BY id`)
        for (const [id, key] of rowsOf<[number, string]>(added, this.#catalog.lastId)) this.#catalog.add(id, key)
      } finally {
        this.database.exec('COMMIT')
      }
    })
  }

  close(): void {
    this.database.close()
  }

  #setRetention(given: TelemetryRetention): void {
    // An unlimited retention has no JSON of its own, and is the same text each time all the same.
    const text = JSON.stringify(given)
    if (text !== this.#retention.text) this.#retention = { text, value: new SeriesRetention(given) }
  }

  #about(name: string): string | undefined {
    return rowOf<[string]>(this.database.prepare('SELECT value FROM about WHERE name = ?'), name)?.[0]
  }
}
