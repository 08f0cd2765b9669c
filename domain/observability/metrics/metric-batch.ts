import { labelKey } from './label-key.ts'
import type { MetricMetadata, Rejections, Series } from './samples.ts'

/** The samples of one request of a sender, in columns: those of the first series, then those of the next. */
export interface MetricBatch {
  /** The keys of the series (`labelKey`). */
  readonly keys: readonly string[]
  /** For each series, the position after its last sample; its samples begin where those of the series before end. */
  readonly ends: Uint32Array
  /** The times of all samples in milliseconds since 1970; those of each series in the order of times. */
  readonly times: Float64Array
  /** The values of all samples, stale marks among them. */
  readonly values: Float64Array
  readonly metadata: readonly MetricMetadata[]
  /** The samples that the reader of the request has refused already. */
  readonly rejections: Rejections
  /** A sentence about the first refused sample, with the name of its metric; empty if none is refused. */
  readonly message: string
}

/** The series of a request with their samples, and the descriptions of their metrics. */
export interface DescribedSeries {
  readonly series: readonly Series[]
  readonly metadata: readonly MetricMetadata[]
}

/** Returns the batch of the samples of series. */
export function batchOf({ metadata, series }: DescribedSeries): MetricBatch {
  const length = series.reduce((sum, { times }) => sum + times.length, 0)
  const [times, values] = [new Float64Array(length), new Float64Array(length)]
  const ends = new Uint32Array(series.length)
  let at = 0
  for (const [i, each] of series.entries()) {
    times.set(each.times, at)
    values.set(each.values, at)
    at += each.times.length
    ends[i] = at
  }
  return {
    keys: series.map(({ labels }) => labelKey(labels)),
    ends,
    times,
    values,
    metadata,
    rejections: {},
    message: '',
  }
}
