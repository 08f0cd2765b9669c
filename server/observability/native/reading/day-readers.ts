import { FileFault } from '../files/telemetry-file.ts'
import type { SignalPlaces } from '../files/places.ts'

/** The largest number of files of days that a workspace has open. */
const mostDays = 40

/** The reader of the file of a day. */
interface SnapshotReader {
  /** Whether the file still has its name. */
  readonly isCurrent: boolean
  endSnapshot(): void
  close(): void
}

/** The files of the days of a signal of a workspace, which are opened when they are read. */
export class DayReaders<Reader extends SnapshotReader> {
  readonly #places: SignalPlaces
  readonly #open: (file: string) => Reader | undefined
  readonly #report: (fault: FileFault) => void
  readonly #days = new Map<number, Reader>()

  /** `open` returns the reader of a file, and undefined without the file; `report` gets the faults of files. */
  constructor(places: SignalPlaces, open: (file: string) => Reader | undefined, report: (fault: FileFault) => void) {
    this.#places = places
    this.#open = open
    this.#report = report
  }

  /** Returns the files of days between two days; a file that cannot be used is reported and left out. */
  between(first: number, last: number): readonly Reader[] {
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
  }

  #day(day: number): Reader | undefined {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    try {
      const reader = this.#open(this.#places.day(day))
      if (reader) this.#days.set(day, reader)
      return reader
    } catch (error) {
      if (!(error instanceof FileFault)) throw error
      this.#report(error)
      return undefined
    }
  }
}
