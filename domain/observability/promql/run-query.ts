import type { MetricQueryResponse } from '../../../output/observability/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import type { AlertVector, InstantQuery, RangeQuery } from '../metrics/metric-engine.ts'
import { answerBytes, pointText, type WrittenResult, writeRows, writeSeries, writeVector } from './answer-text.ts'
import { Evaluator } from './evaluation/evaluator.ts'
import { LabelSet } from './evaluation/label-set.ts'
import { limitExceeded, maxSeries, QueryBudget } from './evaluation/query-budget.ts'
import type { Grid, RangeSeries, Row } from './evaluation/vectors.ts'
import { QueryFaults } from './language/faults.ts'
import type { MatrixSelector, Subquery } from './language/expression.ts'
import { parseQuery } from './language/parse.ts'
import { formatDecimal } from './format-value.ts'
import type { SampleSource } from './sample-source.ts'

/** Tells whether the caller of a query no longer waits for it. */
export type IsAborted = () => boolean

/** The evaluation of one query, and the text of its answer. */
class QueryRun {
  readonly evaluator: Evaluator
  readonly grid: Grid
  readonly #budget: QueryBudget
  readonly #begun = performance.now()
  readonly #warnings = new Set<string>()

  /** `end` is the end of the query, at or after the last time of the grid. */
  constructor(source: SampleSource, grid: Grid, end: number, timeoutMs: number, isAborted: IsAborted) {
    const budget = new QueryBudget(timeoutMs, isAborted)
    this.#budget = budget
    this.grid = grid
    this.evaluator = new Evaluator({ source, budget, start: grid.start, end })
  }

  answer(type: WrittenResult['type'], write: WrittenResult['write']): JsonText<MetricQueryResponse> {
    const { loader, warnings } = this.evaluator
    const notes = () => ({
      warnings: [...this.#warnings, ...warnings],
      series: loader.seriesRead,
      samples: this.#budget.loaded,
      durationMs: performance.now() - this.#begun,
    })
    return new JsonText(answerBytes({ type, write }, notes))
  }

  /** Returns the series of an answer, cut to `limit` with a warning. Throws QUERY_LIMIT_EXCEEDED above 10,000 series. */
  cut<T>(series: readonly T[], limit: number): readonly T[] {
    if (series.length <= limit) return series
    if (limit >= maxSeries) throw limitExceeded('series', `an answer may have ${maxSeries} series`)
    this.#warnings.add(`the result has ${series.length} series, of which the first ${limit} are answered`)
    return series.slice(0, limit)
  }
}

/** Evaluates a query at one time. Throws QUERY_… errors. */
export function runInstantQuery(
  source: SampleSource,
  { query, time, timeoutMs, limit }: InstantQuery,
  isAborted: IsAborted,
): JsonText<MetricQueryResponse> {
  const { expression, type } = parseQuery(query)
  const run = new QueryRun(source, { start: time, step: 1, count: 1 }, time, timeoutMs, isAborted)
  const { evaluator, grid } = run
  if (expression.kind === 'string')
    return run.answer('STRING', writer => writer.write(pointText(time, expression.value)))
  if (expression.kind === 'range' || expression.kind === 'subquery') {
    const series = run.cut(windowsAt(evaluator, expression, grid), limit)
    return run.answer('MATRIX', writer => writeSeries(writer, series))
  }
  if (type === 'scalar') {
    // Prometheus writes a scalar without an exponent, unlike the values of elements.
    const value = formatDecimal(evaluator.scalar(expression, grid)[0] ?? NaN)
    return run.answer('SCALAR', writer => writer.write(pointText(time, value)))
  }
  const rows = run.cut(
    evaluator.vector(expression, grid).filter(({ has }) => has[0] === 1),
    limit,
  )
  return run.answer('VECTOR', writer => writeVector(writer, rows, time))
}

/** Returns the samples of each series that are in the window at the time of the grid, in the order of labels. */
function windowsAt(evaluator: Evaluator, expression: MatrixSelector | Subquery, grid: Grid): readonly RangeSeries[] {
  const { series, times, range } = evaluator.matrix(expression, grid)
  const inWindow = (time: number): boolean => time > times.first - range && time <= times.first
  return series
    .map(({ labels, times: all, values }) => {
      const [first, end] = [all.findIndex(inWindow), all.findLastIndex(inWindow) + 1]
      return { labels, times: all.subarray(Math.max(first, 0), end), values: values.subarray(Math.max(first, 0), end) }
    })
    .filter(each => each.times.length > 0)
    .sort((one, other) => one.labels.compare(other.labels))
}

/** Evaluates a query at each step of a range. Throws QUERY_… errors. */
export function runRangeQuery(
  source: SampleSource,
  { query, start, end, step, timeoutMs }: RangeQuery,
  isAborted: IsAborted,
): JsonText<MetricQueryResponse> {
  const { expression, type } = parseQuery(query)
  if (type === 'string' || type === 'matrix') {
    throw new QueryFaults('query').type(0, `a range query takes a scalar or an instant vector, not a ${type}`)
  }
  const count = Math.floor((end - start) / step) + 1
  const run = new QueryRun(source, { start, step, count }, end, timeoutMs, isAborted)
  const { evaluator, grid } = run
  const rows = type === 'scalar' ? [rowOf(evaluator.scalar(expression, grid))] : evaluator.vector(expression, grid)
  const seen = rows.filter(({ has }) => has.includes(1)).sort((one, other) => one.labels.compare(other.labels))
  const answered = run.cut(seen, maxSeries)
  return run.answer('MATRIX', writer => writeRows(writer, answered, grid))
}

const rowOf = (values: Float64Array): Row => ({
  labels: LabelSet.empty,
  values,
  has: new Uint8Array(values.length).fill(1),
})

/** Evaluates the query of an alert rule, which gives an instant vector. Throws QUERY_… errors. */
export function runAlertQuery(
  source: SampleSource,
  { query, time, timeoutMs }: Omit<InstantQuery, 'limit'>,
  isAborted: IsAborted,
): AlertVector {
  const { expression, type } = parseQuery(query)
  if (type !== 'vector') throw new QueryFaults('query').type(0, `an alert rule takes an instant vector, not a ${type}`)
  const run = new QueryRun(source, { start: time, step: 1, count: 1 }, time, timeoutMs, isAborted)
  const rows = run.evaluator.vector(expression, run.grid).filter(({ has }) => has[0] === 1)
  const elements = run
    .cut(rows, maxSeries)
    .map(({ labels, values }) => ({ labels: labels.toLabels(), value: values[0] ?? 0 }))
  return { elements, hasData: run.evaluator.loader.hasData }
}
