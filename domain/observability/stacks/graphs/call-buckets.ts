import type { LatencyQuantiles } from '../../../../output/observability/types.ts'
import { bucketQuantile, type Bucket } from '../../promql/evaluation/histogram-quantile.ts'
import type { CallDurations } from '../../traces/graph-answer.ts'

/** The durations of calls in a classic histogram: the numbers of calls that took at most a bound, in seconds. */
export class CallBuckets implements CallDurations {
  readonly #counts = new Map<number, number>()

  /**
   * Returns the histogram of the calls of several histograms, which may have different bounds: between two bounds of its
   * own, a histogram has the calls of the smaller one. Histograms without quantiles do not count.
   */
  static merged(histograms: readonly CallBuckets[]): CallBuckets {
    const increments = new CallBuckets()
    for (const histogram of histograms.filter(({ count }) => count > 0)) {
      let before = 0
      for (const { bound, count } of histogram.#sorted()) {
        increments.add(bound, Math.max(count - before, 0))
        before = Math.max(count, before)
      }
    }
    const merged = new CallBuckets()
    let sum = 0
    for (const { bound, count } of increments.#sorted()) {
      sum += count
      merged.add(bound, sum)
    }
    return merged
  }

  /** The number of calls; 0 for a histogram that has no quantiles. */
  get count(): number {
    return this.#counts.size > 1 ? (this.#counts.get(Infinity) ?? 0) : 0
  }

  /** Adds a number of calls that took at most `bound` seconds; bounds that are no durations do not count. */
  add(bound: number, count: number): void {
    if (bound >= 0) this.#counts.set(bound, (this.#counts.get(bound) ?? 0) + count)
  }

  /** Returns the quantiles as `histogram_quantile` of PromQL interpolates them, in milliseconds with three digits. */
  quantiles(): LatencyQuantiles {
    const buckets = this.#sorted()
    const at = (part: number): number => (this.count > 0 ? millis(bucketQuantile(part, buckets)) : 0)
    return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) }
  }

  /** Returns the buckets in the order of their bounds. */
  #sorted(): readonly Readonly<Bucket>[] {
    return [...this.#counts]
      .map(([bound, count]) => ({ bound, count }))
      .toSorted((one, other) => one.bound - other.bound)
  }
}

/** JSON has no infinity, which the product of a very large bound would be. */
const millis = (seconds: number): number => Math.min(Math.round(seconds * 1e6) / 1e3, Number.MAX_SAFE_INTEGER)
