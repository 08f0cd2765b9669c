import type { Labels } from '../../metrics/samples.ts'
import type { QueryBudget } from '../../promql/evaluation/query-budget.ts'
import type { RangeSeries } from '../../promql/evaluation/vectors.ts'
import type { EntryPart, EntryRun, EntrySource } from '../entry-source.ts'
import type { Grouped, RangeAggregation } from '../language/metric-expression.ts'
import { EntryLabels } from '../pipeline/entry-labels.ts'
import { requiredTexts } from '../pipeline/line-filter.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { requireNoError, seriesLabels, unwrapValue, wantedLabels, type SeriesLabels } from './extraction.ts'
import { orderedEntries } from './ordered-entries.ts'
import { RunFacts } from './run-facts.ts'
import { SampleSeries, type GrowingSeries } from './sample-series.ts'
import type { Scan } from './scan.ts'

/** The times at which a metric query is evaluated: `start + i * step` for `i` below `count`. */
export interface NanoGrid {
  /** In nanoseconds since 1970. */
  readonly start: bigint
  /** In milliseconds. */
  readonly step: number
  readonly count: number
}

/** What the range aggregations of a query share. */
export interface Reading {
  readonly source: EntrySource
  readonly budget: QueryBudget
  readonly scan: Scan
  readonly grid: NanoGrid
  /** The members of entries that the query groups by. */
  readonly fields: readonly string[]
}

const nanosPerMilli = 1_000_000n

/**
 * Returns the samples of the windows of a range aggregation as series in the order of their labels. Times are in
 * milliseconds after the start of the grid and rounded up, so that the bounds of windows hold to the nanosecond.
 */
export function loadSamples(
  aggregation: RangeAggregation,
  grouping: Grouped | undefined,
  { source, budget, scan, grid, fields }: Reading,
): readonly RangeSeries[] {
  const { log, range, offset, operation } = aggregation
  const origin = grid.start - BigInt(Math.round(offset))
  const parts = source.select({
    matchers: log.matchers,
    from: origin - BigInt(range) * nanosPerMilli + 1n,
    before: origin + BigInt((grid.count - 1) * grid.step) * nanosPerMilli + 1n,
    required: requiredTexts(log.stages),
    charge: (entries, bytes) => scan.charge(entries, bytes),
  })
  const sampler = new Sampler(aggregation, grouping, fields, budget)
  const isOrdered = operation === 'first_over_time' || operation === 'last_over_time'
  for (const { labels, run, index } of isOrdered
    ? orderedEntries(parts, 'FORWARD', sampler.admits)
    : eachEntry(parts)) {
    const time = ceilMilliseconds(run.time(index) - origin)
    if (!isInWindow(time, range, grid)) continue
    sampler.add(labels, run, index, time)
  }
  return sampler.series.inOrder()
}

/** Returns the entries of parts, one part after the other. */
function* eachEntry(parts: readonly EntryPart[]): Generator<{ labels: Labels; run: EntryRun; index: number }> {
  for (const part of parts) {
    const { labels } = part
    const run = part.read()
    const entry = { labels, run, index: 0 }
    for (; entry.index < run.length; entry.index += 1) yield entry
  }
}

function ceilMilliseconds(nanoseconds: bigint): number {
  const whole = nanoseconds / nanosPerMilli
  return Number(nanoseconds > whole * nanosPerMilli ? whole + 1n : whole)
}

/** Whether a time lies in a window: after its end less the range, and not after its end. */
function isInWindow(time: number, range: number, { step, count }: NanoGrid): boolean {
  const index = Math.max(0, Math.ceil(time / step))
  return index < count && time > index * step - range
}

/** Makes samples of entries. */
class Sampler {
  readonly series: SampleSeries
  readonly admits: (line: string) => boolean
  readonly #pipeline: Pipeline
  readonly #labels = new EntryLabels()
  readonly #facts = new RunFacts()
  readonly #valueOf: (line: string, labels: EntryLabels) => number | undefined
  readonly #seriesLabels: SeriesLabels
  /** The series of entries without other labels than those of their stream, by the labels of the stream. */
  readonly #ofStreams = new Map<Labels, GrowingSeries>()
  readonly #hasFields: boolean

  constructor(
    aggregation: RangeAggregation,
    grouping: Grouped | undefined,
    fields: readonly string[],
    budget: QueryBudget,
  ) {
    const { log, operation, unwrap } = aggregation
    const pipeline = new Pipeline(log.stages, wantedLabels(aggregation, grouping))
    this.#pipeline = pipeline
    this.admits = line => pipeline.admits(line)
    this.series = new SampleSeries(budget)
    this.#seriesLabels = seriesLabels(aggregation, grouping, fields)
    this.#hasFields = fields.length > 0
    const countsBytes = operation === 'bytes_over_time' || operation === 'bytes_rate'
    const unwrapped = unwrap === undefined ? undefined : unwrapValue(unwrap)
    if (unwrapped !== undefined) this.#valueOf = (_, labels) => unwrapped(labels)
    else this.#valueOf = countsBytes ? line => Buffer.byteLength(line) : () => 1
  }

  add(stream: Labels, run: EntryRun, index: number, time: number): void {
    const line = run.line(index)
    if (!this.#pipeline.admits(line)) return
    const labels = this.#labels
    labels.reset(stream, this.#facts.at(run, index))
    const result = this.#pipeline.run(line, labels)
    if (result === undefined) return
    const value = this.#valueOf(result, labels)
    if (value === undefined) return
    requireNoError(labels)
    this.series.add(this.#seriesOf(stream, labels), time, value)
  }

  #seriesOf(stream: Labels, labels: EntryLabels): GrowingSeries {
    if (this.#hasFields || !labels.isUntouched) return this.series.of(this.#seriesLabels(labels))
    const known = this.#ofStreams.get(stream)
    if (known !== undefined) return known
    const series = this.series.of(this.#seriesLabels(labels))
    this.#ofStreams.set(stream, series)
    return series
  }
}
