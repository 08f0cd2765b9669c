import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { countOf, encodeChunk, mostSamples } from '../format/chunk.ts'
import { decodePart, encodePart, requireUnchanged, samplesOfSeries, type Part } from '../format/part.ts'
import { extent, mergeSamples, samplesBetween, type Samples } from '../format/samples.ts'
import { chunksBetween, daySchema, samplesOfChunks, type ChunkRow } from './day-tables.ts'
import { checked, giveBack, openForWriting, rowsOf, transact } from './telemetry-file.ts'

/** A part and its number in the file. */
export interface StoredPart {
  readonly id: number
  readonly part: Part
}

/**
 * The file of a day, as the writer holds it. Each commit adds a part; later the samples of parts move into chunks of one
 * series each. A sample may lie in both meanwhile. All calls throw `FileFault` for a file that cannot be used.
 */
export class DayFile {
  readonly file: string
  readonly #database: DatabaseSync
  readonly #insertPart: StatementSync
  readonly #chunksBetween: StatementSync
  readonly #chunksFrom: StatementSync
  readonly #putChunk: StatementSync
  readonly #deleteChunk: StatementSync
  #parts: StoredPart[]
  #samplesInParts = 0
  #oldestPartAt = -Infinity

  constructor(file: string) {
    this.file = file
    this.#database = openForWriting(file, 'days', daySchema)
    const statement = (sql: string): StatementSync => this.#database.prepare(sql)
    this.#insertPart = statement('INSERT INTO parts (first, last, bytes) VALUES (?, ?, ?)')
    this.#chunksBetween = statement(chunksBetween)
    this.#chunksFrom = statement(`SELECT start, last, bytes FROM chunks WHERE series = ?1
      AND start >= ifnull((SELECT max(start) FROM chunks WHERE series = ?1 AND start <= ?2), ?2)`)
    this.#putChunk = statement('INSERT OR REPLACE INTO chunks (series, start, last, bytes) VALUES (?, ?, ?, ?)')
    this.#deleteChunk = statement('DELETE FROM chunks WHERE series = ? AND start = ?')
    this.#parts = checked(file, () =>
      rowsOf<[number, Uint8Array]>(statement('SELECT id, bytes FROM parts ORDER BY id')).map(([id, bytes]) => {
        const part = decodePart(bytes)
        requireUnchanged(bytes)
        return { id, part }
      }),
    )
    this.#countParts()
  }

  /** The parts whose samples are not moved to chunks, the oldest first. */
  get parts(): readonly StoredPart[] {
    return this.#parts
  }

  get samplesInParts(): number {
    return this.#samplesInParts
  }

  /** The time at which the oldest part was added; -Infinity if an earlier process has added it. */
  get oldestPartAt(): number {
    return this.#oldestPartAt
  }

  /** Adds a part at a time; it is on the disk at the return. */
  append(part: Part, now: number): void {
    if (this.#parts.length === 0) this.#oldestPartAt = now
    const { first, last } = extent(part.times)
    const { lastInsertRowid } = checked(this.file, () => this.#insertPart.run(first, last, encodePart(part)))
    this.#parts.push({ id: Number(lastInsertRowid), part })
    this.#samplesInParts += part.times.length
  }

  /** Returns the samples of a series that are later than `after`, and not later than `to`. */
  samplesOf(series: number, after: number, to: number): Samples {
    return checked(this.file, () => {
      const chunks = rowsOf<ChunkRow>(this.#chunksBetween, series, after, to)
      const parts = this.#parts.map(({ part }) => samplesOfSeries(part, series))
      return samplesBetween(mergeSamples([...samplesOfChunks(chunks), ...parts]), after, to)
    })
  }

  /** Moves samples of several series to chunks. A loss of power may undo this, but not later calls alone. */
  moveToChunks(lists: readonly (readonly [series: number, samples: Samples])[]): void {
    this.#relaxed(() => {
      for (const [series, samples] of lists) this.#mergeIntoChunks(series, samples)
    })
  }

  /** Deletes parts whose samples lie in chunks: those up to the number `last`. */
  deleteParts(last: number): void {
    this.#relaxed(() => this.#database.prepare('DELETE FROM parts WHERE id <= ?').run(last))
    this.#parts = this.#parts.filter(({ id }) => id > last)
    this.#countParts()
  }

  /** Deletes the chunks of series. */
  deleteSeries(series: Iterable<number>): void {
    this.#relaxed(() => {
      const gone = this.#database.prepare('DELETE FROM chunks WHERE series = ?')
      for (const id of series) gone.run(id)
    })
  }

  /** Returns the bytes of the chunks of at most `count` series whose ids are greater than `after`, in the order of ids. */
  bytesOfSeries(after: number, count: number): readonly (readonly [series: number, bytes: number])[] {
    const sums = this.#database.prepare(`SELECT series, sum(length(bytes)) FROM chunks WHERE series > ?
      GROUP BY series ORDER BY series LIMIT ?`)
    return checked(this.file, () => rowsOf<[number, number]>(sums, after, count))
  }

  /** Whether the file has no sample. */
  isEmpty(): boolean {
    if (this.#parts.length > 0) return false
    return checked(this.file, () => this.#database.prepare('SELECT 1 FROM chunks LIMIT 1').get() === undefined)
  }

  /** Gives pages without content back to the file system, some at a time; returns whether none are left. */
  shrink(): boolean {
    return checked(this.file, () => giveBack(this.#database))
  }

  close(): void {
    this.#database.close()
  }

  #countParts(): void {
    this.#samplesInParts = this.#parts.reduce((sum, { part }) => sum + part.times.length, 0)
  }

  #mergeIntoChunks(series: number, samples: Samples): void {
    const first = samples.times[0] ?? 0
    const [only, ...more] = rowsOf<ChunkRow>(this.#chunksFrom, series, first)
    if (only === undefined || (more.length === 0 && only[1] < first && countOf(only[2]) >= mostSamples))
      return this.#put(series, samples)
    const rows = [only, ...more]
    const merged = mergeSamples([...samplesOfChunks(rows), samples])
    for (const [start] of rows) if (start !== merged.times[0]) this.#deleteChunk.run(series, start)
    this.#put(series, merged)
  }

  #put(series: number, { times, values }: Samples): void {
    for (let start = 0; start < times.length; start += mostSamples) {
      const piece = {
        times: times.subarray(start, start + mostSamples),
        values: values.subarray(start, start + mostSamples),
      }
      const last = piece.times[piece.times.length - 1] ?? 0
      this.#putChunk.run(series, times[start] ?? 0, last, encodeChunk(piece))
    }
  }

  /** Runs a transaction that a loss of power may undo; its effects are durable before those of any later append. */
  #relaxed(change: () => void): void {
    checked(this.file, () => {
      this.#database.exec('PRAGMA synchronous = NORMAL')
      try {
        transact(this.#database, change)
      } finally {
        this.#database.exec('PRAGMA synchronous = FULL')
      }
    })
  }
}
