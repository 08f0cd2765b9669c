import type { MetricBatch } from '../metrics/metric-batch.ts'
import type { MetricMetadata } from '../metrics/samples.ts'
import { largePayload } from './payload-faults.ts'
import { SampleColumns, type SampleValue } from './sample-columns.ts'

/** The largest numbers of samples, refused ones too, and of series of one request, so that a request cannot fill the memory. */
const maxSamples = 2_000_000
const maxSeries = 500_000

/** The largest number of characters of the labels of all samples of a request, however often a label is repeated. */
const maxCharacters = 268_435_456

/** The largest number of descriptions of metrics that are kept from a request. */
const maxDescriptions = 100_000

/** The labels of a series, sorted by name, with `__name__`. */
export type SortedLabels = readonly (readonly [name: string, value: string])[]

/** A reason for which samples are refused, with a sentence that names the metric. */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Collects the samples of a request, series by series. */
export class SampleBatch {
  /** The position of each series, by its key. */
  readonly #series = new Map<string, number>()
  readonly #columns = new SampleColumns()
  readonly #metadata = new Map<string, MetricMetadata>()
  readonly #rejections = new Map<string, number>()
  #message = ''
  #samples = 0
  #characters = 0

  /**
   * Adds a sample of the series with a key (`labelKey`). Throws PAYLOAD_TOO_LARGE beyond the largest number of samples,
   * series, or characters of labels.
   */
  add(key: string, time: number, value: SampleValue): void {
    this.#count()
    this.#columns.add(this.#positionOf(key), time, value)
  }

  /** Counts a sample or point that is refused; the first message is kept. Throws as `add` does. */
  refuse({ message, reason }: Refusal): void {
    this.#count()
    this.#message ||= message
    this.#rejections.set(reason, (this.#rejections.get(reason) ?? 0) + 1)
  }

  /** Keeps the description of a metric by its sender; the last description of a name counts. */
  describe(metadata: MetricMetadata): void {
    if (this.#metadata.size < maxDescriptions || this.#metadata.has(metadata.name))
      this.#metadata.set(metadata.name, metadata)
  }

  /** Returns the collected batch, with the samples of each series in the order of their times. */
  finish(): MetricBatch {
    return {
      keys: [...this.#series.keys()],
      ...this.#columns.ordered(this.#series.size),
      metadata: [...this.#metadata.values()],
      rejections: Object.fromEntries(this.#rejections),
      message: this.#message,
    }
  }

  #count(): void {
    if (++this.#samples > maxSamples) throw largePayload(`has more than ${maxSamples} samples; send smaller batches`)
  }

  #positionOf(key: string): number {
    this.#characters += key.length
    if (this.#characters > maxCharacters) throw largePayload('has too many labels; send smaller batches')
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const position = this.#series.size
    if (position === maxSeries) throw largePayload(`has more than ${maxSeries} series; send smaller batches`)
    this.#series.set(key, position)
    return position
  }
}
