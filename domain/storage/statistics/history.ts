import { metricRangeTooLarge } from '../../../output/storage/errors.ts'
import type {
  MetricHistoryResponse,
  MetricPoint,
  ParsedGetBucketMetricHistoryRequest,
  StatAggregationInput,
} from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader } from '../../ports/store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { isDelta, requireStat } from './aggregate.ts'
import { descriptors, type StatName } from './descriptors.ts'
import { requireScope, type StatScope } from './find-scope.ts'
import { gaugeCollection, pointCollection } from './points-store.ts'
import { pointBefore, pointsBetween } from './read-points.ts'

/** The largest number of points of a series. */
const maxPoints = 1000

/** The intervals of a series. */
interface Range {
  /** The start of the first interval, in milliseconds since 1970. */
  readonly fromMs: number
  readonly untilMs: number
  readonly intervalMs: number
  readonly count: number
}

/** Returns the values of a statistic in the intervals of a range, for a bucket or for the sum of all buckets. */
export async function metricHistory(
  { store, taxonomy }: StorageEnvironment,
  request: ParsedGetBucketMetricHistoryRequest,
  { now }: CallContext,
): Promise<MetricHistoryResponse> {
  const range = rangeOf(request, now)
  const stat = requireStat(request.stat, 'stat')
  requireBounded(range)
  await requireScope(store, taxonomy, request)
  const series = new Series(stat, range, aggregationOf(stat, request.aggregation))
  if (!isDelta(stat)) await addGaugesBefore(store, series, stat, request, range.fromMs)
  const { bucket_id, engine, workspace } = request
  const where = { workspace_id: workspace, engine, stat, ...(bucket_id !== undefined && { bucket_id }) }
  for await (const { bucket_id: bucket, time, value } of pointsBetween(store, pointCollection, where, [
    range.fromMs,
    range.untilMs,
  ]))
    series.add(bucket, Date.parse(time), value)
  return {
    series: [{ stat, group: { bucket_id: bucket_id ?? '', storage_class: '' }, points: series.end() }],
  }
}

/** Returns the range of a query. Throws FIELD_INVALID unless the start precedes the end. */
function rangeOf({ end_time, interval, start_time }: ParsedGetBucketMetricHistoryRequest, now: number): Range {
  const [start, end] = [Date.parse(start_time), end_time === undefined ? now : Date.parse(end_time)]
  if (!(start < end)) {
    throw end_time === undefined
      ? fieldInvalid([{ field: 'start_time', description: 'must be before now, the end without end_time' }])
      : fieldInvalid([{ field: 'end_time', description: 'must be after start_time' }])
  }
  const intervalMs = durationMs(interval)
  const fromMs = Math.floor(start / intervalMs) * intervalMs
  return { fromMs, untilMs: end, intervalMs, count: Math.ceil((end - fromMs) / intervalMs) }
}

function requireBounded({ count }: Range): void {
  if (count <= maxPoints) return
  const message = `the range has ${count} intervals, and a series at most ${maxPoints}; choose a longer interval`
  throw faultAt(metricRangeTooLarge, 'start_time', message)
}

function aggregationOf(stat: StatName, given: StatAggregationInput | undefined): string {
  return given ?? descriptors.find(({ name }) => name === stat)?.default_aggregation ?? ''
}

/** Adds the gauges that the buckets had before the range. */
async function addGaugesBefore(
  reader: Reader,
  series: Series,
  stat: StatName,
  { bucket_id, engine, workspace }: StatScope,
  fromMs: number,
): Promise<void> {
  const where = { workspace_id: workspace, engine, ...(bucket_id !== undefined && { bucket_id }) }
  for await (const { id } of reader.each(gaugeCollection, where)) {
    const point = await pointBefore(reader, { bucket_id: id, stat }, fromMs)
    if (point) series.begin(id, point.value)
  }
}

/**
 * The points of a series, from points of buckets in the order of time. A gauge keeps its value until its next point, and
 * the value of the series is the sum over the buckets. An interval is made of the values after each minute with a point.
 */
class Series {
  readonly #range: Range
  readonly #aggregation: string
  readonly #isDelta: boolean
  readonly #gauges = new Map<string, number>()
  readonly #points: MetricPoint[] = []
  #total = 0
  /** The values of the minutes of the present interval. */
  #values: number[] = []
  #minute: number | undefined

  constructor(stat: StatName, range: Range, aggregation: string) {
    this.#range = range
    this.#aggregation = aggregation
    this.#isDelta = isDelta(stat)
  }

  /** Sets the gauge of a bucket before the range. */
  begin(bucket: string, value: number): void {
    this.#total += value - (this.#gauges.get(bucket) ?? 0)
    this.#gauges.set(bucket, value)
  }

  add(bucket: string, timeMs: number, value: number): void {
    if (timeMs !== this.#minute) this.#endMinute()
    this.#fill(Math.floor((timeMs - this.#range.fromMs) / this.#range.intervalMs))
    this.#minute = timeMs
    if (this.#isDelta) this.#total += value
    else this.begin(bucket, value)
  }

  /** Returns one point for each interval. */
  end(): MetricPoint[] {
    this.#endMinute()
    this.#fill(this.#range.count)
    return this.#points
  }

  #endMinute(): void {
    if (this.#minute === undefined) return
    this.#values.push(this.#total)
    this.#minute = undefined
    if (this.#isDelta) this.#total = 0
  }

  /** Ends the intervals before the interval `index`. */
  #fill(index: number): void {
    const { fromMs, intervalMs } = this.#range
    while (this.#points.length < index) {
      const empty = this.#isDelta ? 0 : this.#total
      const value = this.#values.length === 0 ? empty : aggregated(this.#aggregation, this.#values)
      this.#points.push({ time: formatMillis(fromMs + this.#points.length * intervalMs), value })
      this.#values = []
    }
  }
}

function aggregated(aggregation: string, values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0)
  switch (aggregation) {
    case 'STORAGE_STAT_AGGREGATION_SUM':
      return sum
    case 'STORAGE_STAT_AGGREGATION_AVG':
      return sum / values.length
    case 'STORAGE_STAT_AGGREGATION_MIN':
      return Math.min(...values)
    case 'STORAGE_STAT_AGGREGATION_MAX':
      return Math.max(...values)
    default:
      return values.at(-1) ?? 0
  }
}
