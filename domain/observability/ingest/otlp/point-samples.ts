import type { Refusal } from '../sample-batch.ts'
import type { SampleValue } from '../sample-columns.ts'
import type { HistogramPoint, NumberPoint, SummaryPoint } from './otlp-messages.ts'

/** A sample of a point: the suffix of the name of its series, and the label that tells it from the others. */
export interface PointSample {
  readonly suffix: '' | '_bucket' | '_count' | '_sum'
  readonly label?: readonly [name: 'le' | 'quantile', value: string]
  readonly value: SampleValue
}

/** The samples of a point, or why the point is refused; the message ends a sentence that begins with the metric. */
export type PointSamples = readonly PointSample[] | Refusal

/** The bit of the flags of a point by which a sender says that the series has no value any more. */
const noRecordedValue = 1

/** The largest number of buckets or quantiles of a point. */
const maxParts = 1000

const isEnded = ({ flags = 0 }: { readonly flags: number | undefined }) => (flags & noRecordedValue) !== 0

/** Returns the sample of a point of a gauge or sum. */
export function numberSamples(point: NumberPoint): PointSamples {
  const value = isEnded(point) ? 'stale' : (point.asInt ?? point.asDouble)
  return value === undefined
    ? { reason: 'value_missing', message: 'has a point without a value' }
    : [{ suffix: '', value }]
}

/** Returns the samples of a point of a histogram with explicit bounds: cumulative buckets, the count and the sum. */
export function histogramSamples(point: HistogramPoint): PointSamples {
  const bounds = atMost(point.explicitBounds)
  const counts = atMost(point.bucketCounts)
  if (!bounds || !counts) return { reason: 'histogram_invalid', message: `has more than ${maxParts} buckets` }
  const fault = bucketFault(bounds, counts, isEnded(point))
  if (fault !== undefined) return { reason: 'histogram_invalid', message: fault }
  const valueOf = (value: number): SampleValue => (isEnded(point) ? 'stale' : value)
  let below = 0
  const buckets = bounds.map((bound, index): PointSample => {
    below += counts[index] ?? 0
    return { suffix: '_bucket', label: ['le', decimal(bound)], value: valueOf(below) }
  })
  const count = valueOf(point.count ?? 0)
  const all: PointSample = { suffix: '_bucket', label: ['le', '+Inf'], value: count }
  return [...buckets, all, ...totals(point.sum, count)]
}

/** Returns the fault of the buckets; a point without buckets, or of an ended series, needs no counts. */
function bucketFault(bounds: readonly number[], counts: readonly number[], isEnded: boolean): string | undefined {
  const needsCounts = counts.length + bounds.length > 0 && !isEnded
  if (needsCounts && counts.length !== bounds.length + 1)
    return `has ${counts.length} bucket counts for ${bounds.length} bounds`
  const isAscending = bounds.every((bound, index) => Number.isFinite(bound) && bound > (bounds[index - 1] ?? -Infinity))
  return isAscending ? undefined : 'has bounds that are not ascending numbers'
}

/** Returns the samples of a point of a summary. */
export function summarySamples(point: SummaryPoint): PointSamples {
  const quantiles = atMost(point.quantileValues)
  if (!quantiles) return { reason: 'summary_invalid', message: `has more than ${maxParts} quantiles` }
  const valueOf = (value: number): SampleValue => (isEnded(point) ? 'stale' : value)
  const samples = quantiles.map(({ quantile = 0, value = 0 }): PointSample => ({
    suffix: '',
    label: ['quantile', decimal(quantile)],
    value: valueOf(value),
  }))
  return [...samples, ...totals(point.sum ?? 0, valueOf(point.count ?? 0))]
}

/** Returns the sum and the count of a point; the sum is absent where observations may be negative. */
const totals = (sum: number | undefined, count: SampleValue): readonly PointSample[] => [
  ...(sum === undefined ? [] : [{ suffix: '_sum', value: count === 'stale' ? count : sum } as const]),
  { suffix: '_count', value: count },
]

/** Returns the values of a list; undefined beyond the largest number. */
function atMost<Value>(values: Iterable<Value>): readonly Value[] | undefined {
  const list: Value[] = []
  for (const value of values) {
    if (list.length === maxParts) return undefined
    list.push(value)
  }
  return list
}

/** Returns the decimal form of a number without an exponent, as labels of Prometheus have it. */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const shift = Number(exponent)
  const digits = whole + fraction
  return shift < 0
    ? `${sign}0.${'0'.repeat(-shift - 1)}${digits}`
    : `${sign}${digits.padEnd(whole.length + shift, '0')}`
}
