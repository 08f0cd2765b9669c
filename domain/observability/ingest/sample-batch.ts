import { StaleMarks, type Labels, type MetricBatch, type MetricMetadata, type Series } from '../metrics/samples.ts'
import { largePayload } from './payload-faults.ts'

/** The largest numbers of samples, refused ones too, and of series of one request, so that a request cannot fill the memory. */
const maxSamples = 2_000_000
const maxSeries = 500_000

/** The largest number of characters of the labels of all samples of a request, however often a label is repeated. */
const maxCharacters = 268_435_456

/** The largest number of descriptions of metrics that are kept from a request. */
const maxDescriptions = 100_000

/** The value of a sample; `stale` ends the series until its next sample. */
export type SampleValue = number | 'stale'

/** The labels of a series, sorted by name, with `__name__`. */
export type SortedLabels = readonly (readonly [name: string, value: string])[]

/** A reason for which samples are refused, with a sentence that names the metric. */
export interface Refusal {
  readonly reason: string
  readonly message: string
}

interface GrowingSeries {
  readonly labels: Labels
  readonly times: number[]
  readonly values: number[]
  readonly stale: number[]
}

/** Collects the samples of a request, series by series. */
export class SampleBatch {
  readonly #series = new Map<string, GrowingSeries>()
  readonly #metadata = new Map<string, MetricMetadata>()
  readonly #rejections = new Map<string, number>()
  #message = ''
  #samples = 0
  #characters = 0

  /** Adds a sample. Throws PAYLOAD_TOO_LARGE beyond the largest number of samples, series, or characters of labels. */
  add(labels: SortedLabels, time: number, value: SampleValue): void {
    this.#count()
    const { stale, times, values } = this.#seriesOf(labels)
    if (value === 'stale') stale.push(values.length)
    times.push(time)
    // A NaN of a sender must not have the bits of the mark of ended series.
    values.push(value === 'stale' || Number.isNaN(value) ? Number.NaN : value)
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
      series: [...this.#series.values()].map(inOrder),
      metadata: [...this.#metadata.values()],
      rejections: Object.fromEntries(this.#rejections),
      message: this.#message,
    }
  }

  #count(): void {
    if (++this.#samples > maxSamples) throw largePayload(`has more than ${maxSamples} samples; send smaller batches`)
  }

  #seriesOf(labels: SortedLabels): GrowingSeries {
    const key = JSON.stringify(labels)
    this.#characters += key.length
    if (this.#characters > maxCharacters) throw largePayload('has too many labels; send smaller batches')
    const known = this.#series.get(key)
    if (known) return known
    if (this.#series.size === maxSeries) throw largePayload(`has more than ${maxSeries} series; send smaller batches`)
    const series = { labels: Object.fromEntries(labels), times: [], values: [], stale: [] }
    this.#series.set(key, series)
    return series
  }
}

/** Returns a series with its samples in the order of their times; samples of one time keep the order of the request. */
function inOrder({ labels, stale, times, values }: GrowingSeries): Series {
  const marks = new Set(stale)
  const isSorted = times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0))
  const order = times.map((_, index) => index)
  if (!isSorted) order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  const sorted = { labels, times: new Float64Array(times.length), values: new Float64Array(times.length) }
  const stales = new StaleMarks(sorted.values)
  for (const [place, index] of order.entries()) {
    sorted.times[place] = times[index] ?? 0
    if (marks.has(index)) stales.set(place)
    else sorted.values[place] = values[index] ?? 0
  }
  return sorted
}
