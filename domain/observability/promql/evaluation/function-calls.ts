import type { Call, Expression, MatrixSelector, Subquery } from '../language/expression.ts'
import { absentRows } from './absent.ts'
import { dateFunction } from './date-functions.ts'
import { elementFunctions } from './element-functions.ts'
import { histogramQuantile } from './histogram-quantile.ts'
import { joinLabels, replaceLabel } from './label-functions.ts'
import { LabelSet } from './label-set.ts'
import type { SeriesLoader } from './load-series.ts'
import type { QueryBudget } from './query-budget.ts'
import { applyToWindows, type RangeVector } from './range-vectors.ts'
import { isSeen, mergeRows, requireDistinct, type Grid, type Row } from './vectors.ts'
import { windowFunctions } from './window-functions.ts'

/** The evaluation of the arguments of a call. */
export interface Arguments {
  readonly loader: SeriesLoader
  scalar(expression: Expression, grid: Grid): Float64Array
  vector(expression: Expression, grid: Grid): readonly Row[]
  matrix(expression: MatrixSelector | Subquery, grid: Grid): RangeVector
}

/** The functions of windows that select a sample, so that the result still is the metric. */
const selecting = new Set(['last_over_time', 'first_over_time'])

/** Evaluates the calls of functions. */
export class FunctionCalls {
  readonly warnings = new Set<string>()
  readonly #arguments: Arguments
  readonly #budget: QueryBudget

  constructor(parts: Arguments, budget: QueryBudget) {
    this.#arguments = parts
    this.#budget = budget
  }

  /** Evaluates a call of type scalar. */
  scalar({ name, arguments: [argument] }: Call, grid: Grid): Float64Array {
    if (name === 'pi') return new Float64Array(grid.count).fill(Math.PI)
    if (argument === undefined) return secondsOf(grid)
    const rows = this.#arguments.vector(argument, grid)
    return Float64Array.from({ length: grid.count }, (_, i) => {
      const present = rows.filter(({ has }) => has[i] === 1)
      return present.length === 1 ? (present[0]?.values[i] ?? NaN) : NaN
    })
  }

  /** Evaluates a call of type vector. */
  vector(call: Call, grid: Grid): readonly Row[] {
    const { name, arguments: parts } = call
    const apply = elementFunctions.get(name)
    if (apply !== undefined) return this.#elements(call, grid, apply)
    const ofDate = dateFunction(name)
    if (ofDate !== undefined) return this.#map(this.#dates(parts[0], grid), ofDate)
    if (windowFunctions.has(name)) return this.#windows(call, grid)
    const [first, second] = parts
    if (first === undefined) throw new TypeError(`${name} needs an argument`)
    switch (name) {
      case 'vector':
        return [everywhere(this.#arguments.scalar(first, grid))]
      case 'timestamp':
        return this.#timestamps(first, grid)
      case 'absent':
        return absentRows(first, this.#arguments.vector(first, grid), grid.count)
      case 'sort':
      case 'sort_desc':
        return this.#sorted(this.#arguments.vector(first, grid), name === 'sort' ? 1 : -1, grid)
      case 'label_replace':
      case 'label_join':
        return this.#labels(call, this.#arguments.vector(first, grid))
      case 'histogram_quantile':
        if (second !== undefined) return this.#histogramQuantile(first, second, grid)
    }
    throw new TypeError(`the function ${name} is not evaluated`)
  }

  /** Warns of quantiles that are no shares. */
  warnOfQuantiles(quantiles: Float64Array): void {
    const wrong = quantiles.find(q => !(q >= 0 && q <= 1))
    if (wrong !== undefined) this.warnings.add(`a quantile should be between 0 and 1, but is ${wrong}`)
  }

  #elements({ name, arguments: [vector, ...scalars] }: Call, grid: Grid, apply: ElementFunction): readonly Row[] {
    if (vector === undefined) throw new TypeError(`${name} needs an argument`)
    const rows = this.#arguments.vector(vector, grid)
    const numbers = scalars.map(scalar => this.#arguments.scalar(scalar, grid))
    const mapped = this.#map(rows, (value, i) => apply(value, ...numbers.map(each => each[i] ?? NaN)))
    if (name !== 'clamp') return mapped
    const [least, most] = numbers
    // Bounds in the wrong order leave nothing.
    const isEmpty = (i: number): boolean => (most?.[i] ?? NaN) < (least?.[i] ?? NaN)
    return mapped.map(row => ({ ...row, has: row.has.map((is, i) => (isEmpty(i) ? 0 : is)) })).filter(isSeen)
  }

  /** Applies a function to all elements; the result is no longer the metric. */
  #map(rows: readonly Row[], apply: (value: number, index: number) => number): readonly Row[] {
    return mergeRows(
      rows.map(({ labels, values, has }) => {
        this.#budget.hold(values.length)
        return {
          labels: labels.withoutMetadata(),
          values: values.map((value, i) => (has[i] === 1 ? apply(value, i) : 0)),
          has,
        }
      }),
    )
  }

  #dates(argument: Expression | undefined, grid: Grid): readonly Row[] {
    return argument === undefined ? [everywhere(secondsOf(grid))] : this.#arguments.vector(argument, grid)
  }

  #timestamps(argument: Expression, grid: Grid): readonly Row[] {
    if (argument.kind === 'selector') {
      return this.#map(this.#arguments.loader.rows(argument, grid, 'times'), seconds => seconds)
    }
    const seconds = secondsOf(grid)
    return this.#map(this.#arguments.vector(argument, grid), (_, i) => seconds[i] ?? NaN)
  }

  #windows({ name, arguments: parts }: Call, grid: Grid): readonly Row[] {
    const apply = windowFunctions.get(name)
    const matrix = parts.find(part => part.kind === 'range' || part.kind === 'subquery')
    if (apply === undefined || matrix === undefined) throw new TypeError(`${name} needs a range vector`)
    const scalar = parts.find(part => part !== matrix)
    const parameters = scalar === undefined ? undefined : this.#arguments.scalar(scalar, grid)
    if (parameters !== undefined && name === 'quantile_over_time') this.warnOfQuantiles(parameters)
    const labelsOf = selecting.has(name) ? (labels: LabelSet) => labels : (labels: LabelSet) => labels.withoutMetadata()
    const vector = this.#arguments.matrix(matrix, grid)
    const rows = applyToWindows(vector, apply, grid, parameters, labelsOf, this.#budget)
    if (name === 'absent_over_time') return absentRows(matrix, rows, grid.count)
    requireDistinct(rows)
    return rows
  }

  /** Orders the elements by value, NaN last. Over several times there is no order. */
  #sorted(rows: readonly Row[], sign: 1 | -1, grid: Grid): readonly Row[] {
    if (grid.count > 1) {
      this.warnings.add('sort has no effect in a range query: its result is in the order of the labels')
      return rows
    }
    return rows.toSorted((one, other) => {
      const [value = NaN, next = NaN] = [one.values[0], other.values[0]]
      if (Number.isNaN(value) || Number.isNaN(next)) return Number(Number.isNaN(value)) - Number(Number.isNaN(next))
      return value === next ? 0 : sign * (value < next ? -1 : 1)
    })
  }

  #labels({ name, arguments: [, ...parts] }: Call, rows: readonly Row[]): readonly Row[] {
    const texts = parts.map(part => (part.kind === 'string' ? part.value : ''))
    const [target = '', second = '', source = '', pattern = ''] = texts
    return name === 'label_join'
      ? joinLabels(rows, target, second, texts.slice(2))
      : replaceLabel(rows, { target, replacement: second, source, pattern })
  }

  #histogramQuantile(q: Expression, buckets: Expression, grid: Grid): readonly Row[] {
    const quantiles = this.#arguments.scalar(q, grid)
    this.warnOfQuantiles(quantiles)
    return histogramQuantile(quantiles, this.#arguments.vector(buckets, grid), this.#budget)
  }
}

type ElementFunction = (value: number, ...scalars: number[]) => number

const secondsOf = ({ start, step, count }: Grid): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => (start + i * step) / 1000)

const everywhere = (values: Float64Array): Row => ({
  labels: LabelSet.empty,
  values,
  has: new Uint8Array(values.length).fill(1),
})
