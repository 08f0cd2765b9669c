import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { MetricMetadata } from '../../../../domain/observability/metrics/samples.ts'
import { hashOfKey } from '../../../../domain/observability/metrics/label-key.ts'
import { indexSchema } from './index-tables.ts'
import { checked, openForWriting, rowOf, rowsOf, transact } from './telemetry-file.ts'

/** A series of the index. */
export interface IndexedSeries {
  readonly id: number
  /** The labels as `labelKey` returns them. */
  readonly key: string
  /** The times of the first and the newest sample. */
  readonly first: number
  readonly last: number
}

/** The times of a series with an id. */
export type SeriesTimes = Omit<IndexedSeries, 'key'>

/** The index of the series of a workspace, as the writer holds it. All calls throw `FileFault`. */
export class IndexFile {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #find: StatementSync
  readonly #insert: StatementSync
  readonly #touch: StatementSync

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'index', indexSchema)
    this.#find = this.#database.prepare('SELECT id, labels, first, last FROM series WHERE hash = ? AND labels = ?')
    this.#insert = this.#database.prepare('INSERT INTO series (id, hash, labels, first, last) VALUES (?, ?, ?, ?, ?)')
    this.#touch = this.#database.prepare('UPDATE series SET first = min(first, ?2), last = max(last, ?3) WHERE id = ?1')
  }

  /** Returns the id after those that series have had. */
  nextId(): number {
    return checked(this.file, () => {
      const used = this.#database.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'series'`)
      return (rowOf<[number]>(used)?.[0] ?? 0) + 1
    })
  }

  find(key: string): IndexedSeries | undefined {
    return checked(this.file, () => {
      const row = rowOf<[number, string, number, number]>(this.#find, hashOfKey(key), key)
      return row && { id: row[0], key: row[1], first: row[2], last: row[3] }
    })
  }

  /** Returns the series whose newest sample is at `since` or later. */
  newerThan(since: number): readonly IndexedSeries[] {
    return checked(this.file, () =>
      rowsOf<[number, string, number, number]>(
        this.#database.prepare('SELECT id, labels, first, last FROM series WHERE last >= ?'),
        since,
      ).map(([id, key, first, last]) => ({ id, key, first, last })),
    )
  }

  /** Returns at most `count` series whose ids are greater than an id, in the order of ids. */
  after(id: number, count: number): readonly IndexedSeries[] {
    const statement = this.#database.prepare(
      'SELECT id, labels, first, last FROM series WHERE id > ? ORDER BY id LIMIT ?',
    )
    return checked(this.file, () =>
      rowsOf<[number, string, number, number]>(statement, id, count).map(([next, key, first, last]) => ({
        id: next,
        key,
        first,
        last,
      })),
    )
  }

  metadata(): readonly MetricMetadata[] {
    return checked(this.file, () =>
      rowsOf<[string, MetricMetadata['type'], string, string]>(
        this.#database.prepare('SELECT name, type, unit, description FROM metadata'),
      ).map(([name, type, unit, description]) => ({ name, type, unit, description })),
    )
  }

  /** Writes new series and metadata, which are on the disk at the return. */
  add(series: readonly IndexedSeries[], metadata: readonly MetricMetadata[]): void {
    this.#change(() => {
      for (const { first, id, key, last } of series) this.#insert.run(id, hashOfKey(key), key, first, last)
      const put = this.#database.prepare('INSERT OR REPLACE INTO metadata VALUES (?, ?, ?, ?)')
      for (const { description, name, type, unit } of metadata) put.run(name, type, unit, description)
    })
  }

  /** Extends the times of series, which are on the disk at the return. */
  touch(times: Iterable<SeriesTimes>): void {
    this.#change(() => {
      for (const { first, id, last } of times) this.#touch.run(id, first, last)
    })
  }

  /** Deletes series, and counts a new generation of the index. */
  delete(ids: readonly number[]): void {
    this.#change(() => {
      const gone = this.#database.prepare('DELETE FROM series WHERE id = ?')
      for (const id of ids) gone.run(id)
      this.#put('generation', String(Number(this.#about('generation') ?? 0) + 1))
    })
  }

  close(): void {
    this.#database.close()
  }

  #about(name: string): string | undefined {
    return rowOf<[string]>(this.#database.prepare('SELECT value FROM about WHERE name = ?'), name)?.[0]
  }

  #put(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO about (name, value) VALUES (?, ?)').run(name, value)
  }

  #change(change: () => void): void {
    checked(this.file, () => transact(this.#database, change))
  }
}
