import type { GivenSamples } from '../format/samples.ts'

/** A series with samples in the last hours, as the writer knows it. */
export class WrittenSeries {
  /** The id in the index; 0 before the first sample is taken. */
  id: number
  first: number
  /** The time of the newest sample; -Infinity before the first. */
  last: number
  /** The value of the newest sample as two integers, unless only the files have the value. */
  lastLow = 0
  lastHigh = 0
  hasBits = false
  /** Whether the index lacks the times of the series. */
  isChanged = false

  constructor(id: number, first: number, last: number) {
    this.id = id
    this.first = first
    this.last = last
  }
}

const minuteMs = 60_000

/** The minutes of the hour in which a series with a sample counts as active, and the minutes in the future that samples may have. */
const activeMinutes = 60
const futureMinutes = 11

/** The series of a workspace that were written lately, keyed by their labels, and the number of active series. */
export class SeriesTable {
  readonly #series = new Map<string, WrittenSeries>()
  /** The number of series whose newest sample lies in a minute, keyed by the minute. */
  readonly #byMinute = new Map<number, number>()

  get size(): number {
    return this.#series.size
  }

  get(key: string): WrittenSeries | undefined {
    return this.#series.get(key)
  }

  /** Adds a series whose newest sample the index knows. */
  addIndexed(key: string, series: WrittenSeries): void {
    this.#series.set(key, series)
    this.#count(series.last, 1)
  }

  /** Adds a new series, which `advance` counts. */
  addNew(key: string, series: WrittenSeries): void {
    this.#series.set(key, series)
  }

  values(): Iterable<WrittenSeries> {
    return this.#series.values()
  }

  /** Records that a series has newer samples, from the position `first` to the position `newest` of some samples. */
  advance(series: WrittenSeries, { bits, times }: GivenSamples, first: number, newest: number): void {
    const time = times[newest] ?? 0
    if (series.last === -Infinity) this.#count(time, 1)
    else if (Math.floor(series.last / minuteMs) !== Math.floor(time / minuteMs)) {
      this.#count(series.last, -1)
      this.#count(time, 1)
    }
    series.first = Math.min(series.first, times[first] ?? time)
    series.last = time
    series.lastLow = bits[2 * newest] ?? 0
    series.lastHigh = bits[2 * newest + 1] ?? 0
    series.hasBits = true
    series.isChanged = true
  }

  /** Whether a series has a sample in the last hour. */
  isActive({ last }: WrittenSeries, now: number): boolean {
    return Math.floor(last / minuteMs) > Math.floor(now / minuteMs) - activeMinutes
  }

  /** Returns the number of series with a sample in the last hour, by whole minutes. */
  activeCount(now: number): number {
    const current = Math.floor(now / minuteMs)
    let count = 0
    for (let minute = current - activeMinutes + 1; minute <= current + futureMinutes; minute += 1)
      count += this.#byMinute.get(minute) ?? 0
    return count
  }

  /** Forgets the series that are not active and that the index knows. */
  forgetInactive(now: number): void {
    for (const [key, series] of this.#series) {
      if (series.isChanged || this.isActive(series, now)) continue
      this.#series.delete(key)
      this.#count(series.last, -1)
    }
  }

  /** Forgets series by their ids. */
  forget(ids: ReadonlySet<number>): void {
    for (const [key, series] of this.#series) {
      if (!ids.has(series.id)) continue
      this.#series.delete(key)
      this.#count(series.last, -1)
    }
  }

  #count(time: number, change: number): void {
    const minute = Math.floor(time / minuteMs)
    const count = (this.#byMinute.get(minute) ?? 0) + change
    if (count === 0) this.#byMinute.delete(minute)
    else this.#byMinute.set(minute, count)
  }
}
