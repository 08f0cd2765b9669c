import { KahanSum } from './kahan-sum.ts'
import type { Window } from './window.ts'

/** Returns the slope per second of the least-squares line through a window; undefined for fewer than two samples. */
export const deriv = (window: Window): number | undefined =>
  window.count < 2 ? undefined : lineThrough(window, window.times[window.first] ?? 0).slope

/** Returns the value of that line `parameter` seconds after the evaluation; undefined for fewer than two samples. */
export function predictLinear(window: Window): number | undefined {
  if (window.count < 2) return undefined
  const { slope, intercept } = lineThrough(window, window.time)
  return slope * window.parameter + intercept
}

function lineThrough({ times, values, first, end }: Window, origin: number): { slope: number; intercept: number } {
  const [x, y, xy, xx] = [new KahanSum(), new KahanSum(), new KahanSum(), new KahanSum()]
  const initial = values[first] ?? 0
  let isConstant = true
  for (let i = first; i < end; i += 1) {
    const [time, value] = [((times[i] ?? 0) - origin) / 1000, values[i] ?? 0]
    if (i > first && value !== initial) isConstant = false
    x.add(time)
    y.add(value)
    xy.add(time * value)
    xx.add(time * time)
  }
  if (isConstant) {
    return Math.abs(initial) === Infinity ? { slope: NaN, intercept: NaN } : { slope: 0, intercept: initial }
  }
  const n = end - first
  const [sumX, sumY] = [x.sum + x.error, y.sum + y.error]
  const covariance = xy.sum + xy.error - (sumX * sumY) / n
  const variance = xx.sum + xx.error - (sumX * sumX) / n
  const slope = covariance / variance
  return { slope, intercept: sumY / n - (slope * sumX) / n }
}
