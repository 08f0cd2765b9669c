import type { MatrixSelector, Subquery } from '../language/expression.ts'
import type { LabelSet } from './label-set.ts'
import { ReadTimes, type Reading } from './load-series.ts'
import type { QueryBudget } from './query-budget.ts'
import type { Grid, RangeSeries, Row } from './vectors.ts'
import type { WindowFunction } from './window-functions.ts'
import { Window } from './window.ts'

/** A range vector over a grid: series, and the bounds of their windows. */
export interface RangeVector {
  readonly series: readonly RangeSeries[]
  readonly times: ReadTimes
  /** The length of a window in milliseconds. */
  readonly range: number
}

/** Returns the times at which a subquery evaluates its expression: the multiples of its step in all its windows. */
export function gridOf({ range, step }: Subquery, times: ReadTimes): Grid {
  const after = times.first - range
  let start = step * Math.trunc(after / step)
  if (start <= after) start += step
  return { start, step, count: Math.max(0, Math.floor((times.last - start) / step) + 1) }
}

/** Returns the elements of rows as series with the times of a grid. */
export const seriesOf = (rows: readonly Row[], grid: Grid, budget: QueryBudget): readonly RangeSeries[] =>
  rows.map(({ labels, values, has }) => {
    const indices = [...has.keys()].filter(index => has[index] === 1)
    budget.hold(indices.length)
    return {
      labels,
      times: Float64Array.from(indices, index => grid.start + index * grid.step),
      values: Float64Array.from(indices, index => values[index] ?? 0),
    }
  })

export const readTimesOf = (vector: MatrixSelector | Subquery, grid: Grid, reading: Reading): ReadTimes =>
  new ReadTimes(grid, vector.kind === 'range' ? vector.selector : vector, reading)

/** Applies a function to the windows of each series; `parameters` has its scalar argument for each time. */
export function applyToWindows(
  { series, times, range }: RangeVector,
  apply: WindowFunction,
  grid: Grid,
  parameters: Float64Array | undefined,
  labelsOf: (labels: LabelSet) => LabelSet,
  budget: QueryBudget,
): readonly Row[] {
  const rows: Row[] = []
  for (const each of series) {
    budget.hold(grid.count)
    const window = new Window(each)
    const row = { values: new Float64Array(grid.count), has: new Uint8Array(grid.count) }
    let isSeen = false
    for (let i = 0; i < grid.count; i += 1) {
      const to = times.at(i)
      window.slide(to - range, to)
      if (window.count === 0) continue
      budget.spend(window.count)
      window.time = grid.start + i * grid.step
      window.parameter = parameters?.[i] ?? NaN
      const value = apply(window)
      if (value === undefined) continue
      row.values[i] = value
      row.has[i] = 1
      isSeen = true
    }
    if (isSeen) rows.push({ labels: labelsOf(each.labels), ...row })
  }
  return rows
}
