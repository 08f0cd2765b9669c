import { typeOf } from '../language/check-types.ts'
import type { Aggregation, BinaryExpression, Expression, MatrixSelector, Subquery } from '../language/expression.ts'
import { isSetOperator } from '../language/operators.ts'
import { accumulators } from './accumulators.ts'
import { aggregate, countValues } from './aggregate.ts'
import { FunctionCalls } from './function-calls.ts'
import { Grouping } from './grouping.ts'
import { SeriesLoader, type Reading } from './load-series.ts'
import { changesMetric, operationOf } from './operations.ts'
import type { QueryBudget } from './query-budget.ts'
import { gridOf, readTimesOf, seriesOf, type RangeVector } from './range-vectors.ts'
import { combineSets } from './set-operations.ts'
import { selectTop } from './top.ts'
import { VectorOperation } from './vector-matching.ts'
import { isSeen, mergeRows, type Grid, type Row } from './vectors.ts'

/**
 * Evaluates the parts of one query: each part once, at all times of a grid. All results are held against the budget, and
 * errors are QUERY_LIMIT_EXCEEDED, QUERY_TIMEOUT and QUERY_EXECUTION_FAILED.
 */
export class Evaluator {
  readonly loader: SeriesLoader
  readonly #reading: Reading
  readonly #budget: QueryBudget
  readonly #calls: FunctionCalls

  constructor(reading: Reading) {
    this.#reading = reading
    this.#budget = reading.budget
    this.loader = new SeriesLoader(reading)
    this.#calls = new FunctionCalls(this, this.#budget)
  }

  /** What to know about the result, such as that an order was ignored. */
  get warnings(): ReadonlySet<string> {
    return this.#calls.warnings
  }

  /** Evaluates an expression of type scalar; returns a number for each time. */
  scalar(expression: Expression, grid: Grid): Float64Array {
    this.#budget.hold(grid.count)
    switch (expression.kind) {
      case 'number':
        return new Float64Array(grid.count).fill(expression.value)
      case 'signed': {
        const values = this.scalar(expression.expression, grid)
        return expression.isNegative ? values.map(value => -value) : values
      }
      case 'binary': {
        const { operator, left, right } = expression
        const [one, other] = [this.scalar(left, grid), this.scalar(right, grid)]
        const operation = operationOf(operator, true, 'left')
        return one.map((value, i) => operation(value, other[i] ?? NaN) ?? NaN)
      }
      case 'call':
        return this.#calls.scalar(expression, grid)
      default:
        throw new TypeError(`a ${expression.kind} is no scalar`)
    }
  }

  /** Evaluates an expression of type vector. */
  vector(expression: Expression, grid: Grid): readonly Row[] {
    if (grid.count === 0) return []
    return this.#budget.keeping(
      () => this.#vector(expression, grid),
      rows => rows.length * grid.count,
    )
  }

  #vector(expression: Expression, grid: Grid): readonly Row[] {
    switch (expression.kind) {
      case 'selector':
        return this.loader.rows(expression, grid, 'values')
      case 'signed': {
        const rows = this.vector(expression.expression, grid)
        return expression.isNegative ? this.#negate(rows) : rows
      }
      case 'binary':
        return this.#binary(expression, grid)
      case 'aggregation':
        return this.#aggregation(expression, grid)
      case 'call':
        return this.#calls.vector(expression, grid)
      default:
        throw new TypeError(`a ${expression.kind} is no vector`)
    }
  }

  /** Evaluates an expression of type matrix: the series with the samples of all windows of the grid. */
  matrix(expression: MatrixSelector | Subquery, grid: Grid): RangeVector {
    const times = readTimesOf(expression, grid, this.#reading)
    const { range } = expression
    if (expression.kind === 'range') {
      return { series: this.loader.series(expression.selector, grid, range), times, range }
    }
    const inner = gridOf(expression, times)
    return { series: seriesOf(this.vector(expression.expression, inner), inner, this.#budget), times, range }
  }

  #negate(rows: readonly Row[]): readonly Row[] {
    return mergeRows(
      rows.map(({ labels, values, has }) => {
        this.#budget.hold(values.length)
        return { labels: labels.withoutMetadata(), values: values.map(value => -value), has }
      }),
    )
  }

  #binary(binary: BinaryExpression, grid: Grid): readonly Row[] {
    const { operator, left, right, matching } = binary
    if (typeOf(left) === 'scalar') {
      const scalar = this.scalar(left, grid)
      return this.#withScalar(binary, this.vector(right, grid), scalar, 'left')
    }
    const rows = this.vector(left, grid)
    if (typeOf(right) === 'scalar') return this.#withScalar(binary, rows, this.scalar(right, grid), 'right')
    const others = this.vector(right, grid)
    if (isSetOperator(operator)) return combineSets(operator, [rows, others], matching, grid.count, this.#budget)
    return new VectorOperation(binary, grid.count, this.#budget).apply(rows, others)
  }

  /** Applies an operation to elements and a scalar; `side` is the side of the scalar. */
  #withScalar(
    { operator, bool }: BinaryExpression,
    rows: readonly Row[],
    scalar: Float64Array,
    side: 'left' | 'right',
  ): readonly Row[] {
    const operation = operationOf(operator, bool, side === 'left' ? 'right' : 'left')
    const isOther = changesMetric(operator, bool)
    const result = rows.map(({ labels, values, has }) => {
      this.#budget.hold(values.length)
      const row = { labels: isOther ? labels.withoutMetadata() : labels, values: values.slice(), has: has.slice() }
      for (let i = 0; i < has.length; i += 1) {
        if (has[i] !== 1) continue
        const [value, number] = [values[i] ?? NaN, scalar[i] ?? NaN]
        const outcome = side === 'left' ? operation(number, value) : operation(value, number)
        if (outcome === undefined) row.has[i] = 0
        else row.values[i] = outcome
      }
      return row
    })
    return isOther ? mergeRows(result) : result.filter(isSeen)
  }

  #aggregation(aggregation: Aggregation, grid: Grid): readonly Row[] {
    const { operator, parameter, expression, labels, without } = aggregation
    if (parameter?.kind === 'string') {
      return countValues(this.vector(expression, grid), aggregation, parameter.value, this.#budget)
    }
    const parameters = parameter === undefined ? new Float64Array(grid.count) : this.scalar(parameter, grid)
    const rows = this.vector(expression, grid)
    const grouping = new Grouping(labels, without)
    if (operator === 'topk' || operator === 'bottomk') {
      return selectTop(operator, rows, grouping, parameters, this.#budget)
    }
    if (operator === 'quantile') this.#calls.warnOfQuantiles(parameters)
    const accumulator = accumulators.get(operator)
    if (accumulator === undefined) throw new TypeError(`${operator} is no aggregation`)
    return aggregate(rows, grouping, index => accumulator(parameters[index] ?? NaN), this.#budget)
  }
}
