import type { StatementSync } from 'node:sqlite'
import { chunksBetween, samplesOfChunks, type ChunkRow } from '../files/day-tables.ts'
import { checked, rowsOf } from '../files/telemetry-file.ts'
import { countOf } from '../format/chunk.ts'
import { decodePart, type Part } from '../format/part.ts'
import type { Samples } from '../format/samples.ts'
import { FileSnapshot } from './file-snapshot.ts'

/** The file of a day, as a thread of queries reads it. All calls throw `FileFault`. */
export class DayReader {
  readonly #snapshot: FileSnapshot
  readonly #chunks: StatementSync
  readonly #parts: StatementSync

  private constructor(snapshot: FileSnapshot) {
    this.#snapshot = snapshot
    this.#chunks = snapshot.database.prepare(chunksBetween)
    this.#parts = snapshot.database.prepare('SELECT bytes FROM parts WHERE last > ? AND first <= ? ORDER BY id')
  }

  /** Opens a file; undefined if there is no such file. */
  static open(file: string): DayReader | undefined {
    const snapshot = FileSnapshot.open(file, 'days')
    return snapshot && checked(file, () => new DayReader(snapshot))
  }

  /** Whether the file still has its name: a deleted file, or one that was made anew, must be opened again. */
  get isCurrent(): boolean {
    return this.#snapshot.isCurrent
  }

  /** Returns the chunks of a series with samples that are later than `after`, and not later than `to`. */
  chunks(series: number, after: number, to: number): readonly ChunkRow[] {
    return this.#snapshot.read(() => rowsOf<ChunkRow>(this.#chunks, series, after, to))
  }

  /** Returns the number of samples in some chunks of the file. */
  countIn(chunks: readonly ChunkRow[]): number {
    return this.#snapshot.read(() => chunks.reduce((sum, [, , bytes]) => sum + countOf(bytes), 0))
  }

  /** Returns the samples of each of some chunks of the file. */
  samplesOf(chunks: readonly ChunkRow[]): readonly Samples[] {
    return this.#snapshot.read(() => samplesOfChunks(chunks))
  }

  /** Returns the parts with samples that are later than `after`, and not later than `to`; the oldest first. */
  parts(after: number, to: number): readonly Part[] {
    return this.#snapshot.read(() => rowsOf<[Uint8Array]>(this.#parts, after, to).map(([bytes]) => decodePart(bytes)))
  }

  /** Ends the snapshot of the file; the next call reads the newest content. */
  endSnapshot(): void {
    this.#snapshot.end()
  }

  close(): void {
    this.#snapshot.close()
  }
}
