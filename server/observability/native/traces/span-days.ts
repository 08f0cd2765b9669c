import { rmSync } from 'node:fs'
import { syncFolder } from '../../../durable-files.ts'
import type { SignalPlaces } from '../files/places.ts'
import { SpanFile } from './span-file.ts'

/** The largest number of files of days that a workspace has open between two commits. */
const mostOpen = 3

/** The open files of the days of a workspace. */
export class SpanDays {
  readonly #places: SignalPlaces
  readonly #files = new Map<number, SpanFile>()

  constructor(places: SignalPlaces) {
    this.#places = places
  }

  /** Returns the file of a day, which is made if it is absent. Throws `FileFault`. */
  open(day: number): SpanFile {
    const known = this.#files.get(day)
    // The file that was used longest ago is the first.
    this.#files.delete(day)
    const file = known ?? new SpanFile(this.#places.day(day))
    this.#files.set(day, file)
    return file
  }

  /** Closes the files that were used longest ago, unless few are open. */
  closeIdle(): void {
    for (const day of this.#files.keys()) {
      if (this.#files.size <= mostOpen) return
      this.#close(day)
    }
  }

  /** Deletes the file of a day. */
  remove(day: number): void {
    this.#close(day)
    const file = this.#places.day(day)
    // Without the file, no reader opens the others, which belong to it.
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
    syncFolder(this.#places.folder)
  }

  closeAll(): void {
    for (const day of this.#files.keys()) this.#close(day)
  }

  #close(day: number): void {
    this.#files.get(day)?.close()
    this.#files.delete(day)
  }
}
