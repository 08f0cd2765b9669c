import { numberOf } from '../language/literals.ts'
import { LabelSet } from './label-set.ts'
import type { QueryBudget } from './query-budget.ts'
import { mergeRows, type Row } from './vectors.ts'

/** A bucket of a classic histogram: the number of observations up to a bound. */
export interface Bucket {
  readonly bound: number
  count: number
}

/** Relative differences of counts below this are errors of floating-point calculation. */
const tolerance = 1e-12
const smallestNormal = 2 ** -1022

const boundLabel: ReadonlySet<string> = new Set(['le'])

/**
 * Returns the quantiles of classic histograms whose buckets are elements with the label `le`; `q` has the quantile for
 * each time. Elements without a number in `le` do not count.
 */
export function histogramQuantile(q: Float64Array, rows: readonly Row[], budget: QueryBudget): readonly Row[] {
  const buckets = rows.flatMap(row => {
    const bound = boundOf(row.labels.get('le'))
    return bound === undefined ? [] : [{ ...row, bound, histogram: row.labels.without(boundLabel) }]
  })
  const result: Row[] = []
  for (const group of Map.groupBy(buckets, ({ histogram }) => histogram.key).values()) {
    const labels = group[0]?.histogram.withoutMetadata() ?? LabelSet.empty
    budget.hold(q.length)
    const row = { labels, values: new Float64Array(q.length), has: new Uint8Array(q.length) }
    for (let i = 0; i < q.length; i += 1) {
      budget.spend(group.length)
      const present = group.filter(({ has }) => has[i] === 1)
      if (present.length === 0) continue
      row.has[i] = 1
      row.values[i] = bucketQuantile(
        q[i] ?? NaN,
        present.map(({ bound, values }) => ({ bound, count: values[i] ?? 0 })),
      )
    }
    result.push(row)
  }
  return mergeRows(result)
}

/** Returns the bound in the text of a label `le`; undefined for a text that is no number. */
export function boundOf(text: string): number | undefined {
  if (/^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)$/i.test(text)) return Number(text)
  const word = text.toLowerCase().replace('infinity', 'inf')
  return /^[-+]?inf$/.test(word) || word === 'nan' ? numberOf(word) : undefined
}

/** Returns a quantile of a histogram, interpolated within its bucket; NaN if no bucket has the bound +Inf. */
export function bucketQuantile(q: number, unsorted: readonly Readonly<Bucket>[]): number {
  if (Number.isNaN(q)) return NaN
  if (q < 0) return -Infinity
  if (q > 1) return Infinity
  const buckets = monotonic(coalesced(unsorted))
  const last = buckets.at(-1)
  if (last === undefined || last.bound !== Infinity || buckets.length < 2 || last.count === 0) return NaN
  const rank = q * last.count
  const found = buckets.slice(0, -1).findIndex(({ count }) => count >= rank)
  const bucket = buckets[found]
  if (bucket === undefined) return buckets.at(-2)?.bound ?? NaN
  const lower = buckets[found - 1]
  if (lower === undefined && bucket.bound <= 0) return bucket.bound
  const [start, before] = lower === undefined ? [0, 0] : [lower.bound, lower.count]
  return start + (bucket.bound - start) * ((rank - before) / (bucket.count - before))
}

/** Sorts buckets by their bounds, and adds up the counts of equal bounds. */
function coalesced(unsorted: readonly Readonly<Bucket>[]): Bucket[] {
  const buckets: Bucket[] = []
  for (const { bound, count } of unsorted.toSorted((one, other) => one.bound - other.bound || 0)) {
    const last = buckets.at(-1)
    if (last?.bound === bound) last.count += count
    else buckets.push({ bound, count })
  }
  return buckets
}

/** Raises counts that are below the count of a smaller bound, and evens out tiny differences. */
function monotonic(buckets: Bucket[]): Bucket[] {
  let previous = buckets[0]?.count ?? 0
  for (const bucket of buckets) {
    if (bucket.count < previous || isAlmost(previous, bucket.count)) bucket.count = previous
    else previous = bucket.count
  }
  return buckets
}

function isAlmost(one: number, other: number): boolean {
  if (one === other || (Number.isNaN(one) && Number.isNaN(other))) return true
  const [sum, difference] = [Math.abs(one) + Math.abs(other), Math.abs(one - other)]
  if (one === 0 || other === 0 || sum < smallestNormal) return difference < tolerance * smallestNormal
  return difference / Math.min(sum, Number.MAX_VALUE) < tolerance
}
