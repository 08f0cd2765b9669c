import { StaleMarks, type Series } from '../../metrics/samples.ts'
import type { VectorSelector, FixedTime } from '../language/expression.ts'
import type { SampleSource } from '../sample-source.ts'
import { LabelSet } from './label-set.ts'
import type { QueryBudget } from './query-budget.ts'
import type { Grid, RangeSeries, Row } from './vectors.ts'

/** The time for which a sample counts if no later one follows, in milliseconds. */
const lookback = 300_000

/** What all selectors of a query share. */
export interface Reading {
  readonly source: SampleSource
  readonly budget: QueryBudget
  /** The first and the last time of the whole query, for `@ start()` and `@ end()`. */
  readonly start: number
  readonly end: number
}

interface LoadedSeries {
  readonly labels: LabelSet
  readonly series: Series
}

/** The times of the samples that a selector or a subquery reads at each time of a grid. */
export class ReadTimes {
  readonly #grid: Grid
  readonly #fixed: number | undefined
  readonly #offset: number

  constructor(grid: Grid, { at, offset }: { at?: FixedTime; offset?: number }, { start, end }: Reading) {
    this.#grid = grid
    this.#fixed = at === 'start' ? start : at === 'end' ? end : at
    this.#offset = offset ?? 0
  }

  /** Whether the modifier `@` makes all times equal. */
  get isFixed(): boolean {
    return this.#fixed !== undefined
  }

  at(index: number): number {
    return (this.#fixed ?? this.#grid.start + index * this.#grid.step) - this.#offset
  }

  get first(): number {
    return this.at(0)
  }

  get last(): number {
    return this.at(this.#grid.count - 1)
  }
}

/** Loads series for the selectors of one query, equal selections once. Counts the series and samples that are read. */
export class SeriesLoader {
  readonly reading: Reading
  readonly #loaded = new Map<string, readonly LoadedSeries[]>()
  #seriesRead = 0
  #hasData = false

  constructor(reading: Reading) {
    this.reading = reading
  }

  /** The number of series that selectors have read. */
  get seriesRead(): number {
    return this.#seriesRead
  }

  /** Whether a selector has found a sample that counts. */
  get hasData(): boolean {
    return this.#hasData
  }

  /** Returns the rows of an instant vector selector: the values, or the times of the samples in seconds. */
  rows(selector: VectorSelector, grid: Grid, what: 'values' | 'times'): readonly Row[] {
    const times = new ReadTimes(grid, selector, this.reading)
    const rows: Row[] = []
    for (const { labels, series } of this.#load(selector, times.first - lookback, times.last)) {
      const row = this.#row(labels, series, times, grid.count, what)
      if (row !== undefined) rows.push(row)
    }
    this.#hasData ||= rows.length > 0
    return rows
  }

  /** Returns the series of a range vector selector with their samples of all windows, without stale marks. */
  series(selector: VectorSelector, grid: Grid, range: number): readonly RangeSeries[] {
    const times = new ReadTimes(grid, selector, this.reading)
    const loaded = this.#load(selector, times.first - range, times.last)
    const all = loaded.map(({ labels, series }) => withoutStale(labels, series))
    this.#hasData ||= all.some(series => series.times.length > 0)
    return all
  }

  #load({ matchers }: VectorSelector, after: number, to: number): readonly LoadedSeries[] {
    const conditions = matchers.map(({ name, operator, value }) => [name, operator, value])
    const key = JSON.stringify([conditions, after, to])
    const known = this.#loaded.get(key)
    if (known !== undefined) return known
    const { source, budget } = this.reading
    const selected = source.select({ matchers, after, to, charge: samples => budget.load(samples) })
    const loaded = selected.map(series => ({ labels: LabelSet.of(series.labels), series }))
    loaded.sort((one, other) => one.labels.compare(other.labels))
    this.#seriesRead += loaded.length
    this.#loaded.set(key, loaded)
    return loaded
  }

  /** Returns the row of the last samples at each time; undefined if the series exists at none of the times. */
  #row(labels: LabelSet, series: Series, at: ReadTimes, count: number, what: 'values' | 'times'): Row | undefined {
    this.reading.budget.hold(count)
    const { times, values: samples } = series
    const stale = new StaleMarks(samples)
    const values = new Float64Array(count)
    const has = new Uint8Array(count)
    let next = 0
    let isSeen = false
    for (let i = 0; i < count; i += 1) {
      const time = at.at(i)
      while (next < times.length && (times[next] ?? 0) <= time) next += 1
      const last = times[next - 1]
      if (last === undefined || last <= time - lookback || stale.has(next - 1)) continue
      values[i] = what === 'times' ? last / 1000 : (samples[next - 1] ?? 0)
      has[i] = 1
      isSeen = true
    }
    return isSeen ? { labels, values, has } : undefined
  }
}

/** Returns a series without its stale marks; it shares the arrays of a series that has none. */
function withoutStale(labels: LabelSet, { times, values }: Series): RangeSeries {
  const stale = new StaleMarks(values)
  let count = 0
  for (let i = 0; i < values.length; i += 1) if (!stale.has(i)) count += 1
  if (count === values.length) return { labels, times, values }
  const kept = { labels, times: new Float64Array(count), values: new Float64Array(count) }
  let index = 0
  for (let i = 0; i < values.length; i += 1) {
    if (stale.has(i)) continue
    kept.times[index] = times[i] ?? 0
    kept.values[index] = values[i] ?? 0
    index += 1
  }
  return kept
}
