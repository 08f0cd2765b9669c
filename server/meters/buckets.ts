/** A histogram of durations; an observation costs some nanoseconds. */
export class Buckets {
  /** The upper bounds in seconds, ascending; the last bucket is unbounded. */
  readonly bounds: readonly number[]
  /** The number of observations in each bucket, not cumulated. */
  readonly counts: Float64Array
  /** The sum of all observations, in seconds. */
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(milliseconds: number): void {
    const seconds = milliseconds / 1000
    let index = 0
    while (seconds > (this.bounds[index] ?? Infinity)) index += 1
    increment(this.counts, index)
    this.sum += seconds
  }
}

/** Adds 1 to a number in a table. */
export function increment(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}
