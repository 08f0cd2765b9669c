import { limitExceeded, type QueryBudget } from '../../promql/evaluation/query-budget.ts'
import type { LabelSet } from '../../promql/evaluation/label-set.ts'
import type { RangeSeries } from '../../promql/evaluation/vectors.ts'

/** The most series of one range aggregation, before other parts of the query make fewer of them. */
const maxHeldSeries = 100_000

/** A series to which samples are added. */
export interface GrowingSeries {
  readonly labels: LabelSet
  readonly times: number[]
  readonly values: number[]
  isSorted: boolean
}

/** Collects samples into series by their labels. */
export class SampleSeries {
  readonly #series = new Map<string, GrowingSeries>()
  readonly #budget: QueryBudget

  constructor(budget: QueryBudget) {
    this.#budget = budget
  }

  /** Returns the series with some labels, which is made if it is not there. Throws QUERY_LIMIT_EXCEEDED. */
  of(labels: LabelSet): GrowingSeries {
    const known = this.#series.get(labels.key)
    if (known !== undefined) return known
    if (this.#series.size >= maxHeldSeries) {
      throw limitExceeded('series', `a part of a query may have ${maxHeldSeries} series; group by fewer labels`)
    }
    const series = { labels, times: [], values: [], isSorted: true }
    this.#series.set(labels.key, series)
    return series
  }

  /** Adds a sample. Throws QUERY_LIMIT_EXCEEDED or QUERY_TIMEOUT. */
  add(series: GrowingSeries, time: number, value: number): void {
    this.#budget.load(1)
    const { times, values } = series
    if (times.length > 0 && time < (times[times.length - 1] ?? 0)) series.isSorted = false
    times.push(time)
    values.push(value)
  }

  /** Returns the series in the order of their labels, each with its samples in the order of times. */
  inOrder(): readonly RangeSeries[] {
    const series = [...this.#series.values()].map(each => (each.isSorted ? arraysOf(each) : sorted(each)))
    return series.sort((one, other) => one.labels.compare(other.labels))
  }
}

const arraysOf = ({ labels, times, values }: GrowingSeries): RangeSeries => ({
  labels,
  times: Float64Array.from(times),
  values: Float64Array.from(values),
})

/** Samples with equal times keep their order. */
function sorted({ labels, times, values }: GrowingSeries): RangeSeries {
  const order = Uint32Array.from(times.keys()).sort(
    (one, other) => (times[one] ?? 0) - (times[other] ?? 0) || one - other,
  )
  return {
    labels,
    times: Float64Array.from(order, index => times[index] ?? 0),
    values: Float64Array.from(order, index => values[index] ?? 0),
  }
}
