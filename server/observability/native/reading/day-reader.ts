import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { chunksBetween, type ChunkRow } from '../files/day-tables.ts'
import { checked, openForReading, rowsOf } from '../files/telemetry-file.ts'
import { decodePart, type Part } from '../format/part.ts'

/** The file of a day, as a thread of queries reads it. All calls throw `FileFault`. */
export class DayReader {
  readonly #file: string
  readonly #inode: bigint
  readonly #database: DatabaseSync
  readonly #chunks: StatementSync
  readonly #parts: StatementSync
  #isReading = false

  private constructor(file: string, inode: bigint, database: DatabaseSync) {
    this.#file = file
    this.#inode = inode
    this.#database = database
    this.#chunks = database.prepare(chunksBetween)
    this.#parts = database.prepare('SELECT bytes FROM parts WHERE last > ? AND first <= ? ORDER BY id')
  }

  /** Opens a file; undefined if there is no such file. */
  static open(file: string): DayReader | undefined {
    const inode = inodeOf(file)
    const database = openForReading(file, 'days')
    if (inode === undefined || database === undefined) return undefined
    return checked(file, () => new DayReader(file, inode, database))
  }

  /** Whether the file still has its name: a deleted file, or one that was made anew, must be opened again. */
  get isCurrent(): boolean {
    return inodeOf(this.#file) === this.#inode
  }

  /** Returns the chunks of a series with samples that are later than `after`, and not later than `to`. */
  chunks(series: number, after: number, to: number): readonly ChunkRow[] {
    return checked(this.#file, () => {
      this.#begin()
      return rowsOf<ChunkRow>(this.#chunks, series, after, to)
    })
  }

  /** Returns the parts with samples that are later than `after`, and not later than `to`; the oldest first. */
  parts(after: number, to: number): readonly Part[] {
    return checked(this.#file, () => {
      this.#begin()
      return rowsOf<[Uint8Array]>(this.#parts, after, to).map(([bytes]) => decodePart(bytes))
    })
  }

  /** Ends the snapshot of the file; the next call reads the newest content. */
  endSnapshot(): void {
    if (!this.#isReading) return
    this.#isReading = false
    this.#database.exec('COMMIT')
  }

  close(): void {
    this.#database.close()
  }

  /** Begins a snapshot, because a commit may move samples from parts to chunks between two reads. */
  #begin(): void {
    if (this.#isReading) return
    this.#database.exec('BEGIN')
    this.#isReading = true
  }
}

/** Returns the number of a file in its file system; undefined if there is no such file. */
export function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}
