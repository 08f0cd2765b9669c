import type { SampleSource, Selection } from '../../../../../domain/observability/promql/sample-source.ts'
import { StaleMarks, type Labels, type Series } from '../../../../../domain/observability/metrics/samples.ts'

/** A sample of a test: the time in milliseconds, and a value or the mark of the end of the series. */
export type TestSample = readonly [time: number, value: number | 'stale']

/** Makes a series of samples in the order of their times. */
export function seriesOf(labels: Labels, samples: readonly TestSample[]): Series {
  const values = Float64Array.from(samples, ([, value]) => (value === 'stale' ? 0 : value))
  const marks = new StaleMarks(values)
  for (const [index, [, value]] of samples.entries()) if (value === 'stale') marks.set(index)
  return { labels, times: Float64Array.from(samples, ([time]) => time), values }
}

/** The samples of a workspace in memory. */
export class MemorySource implements SampleSource {
  readonly #series: readonly Series[]

  constructor(series: readonly Series[]) {
    this.#series = series
  }

  select({ matchers, after, to, charge }: Selection): readonly Series[] {
    return this.#series.flatMap(({ labels, times, values }) => {
      if (!matchers.every(({ name, test }) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''))) return []
      const first = times.findIndex(time => time > after)
      const end = times.findLastIndex(time => time <= to) + 1
      if (first === -1 || first >= end) return []
      charge(end - first)
      return [{ labels, times: times.subarray(first, end), values: values.subarray(first, end) }]
    })
  }
}
