/** How often something took how long: a histogram whose every observation costs some nanoseconds. */
export class Buckets {
  /** Upper bounds in seconds, ascending; above the last one there is one more bucket. */
  readonly bounds: readonly number[]
  /** How many observations fell into each bucket alone. */
  readonly counts: Float64Array
  /** Of all observations, in seconds. */
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

/** Adds one to a number of a table. */
export function increment(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}
