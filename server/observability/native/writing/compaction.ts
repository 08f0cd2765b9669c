import type { DayFile, StoredPart } from '../files/day-file.ts'
import { samplesAt } from '../format/part.ts'
import { mergeSamples, type Samples } from '../format/samples.ts'

/** The number of series of one step: a step takes some milliseconds. */
const seriesOfStep = 400

/** The largest number of parts of one compaction. */
const mostParts = 4096

/**
 * Moves the samples of the present parts of a file to chunks, some series at a step. A compaction that does not end has
 * no effect on reads: samples may lie in parts and in chunks.
 */
export class Compaction {
  readonly file: DayFile
  readonly #parts: readonly StoredPart[]
  /** For each series of each part, the id of the series times `mostParts`, plus the position of the part; ascending. */
  readonly #order: Float64Array
  /** The position of the next series in each part. */
  readonly #next: Uint32Array
  #at = 0

  constructor(file: DayFile) {
    this.file = file
    this.#parts = file.parts.slice(0, mostParts)
    this.#next = new Uint32Array(this.#parts.length)
    this.#order = new Float64Array(this.#parts.reduce((sum, { part }) => sum + part.ids.length, 0))
    let at = 0
    for (const [i, { part }] of this.#parts.entries()) {
      for (const id of part.ids) {
        this.#order[at] = id * mostParts + i
        at += 1
      }
    }
    this.#order.sort()
  }

  /** Moves some series; returns whether all are moved. */
  step(): boolean {
    const lists: (readonly [series: number, samples: Samples])[] = []
    while (lists.length < seriesOfStep && this.#at < this.#order.length) lists.push(this.#nextSeries())
    if (lists.length > 0) this.file.moveToChunks(lists)
    return this.#at === this.#order.length
  }

  /** Deletes the parts, after the times of their series are in the index. */
  end(): void {
    this.file.deleteParts(this.#parts[this.#parts.length - 1]?.id ?? 0)
  }

  #nextSeries(): readonly [series: number, samples: Samples] {
    const series = Math.floor((this.#order[this.#at] ?? 0) / mostParts)
    const samples: Samples[] = []
    for (;;) {
      const key = this.#order[this.#at] ?? -1
      if (Math.floor(key / mostParts) !== series) return [series, mergeSamples(samples)]
      const at = key - series * mostParts
      const stored = this.#parts[at]
      if (stored) samples.push(samplesAt(stored.part, this.#next[at] ?? 0))
      this.#next[at] = (this.#next[at] ?? 0) + 1
      this.#at += 1
    }
  }
}

/** Moves the samples of the present parts of a file to chunks; `storingTimes` stores the times of changed series. */
export function* compactPresent(file: DayFile, storingTimes: () => Iterable<void>): Generator<void> {
  const compaction = new Compaction(file)
  while (!compaction.step()) yield
  yield* storingTimes()
  compaction.end()
}

/** Moves all samples of a file to chunks; `storingTimes` stores the times of changed series. */
export function* compactWhole(file: DayFile, storingTimes: () => Iterable<void>): Generator<void> {
  while (file.parts.length > 0) yield* compactPresent(file, storingTimes)
}
