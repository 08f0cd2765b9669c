/** The labels of a series, among them `__name__`, the name of its metric. */
export type Labels = Readonly<Record<string, string>>

/** A series and some of its samples, in the order of their times. */
export interface Series {
  readonly labels: Labels
  /** The times in milliseconds since 1970. */
  readonly times: Float64Array
  /** The value at each time. The bits of `staleBits` mark the end of the series until its next sample. */
  readonly values: Float64Array
}

/** The description of a metric by its sender. */
export interface MetricMetadata {
  readonly name: string
  readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNKNOWN'
  readonly unit: string
  readonly description: string
}

/** The reasons for which samples are not taken, and the number of samples for each. */
export type Rejections = Readonly<Record<string, number>>

/** The bits of the value that marks the end of a series: a NaN that differs from the NaN of calculations. */
const staleBits = 0x7ff0_0000_0000_0002n

/**
 * The marks of ended series in an array of values. JavaScript may change the bits of a NaN that it reads as a number, so
 * marks are read and written as integers, and arrays with marks are copied by `set`, `slice` and `subarray` only.
 */
export class StaleMarks {
  readonly #values: Float64Array
  readonly #bits: BigUint64Array

  constructor(values: Float64Array) {
    this.#values = values
    this.#bits = new BigUint64Array(values.buffer, values.byteOffset, values.length)
  }

  has(index: number): boolean {
    return Number.isNaN(this.#values[index]) && this.#bits[index] === staleBits
  }

  set(index: number): void {
    this.#bits[index] = staleBits
  }
}
