import { rmSync } from 'node:fs'
import { syncFolder } from '../../../../durable-files.ts'
import type { SignalPlaces } from '../../files/places.ts'
import { FileFault } from '../../files/telemetry-file.ts'
import { LogDayFile } from '../files/log-day-file.ts'

/** The largest number of files of days that a workspace has open while nothing is due in them. */
const mostIdle = 3

/** The files of the days of the logs of a workspace, as the writer holds them. */
export class LogDays {
  readonly #places: SignalPlaces
  readonly #report: (fault: FileFault) => void
  readonly #files = new Map<number, LogDayFile>()

  constructor(places: SignalPlaces, report: (fault: FileFault) => void) {
    this.#places = places
    this.#report = report
  }

  /** Returns the file of a day, which is made if it is absent. Throws `FileFault`. */
  open(day: number): LogDayFile {
    const known = this.#files.get(day)
    if (known !== undefined) return known
    const file = new LogDayFile(this.#places.day(day))
    this.#files.set(day, file)
    return file
  }

  /** The open files. */
  values(): Iterable<LogDayFile> {
    return this.#files.values()
  }

  /** Returns the highest ingest number in any file; files that cannot be used are left out. */
  lastNumber(): number {
    let last = 0
    for (const day of this.#places.days()) {
      try {
        last = Math.max(last, this.open(day).lastNumber())
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        this.#report(error)
      }
      this.closeIdle(day)
    }
    return last
  }

  /** Returns the ids of the streams with entries. Throws `FileFault` if a file cannot be used. */
  streams(): ReadonlySet<number> {
    const streams = new Set<number>()
    for (const day of this.#places.days()) {
      for (const stream of this.open(day).streams()) streams.add(stream)
      this.closeIdle(day)
    }
    return streams
  }

  /** Closes files in which nothing is due, unless few are open. */
  closeIdle(today: number): void {
    for (const [day, file] of this.#files) {
      if (this.#files.size <= mostIdle) return
      if (day !== today && file.parts.count === 0) this.close(day)
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
