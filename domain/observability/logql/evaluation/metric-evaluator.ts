import { absentRows } from '../../promql/evaluation/absent.ts'
import { accumulators } from '../../promql/evaluation/accumulators.ts'
import { aggregate } from '../../promql/evaluation/aggregate.ts'
import { Grouping } from '../../promql/evaluation/grouping.ts'
import { LabelSet } from '../../promql/evaluation/label-set.ts'
import { operationOf, type Operation } from '../../promql/evaluation/operations.ts'
import { combineSets } from '../../promql/evaluation/set-operations.ts'
import { selectTop } from '../../promql/evaluation/top.ts'
import { VectorOperation } from '../../promql/evaluation/vector-matching.ts'
import { isSeen, type RangeSeries, type Row } from '../../promql/evaluation/vectors.ts'
import { Window } from '../../promql/evaluation/window.ts'
import { isSetOperator } from '../../promql/language/operators.ts'
import type {
  BinaryOperation,
  Grouped,
  MetricExpression,
  RangeAggregation,
  VectorAggregation,
} from '../language/metric-expression.ts'
import { loadSamples, type Reading } from './load-samples.ts'
import { windowFunction, type WindowFunction } from './window-functions.ts'

/** The functions that `sum` may group as it does itself, before their values are added. */
const summable: ReadonlySet<string> = new Set([
  'bytes_over_time',
  'bytes_rate',
  'count_over_time',
  'rate',
  'sum_over_time',
])

/**
 * Evaluates the parts of one metric query, each at all times of the grid. Errors are QUERY_LIMIT_EXCEEDED, QUERY_TIMEOUT
 * and QUERY_EXECUTION_FAILED.
 */
export class MetricEvaluator {
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Returns the elements of an expression; a number is one element without labels. */
  rows(expression: MetricExpression): readonly Row[] {
    const { budget, grid } = this.#reading
    return budget.keeping(
      () => this.#rows(expression),
      rows => rows.length * grid.count,
    )
  }

  #rows(expression: MetricExpression): readonly Row[] {
    switch (expression.kind) {
      case 'number':
      case 'vector':
        return [this.#constant(expression.value)]
      case 'range':
        return this.#range(expression, expression.grouping)
      case 'aggregation':
        return this.#aggregation(expression)
      case 'binary':
        return this.#binary(expression)
    }
  }

  #constant(value: number): Row {
    const { budget, grid } = this.#reading
    budget.hold(grid.count)
    const [values, has] = [new Float64Array(grid.count).fill(value), new Uint8Array(grid.count).fill(1)]
    return { labels: LabelSet.empty, values, has }
  }

  #range(aggregation: RangeAggregation, grouping: Grouped | undefined): readonly Row[] {
    const { grid } = this.#reading
    const series = loadSamples(aggregation, grouping, this.#reading)
    const apply = windowFunction(aggregation)
    const rows = series.map(each => this.#applied(each, aggregation.range, apply))
    if (aggregation.operation !== 'absent_over_time') return rows
    const { matchers, position } = aggregation.log
    return absentRows({ kind: 'selector', position, matchers }, rows, grid.count)
  }

  /** Applies a function to the windows of a series. */
  #applied(series: RangeSeries, range: number, apply: WindowFunction): Row {
    const { budget, grid } = this.#reading
    budget.hold(grid.count)
    const window = new Window(series)
    const row = { labels: series.labels, values: new Float64Array(grid.count), has: new Uint8Array(grid.count) }
    for (let i = 0; i < grid.count; i += 1) {
      window.slide(i * grid.step - range, i * grid.step)
      budget.spend(window.count)
      if (window.count === 0) continue
      row.values[i] = apply(window)
      row.has[i] = 1
    }
    return row
  }

  #aggregation({ expression, labels, operator, parameter = NaN, without }: VectorAggregation): readonly Row[] {
    const { budget, grid } = this.#reading
    // The labels that parsers must make follow from this grouping, so that it decides which lines have errors.
    const isInner = operator === 'sum' && expression.kind === 'range' && expression.grouping === undefined
    const rows =
      isInner && summable.has(expression.operation)
        ? this.#range(expression, { labels, without })
        : this.rows(expression)
    const grouping = new Grouping(labels, without)
    if (operator === 'topk' || operator === 'bottomk') {
      return selectTop(operator, rows, grouping, new Float64Array(grid.count).fill(parameter), budget)
    }
    const accumulator = accumulators.get(operator)
    if (accumulator === undefined) throw new TypeError(`${operator} is no aggregation`)
    return aggregate(rows, grouping, () => accumulator(NaN), budget)
  }

  #binary(binary: BinaryOperation): readonly Row[] {
    const { operator, left, right, bool, matching } = binary
    const { budget, grid } = this.#reading
    if (left.kind === 'number') {
      const operation = withoutDivision(operator, operationOf(operator, bool, 'right'))
      return this.#mapped(this.rows(right), value => operation(left.value, value))
    }
    const rows = this.rows(left)
    if (right.kind === 'number') {
      const operation = withoutDivision(operator, operationOf(operator, bool, 'left'))
      return this.#mapped(rows, value => operation(value, right.value))
    }
    const others = this.rows(right)
    if (isSetOperator(operator)) return combineSets(operator, [rows, others], matching, grid.count, budget)
    const operation = withoutDivision(operator, operationOf(operator, bool, 'left'))
    return new VectorOperation(binary, grid.count, budget, operation).apply(rows, others)
  }

  #mapped(rows: readonly Row[], map: (value: number) => number | undefined): readonly Row[] {
    const mapped = rows.map(({ labels, values, has }) => {
      this.#reading.budget.hold(values.length)
      const row = { labels, values: values.slice(), has: has.slice() }
      for (let i = 0; i < has.length; i += 1) {
        if (has[i] !== 1) continue
        const value = map(values[i] ?? NaN)
        if (value === undefined) row.has[i] = 0
        else row.values[i] = value
      }
      return row
    })
    return mapped.filter(isSeen)
  }
}

/** Returns an operation that divides by 0 as Loki does: the result is NaN. */
const withoutDivision = (operator: BinaryOperation['operator'], operation: Operation): Operation =>
  operator === '/' || operator === '%' ? (left, right) => (right === 0 ? NaN : operation(left, right)) : operation
