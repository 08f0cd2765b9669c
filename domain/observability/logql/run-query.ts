import { limitExceeded, maxSeries, QueryBudget } from '../promql/evaluation/query-budget.ts'
import { isSeen, type Row } from '../promql/evaluation/vectors.ts'
import type { AlertVector } from '../metrics/metric-engine.ts'
import type { IsAborted } from '../promql/run-query.ts'
import { metricText, streamsText, type LogQueryCost, type LogResultText } from './answer-text.ts'
import type { EntrySource } from './entry-source.ts'
import type { NanoGrid } from './evaluation/load-samples.ts'
import { shownEntries, type EntryPosition } from './evaluation/log-query.ts'
import { MetricEvaluator } from './evaluation/metric-evaluator.ts'
import { namedFields } from './evaluation/named-fields.ts'
import type { Direction } from './evaluation/ordered-entries.ts'
import { Scan } from './evaluation/scan.ts'
import { WatchedSource } from './evaluation/watched-source.ts'
import type { MetricExpression } from './language/metric-expression.ts'
import { parseMetricQuery, parseQuery } from './language/parse.ts'

/** A query over a range of times. */
export interface LogQuery {
  readonly query: string
  /** A log query reads entries from here on, in nanoseconds since 1970. */
  readonly start: bigint
  /** A log query reads entries before this time, in nanoseconds since 1970. */
  readonly end: bigint
  /** The order of the entries of a log query. */
  readonly direction: Direction
  /** The largest number of entries of a log query. */
  readonly limit: number
  /** The last entry of the page before, for log queries. */
  readonly after?: EntryPosition
  /** The time between two points of a metric query in milliseconds; absent, it is evaluated once, at `end`. */
  readonly stepMs?: number
  /** The longest time that the query may run, in milliseconds. */
  readonly timeoutMs: number
}

/** The answer to a query, but for the token of the next page (`logAnswerText`). */
export interface LogQueryResult {
  readonly result: LogResultText
  readonly cost: LogQueryCost
  /** The last entry of a full page, after which the next page goes on; absent on the last page. */
  readonly next?: EntryPosition
  /** What may be wrong with the result; absent: nothing. */
  readonly warnings?: readonly string[]
}

/** What a run of a query needs. */
class QueryRun {
  readonly budget: QueryBudget
  readonly scan: Scan
  readonly #source: EntrySource
  readonly #begun = performance.now()

  constructor(source: EntrySource, timeoutMs: number, isAborted: IsAborted) {
    this.#source = source
    this.budget = new QueryBudget(timeoutMs, isAborted)
    this.scan = new Scan(this.budget)
  }

  get cost(): LogQueryCost {
    const { bytes, entries } = this.scan
    return { bytesScanned: bytes, entriesScanned: entries, durationMs: performance.now() - this.#begun }
  }

  /**
   * Returns the elements of a metric query that exist at some time, in the order of their labels; those of `topk` and
   * `bottomk` at one time are in the order of their values. Throws QUERY_LIMIT_EXCEEDED above 10,000 elements.
   */
  rows(expression: MetricExpression, grid: NanoGrid): readonly Row[] {
    const { budget, scan } = this
    const fields = namedFields(expression)
    const evaluator = new MetricEvaluator({ source: this.#source, budget, scan, grid, fields })
    const rows = evaluator.rows(expression).filter(isSeen)
    if (rows.length > maxSeries) throw limitExceeded('series', `an answer may have ${maxSeries} series`)
    const isRanked = expression.kind === 'aggregation' && expression.parameter !== undefined && grid.count === 1
    return isRanked ? rows : rows.toSorted((one, other) => one.labels.compare(other.labels))
  }
}

/** Evaluates a query. Throws SELECTOR_EMPTY and QUERY_… errors. */
export function runLogQuery(source: EntrySource, query: LogQuery, isAborted: IsAborted): LogQueryResult {
  const expression = parseQuery(query.query)
  const run = new QueryRun(source, query.timeoutMs, isAborted)
  if (expression.kind !== 'log') {
    const grid = gridOf(query)
    const rows = run.rows(expression, grid)
    const start = millisecondsOf(grid.start)
    const result = metricText(rows, { ...grid, start }, query.stepMs !== undefined)
    return { result, cost: run.cost }
  }
  const { entries, isFull } = shownEntries(source, expression, query, run.scan, run.budget)
  const last = isFull ? entries.at(-1)?.entry : undefined
  return {
    result: { type: 'STREAMS', text: streamsText(entries) },
    cost: run.cost,
    ...(last !== undefined && { next: { time: last.time, number: last.number } }),
  }
}

function gridOf({ start, end, stepMs }: LogQuery): NanoGrid {
  if (stepMs === undefined) return { start: end, step: 1, count: 1 }
  return { start, step: stepMs, count: Math.floor(millisecondsOf(end - start) / stepMs) + 1 }
}

const millisecondsOf = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n)

/**
 * Evaluates the metric query of an alert rule at a time in milliseconds since 1970. The query has data if one of its
 * windows has an entry of a selected stream, whether or not the line fits. Throws SELECTOR_EMPTY and QUERY_… errors.
 */
export function runLogAlertQuery(
  source: EntrySource,
  { query, time, timeoutMs }: { readonly query: string; readonly time: number; readonly timeoutMs: number },
  isAborted: IsAborted,
): AlertVector {
  const watched = new WatchedSource(source)
  const run = new QueryRun(watched, timeoutMs, isAborted)
  const grid = { start: BigInt(time) * 1_000_000n, step: 1, count: 1 }
  const rows = run.rows(parseMetricQuery(query), grid)
  const elements = rows.map(({ labels, values }) => ({ labels: labels.toLabels(), value: values[0] ?? 0 }))
  return { elements, hasData: elements.length > 0 || watched.hasEntries() }
}
