import type { RangeSeries } from './vectors.ts'

/** A window that slides over the samples of one series: the samples later than `after` and not later than `to`. */
export class Window {
  readonly times: Float64Array
  readonly values: Float64Array
  /** The index of the first sample in the window. */
  first = 0
  /** The index after that of the last sample in the window. */
  end = 0
  /** The bounds of the window, in milliseconds since 1970. */
  after = 0
  to = 0
  /** The time at which the function is evaluated, in milliseconds since 1970; modifiers do not change it. */
  time = 0
  /** The scalar argument of the function at that time; NaN if it has none. */
  parameter = NaN
  #resets: Int32Array | undefined
  #changes: Int32Array | undefined

  constructor({ times, values }: RangeSeries) {
    this.times = times
    this.values = values
  }

  /** Moves the window; its bounds must not become smaller. */
  slide(after: number, to: number): void {
    const { times } = this
    this.after = after
    this.to = to
    while (this.end < times.length && (times[this.end] ?? 0) <= to) this.end += 1
    while (this.first < this.end && (times[this.first] ?? 0) <= after) this.first += 1
  }

  get count(): number {
    return this.end - this.first
  }

  /** The number of samples in the window that are smaller than the sample before them in the window. */
  get resets(): number {
    const counts = (this.#resets ??= runningCount(this.values, (value, previous) => value < previous))
    return this.#counted(counts)
  }

  /** The number of samples in the window that differ from the sample before them in the window; NaN equals NaN. */
  get changes(): number {
    const counts = (this.#changes ??= runningCount(this.values, isChange))
    return this.#counted(counts)
  }

  #counted(counts: Int32Array): number {
    return this.count === 0 ? 0 : (counts[this.end - 1] ?? 0) - (counts[this.first] ?? 0)
  }
}

const isChange = (value: number, previous: number): boolean =>
  value !== previous && !(Number.isNaN(value) && Number.isNaN(previous))

/** Returns, for each value, how many values up to it satisfy a condition on them and on the value before them. */
function runningCount(values: Float64Array, test: (value: number, previous: number) => boolean): Int32Array {
  const counts = new Int32Array(values.length)
  for (let i = 1; i < values.length; i += 1) {
    counts[i] = (counts[i - 1] ?? 0) + (test(values[i] ?? 0, values[i - 1] ?? 0) ? 1 : 0)
  }
  return counts
}
