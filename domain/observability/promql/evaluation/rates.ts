import type { Window } from './window.ts'

/** Returns the increase of a counter over a window, extrapolated to its bounds; undefined for fewer than two samples. */
export const increase = (window: Window): number | undefined => extrapolated(window, true)

/** Returns the increase of a counter per second. */
export const rate = (window: Window): number | undefined =>
  extrapolated(window, true, (window.to - window.after) / 1000)

/** Returns the difference of a gauge over a window, extrapolated to its bounds; undefined for fewer than two samples. */
export const delta = (window: Window): number | undefined => extrapolated(window, false)

/**
 * Extrapolates as Prometheus 3 does: to a bound that is less than 1.1 mean distances of samples away, else by half a mean
 * distance; a counter not below zero. The result is divided by `seconds`.
 */
function extrapolated(window: Window, isCounter: boolean, seconds = 1): number | undefined {
  const { times, values, first, end } = window
  if (end - first < 2) return undefined
  const [firstTime, lastTime, firstValue] = [times[first] ?? 0, times[end - 1] ?? 0, values[first] ?? 0]
  let difference = (values[end - 1] ?? 0) - firstValue
  if (isCounter && window.resets > 0) difference = addResets(window, difference)
  const sampled = (lastTime - firstTime) / 1000
  const distance = sampled / (end - first - 1)
  let toStart = (firstTime - window.after) / 1000
  let toEnd = (window.to - lastTime) / 1000
  if (toStart >= distance * 1.1) toStart = distance / 2
  if (isCounter && difference > 0 && firstValue >= 0) toStart = Math.min(toStart, sampled * (firstValue / difference))
  if (toEnd >= distance * 1.1) toEnd = distance / 2
  return difference * ((sampled + toStart + toEnd) / sampled / seconds)
}

/** Adds to a difference the value before each reset of a counter. */
function addResets({ values, first, end }: Window, difference: number): number {
  let sum = difference
  for (let i = first + 1; i < end; i += 1) {
    const previous = values[i - 1] ?? 0
    if ((values[i] ?? 0) < previous) sum += previous
  }
  return sum
}

/** Returns the rate between the last two samples of a counter; undefined for fewer than two samples. */
export const irate = (window: Window): number | undefined => lastTwo(window, true)

/** Returns the difference of the last two samples of a gauge; undefined for fewer than two samples. */
export const idelta = (window: Window): number | undefined => lastTwo(window, false)

function lastTwo({ times, values, first, end }: Window, isRate: boolean): number | undefined {
  if (end - first < 2) return undefined
  const [previous, last] = [values[end - 2] ?? 0, values[end - 1] ?? 0]
  const difference = isRate && last < previous ? last : last - previous
  return isRate ? difference / (((times[end - 1] ?? 0) - (times[end - 2] ?? 0)) / 1000) : difference
}
