import { KahanSum, Mean } from './kahan-sum.ts'
import { quantileOf } from './quantile.ts'
import { delta, idelta, increase, irate, rate } from './rates.ts'
import { deriv, predictLinear } from './regression.ts'
import type { Window } from './window.ts'

/** A function of a window with at least one sample; undefined if the window has too few samples. */
export type WindowFunction = (window: Window) => number | undefined

function sumOverTime({ values, first, end }: Window): number {
  const sum = new KahanSum()
  for (let i = first; i < end; i += 1) sum.add(values[i] ?? 0)
  return sum.total
}

function avgOverTime({ values, first, end }: Window): number {
  const mean = new Mean()
  for (let i = first; i < end; i += 1) mean.add(values[i] ?? 0)
  return mean.value
}

/** Returns the first value that no other value of the window precedes; NaN only if all values are NaN. */
export function extreme({ values, first, end }: Window, precedes: (value: number, best: number) => boolean): number {
  let best = values[first] ?? NaN
  for (let i = first + 1; i < end; i += 1) {
    const value = values[i] ?? NaN
    if (precedes(value, best) || Number.isNaN(best)) best = value
  }
  return best
}

function varianceOverTime({ values, first, end }: Window): number {
  const [mean, squares] = [new KahanSum(), new KahanSum()]
  for (let i = first; i < end; i += 1) {
    const value = values[i] ?? 0
    const difference = value - (mean.sum + mean.error)
    mean.add(difference / (i - first + 1))
    squares.add(difference * (value - (mean.sum + mean.error)))
  }
  return (squares.sum + squares.error) / (end - first)
}

/** The functions of windows, by name. */
export const windowFunctions: ReadonlyMap<string, WindowFunction> = new Map<string, WindowFunction>([
  ['rate', rate],
  ['increase', increase],
  ['delta', delta],
  ['irate', irate],
  ['idelta', idelta],
  ['deriv', deriv],
  ['predict_linear', predictLinear],
  ['changes', ({ changes }) => changes],
  ['resets', ({ resets }) => resets],
  ['sum_over_time', sumOverTime],
  ['avg_over_time', avgOverTime],
  ['min_over_time', window => extreme(window, (value, best) => value < best)],
  ['max_over_time', window => extreme(window, (value, best) => value > best)],
  ['count_over_time', ({ count }) => count],
  ['last_over_time', ({ values, end }) => values[end - 1]],
  ['first_over_time', ({ values, first }) => values[first]],
  ['present_over_time', () => 1],
  ['absent_over_time', () => 1],
  ['stdvar_over_time', varianceOverTime],
  ['stddev_over_time', window => Math.sqrt(varianceOverTime(window))],
  ['quantile_over_time', ({ values, first, end, parameter }) => quantileOf(parameter, values.slice(first, end))],
])
