import { rmSync } from 'node:fs'
import { syncFolder } from '../../../durable-files.ts'
import { DayFile } from '../files/day-file.ts'
import type { SeriesTimes } from '../files/index-file.ts'
import { dayOf, type MetricPlaces } from '../files/places.ts'
import { FileFault } from '../files/telemetry-file.ts'
import { mergeSamples, type Samples } from '../format/samples.ts'

/** The largest number of files of days without parts that a workspace has open. */
const mostIdle = 3

/** The open files of the days of a workspace. */
export class OpenDays {
  readonly #places: MetricPlaces
  readonly #report: (fault: FileFault) => void
  readonly #files = new Map<number, DayFile>()

  constructor(places: MetricPlaces, report: (fault: FileFault) => void) {
    this.#places = places
    this.#report = report
  }

  /** Returns the file of a day, which is made if it is absent. Throws `FileFault`. */
  open(day: number): DayFile {
    const known = this.#files.get(day)
    if (known !== undefined) return known
    const file = new DayFile(this.#places.day(day))
    this.#files.set(day, file)
    return file
  }

  /** The files with parts. */
  *withParts(): Generator<DayFile> {
    for (const file of this.#files.values()) if (file.parts.length > 0) yield file
  }

  /** Returns the samples of a series that are later than `after`, and not later than `to`. */
  samplesOf(series: number, after: number, to: number): Samples {
    const lists: Samples[] = []
    for (let day = dayOf(after); day <= dayOf(to); day += 1) {
      if (this.#files.has(day) || this.#places.days().includes(day))
        lists.push(this.open(day).samplesOf(series, after, to))
    }
    return mergeSamples(lists)
  }

  /** Returns the first and the last time of each series in parts, which a killed writer has left in any file. */
  timesInParts(): readonly SeriesTimes[] {
    const times = new Map<number, SeriesTimes>()
    for (const day of this.#places.days()) {
      try {
        for (const { part } of this.open(day).parts) {
          for (const [i, id] of part.ids.entries()) {
            const first = part.times[i === 0 ? 0 : (part.ends[i - 1] ?? 0)] ?? 0
            const last = part.times[(part.ends[i] ?? 0) - 1] ?? 0
            const { first: before = first, last: after = last } = times.get(id) ?? {}
            times.set(id, { id, first: Math.min(first, before), last: Math.max(last, after) })
          }
        }
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        this.#report(error)
      }
      this.closeIdle(day)
    }
    return [...times.values()]
  }

  /** Closes files without parts, unless few are open. */
  closeIdle(today: number): void {
    for (const [day, file] of this.#files) {
      if (this.#files.size <= mostIdle) return
      if (day !== today && file.parts.length === 0) this.close(day)
    }
  }

  /** Closes the file of a day, if it is open. */
  close(day: number): void {
    this.#files.get(day)?.close()
    this.#files.delete(day)
  }

  /** Deletes the file of a day. */
  remove(day: number): void {
    this.close(day)
    const file = this.#places.day(day)
    // Without the file, no reader opens the others, which belong to it.
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
    syncFolder(this.#places.folder)
  }

  closeAll(): void {
    for (const day of this.#files.keys()) this.close(day)
  }
}
