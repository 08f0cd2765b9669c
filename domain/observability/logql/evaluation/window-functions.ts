import { quantileOf } from '../../promql/evaluation/quantile.ts'
import { extreme } from '../../promql/evaluation/window-functions.ts'
import type { Window } from '../../promql/evaluation/window.ts'
import type { RangeAggregation } from '../language/metric-expression.ts'
import type { RangeOperation } from '../language/operators.ts'

/** A function of a window with at least one sample. */
export type WindowFunction = (window: Window) => number

/** Adds values in the order of time, as Loki does, without a correction of rounding errors. */
function sum({ values, first, end }: Window): number {
  let total = 0
  for (let i = first; i < end; i += 1) total += values[i] ?? 0
  return total
}

/** The mean, which follows the values one by one; an infinite mean stays unless the other infinity or NaN comes. */
function mean({ values, first, end }: Window): number {
  let result = 0
  for (let i = first; i < end; i += 1) {
    const value = values[i] ?? 0
    const count = i - first + 1
    if (Math.abs(result) === Infinity && (value === result || Number.isFinite(value))) continue
    result += value / count - result / count
  }
  return result
}

/** The population variance, by Welford's method. */
function variance({ values, first, end }: Window): number {
  let [average, squares] = [0, 0]
  for (let i = first; i < end; i += 1) {
    const value = values[i] ?? 0
    const difference = value - average
    average += difference / (i - first + 1)
    squares += difference * (value - average)
  }
  return squares / (end - first)
}

/** The functions of windows whose result depends on the values alone, not on the range or on the unwrapped label. */
const plain: Readonly<Record<Exclude<RangeOperation, 'bytes_rate' | 'quantile_over_time' | 'rate'>, WindowFunction>> = {
  count_over_time: window => window.count,
  bytes_over_time: sum,
  absent_over_time: () => 1,
  sum_over_time: sum,
  avg_over_time: mean,
  min_over_time: window => extreme(window, (value, best) => value < best),
  max_over_time: window => extreme(window, (value, best) => value > best),
  first_over_time: ({ values, first }) => values[first] ?? NaN,
  last_over_time: ({ values, end }) => values[end - 1] ?? NaN,
  stddev_over_time: window => Math.sqrt(variance(window)),
  stdvar_over_time: variance,
}

/** Returns the function of the windows of a range aggregation. */
export function windowFunction({ operation, parameter = NaN, range, unwrap }: RangeAggregation): WindowFunction {
  const seconds = range / 1000
  switch (operation) {
    case 'rate':
      return unwrap === undefined ? window => window.count / seconds : window => sum(window) / seconds
    case 'bytes_rate':
      return window => sum(window) / seconds
    case 'quantile_over_time':
      return ({ values, first, end }) => quantileOf(parameter, values.slice(first, end))
    default:
      return plain[operation]
  }
}
